import Foundation
import Synchronization

/// The kinds of queues a context can have.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// Bound to the thread that made it; deprecated on Apple's systems and refused here.
  case confinementConcurrencyType = 0
  /// A queue of the context's own.
  case privateQueueConcurrencyType = 1
  /// The main queue.
  case mainQueueConcurrencyType = 2
}

/// A scratch pad of managed objects: it fetches them, tracks their changes, and saves all or
/// nothing.
///
/// A context and its objects are used only inside its queue: within `perform` or `performAndWait`,
/// or on the main thread for a main-queue context. The checker (`ConcurrencyDebug`) says where that
/// is broken.
///
///     clean ──insert, set, delete──▶ dirty ──save──▶ saving ──committed──▶ clean
///       ▲                             │  ▲             │
///       └───── rollback, reset ───────┘  └── failed ───┘
///
/// - clean: `changes` names no object with unsaved changes.
/// - dirty: `changes` lists them in order of their first change; they are held strongly.
/// - saving: `isSaving`; observers and callbacks may still change objects until the transaction
/// begins.
nonisolated open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// The kind of queue.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  let queue: SerialQueue
  @exclusivity(unchecked) var registry: Registry!
  /// Where the context reads from and saves to.
  enum Parent {
    case none
    case coordinator(NSPersistentStoreCoordinator)
    case context(NSManagedObjectContext)
  }
  /// The coordinator or context that this one reads from and saves to.
  var parentLink = Parent.none { didSet { latestInserted = InsertedClass() } }
  /// The state of the stores that the context reads; nil means the last commit.
  var pin: GenerationPin?
  /// Objects with unsaved changes, in order of their first change; some may be clean again.
  @exclusivity(unchecked) var changes: [NSManagedObject] = []
  /// What happened since the last processing of pending changes.
  @exclusivity(unchecked) var event = Event()
  /// How many events have been processed, by which a save finds out what its callbacks ended.
  @exclusivity(unchecked) var eventsEnded = 0
  /// What the running save posted last as changed.
  var announced: Announced?
  var isProcessing = false
  @exclusivity(unchecked) var isSaving = false
  var isTurnEndScheduled = false
  /// Where errors of relationships go that the running call reads; nil if it cannot throw.
  var readErrors: ReadErrors?
  /// The class of the latest entity, so that a fetch need not look it up for every row.
  @exclusivity(unchecked) var latestClass: (layout: ObjectIdentifier, type: NSManagedObject.Type)?
  /// The class whose entity was asked for last, which most often is asked for next.
  @exclusivity(unchecked) var latestInserted = InsertedClass()
  /// Permanent keys by the temporary keys they replaced, kept while a child may still use those.
  var forwarding: [Int64: Int64] = [:]
  /// The stores that unsaved objects were assigned to, by temporary key.
  var assignments: [Int64: NSPersistentStore] = [:]
  private let childContexts = Lock<[WeakLink]>([])
  /// The way to the context for those who do not own it.
  let link = WeakLink()
  private let settings = Lock(Settings())
  /// The bits of `stalenessInterval`, which every fault asks for.
  private let staleness = Atomic((-1.0).bitPattern)

  /// Configuration that may be read and written from any thread.
  private struct Settings {
    var name: String?
    var policy = NSMergePolicy.error
    var mergesAutomatically = false
    var author: String?
    var isPinnedElsewhere = false
  }

  /// Makes a context that has no parent store yet.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    switch concurrencyType {
    case .mainQueueConcurrencyType: queue = .main
    case .privateQueueConcurrencyType: queue = SerialQueue(label: "context", kind: .private)
    case .confinementConcurrencyType:
      ProgrammerError.stop(
        "NSInvalidArgumentException: the confinement concurrency type is deprecated, because it "
          + "binds a context to a thread and nobody can be its child; use "
          + ".privateQueueConcurrencyType or .mainQueueConcurrencyType.")
    }
    super.init()
    link.lead(to: self)
    // Asked once before anybody can wait, so that a checker that is on watches for deadlocks.
    _ = ConcurrencyDebug.isOn
    if queue.kind == .private {
      queue.label = "context \(queue.number)"
      queue.client = link
    }
    registry = Registry(queue: queue, owner: self, link: link)
  }

  /// Not available: a context without a type would be bound to the thread that makes it.
  @available(
    *, unavailable,
    message: "a context needs a queue: use init(concurrencyType:), or a container's contexts"
  )
  public override convenience init() { fatalError("unavailable") }

  /// Makes a context of a type; the newer spelling.
  public convenience init(_ type: ConcurrencyType) {
    self.init(concurrencyType: type.rawValue)
  }

  deinit {
    link.cut()
    registry.disown()
    undoManager?.removeAllActions(withTarget: self)
    stopFollowingUndoManager()
    for object in registry.objects.members() {
      keepID(of: object)
      object.detach()
      object.state.insert(.orphaned)
    }
  }

  // MARK: Configuration

  /// The kinds of queues in the newer spelling.
  public struct ConcurrencyType: Sendable, Hashable {
    /// The kind as the older enumeration names it.
    public let rawValue: NSManagedObjectContextConcurrencyType
    /// The main queue.
    public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    /// A queue of the context's own.
    public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
  }

  /// A label for reports; a private queue takes it too.
  open var name: String? {
    get { settings.withLock { $0.name } }
    set {
      settings.withLock { $0.name = newValue }
      if queue.kind == .private { queue.label = newValue ?? "context \(queue.number)" }
    }
  }

  /// What a save does about conflicts; an `NSMergePolicy`.
  open var mergePolicy: Any {
    get { policy }
    set {
      guard let policy = newValue as? NSMergePolicy else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: a merge policy must be an NSMergePolicy, not "
            + "\(type(of: newValue))."
        )
      }
      settings.withLock { $0.policy = policy }
    }
  }

  /// The merge policy, typed.
  var policy: NSMergePolicy { settings.withLock { $0.policy } }

  /// Whether saves of sibling contexts, or of the parent context, are merged into this one.
  open var automaticallyMergesChangesFromParent: Bool {
    get { settings.withLock { $0.mergesAutomatically } }
    set { settings.withLock { $0.mergesAutomatically = newValue } }
  }

  /// Who makes the changes, for the history of later versions.
  open var transactionAuthor: String? {
    get { settings.withLock { $0.author } }
    set { settings.withLock { $0.author = newValue } }
  }

  /// For how many seconds a cached row may fulfil a fault; negative means for ever, 0 means never.
  ///
  /// A positive number has the engine note from then on when rows are read; rows read before, or
  /// written by a save, count as too old once.
  open var stalenessInterval: TimeInterval {
    get { Double(bitPattern: staleness.load(ordering: .relaxed)) }
    set {
      staleness.store(newValue.bitPattern, ordering: .relaxed)
      if newValue > 0 { ReadTimes.begin() }
    }
  }

  /// Whether the context is pinned to the state that another context reads.
  var isPinnedElsewhere: Bool {
    get { settings.withLock { $0.isPinnedElsewhere } }
    set { settings.withLock { $0.isPinnedElsewhere = newValue } }
  }

  /// Whether deletes spread along relationships at each processing of changes, or only in a save.
  open var propagatesDeletesAtEndOfEvent = true
  /// Whether a fault whose row is gone turns into a deleted object instead of stopping.
  open var shouldDeleteInaccessibleFaults = true
  /// Whether unchanged objects are held strongly too.
  open var retainsRegisteredObjects = false {
    didSet {
      queue.sync(isApplications: true) {
        registry.retained = retainsRegisteredObjects ? Set(registry.objects.members()) : nil
      }
    }
  }
  /// What remembers changes so that `undo` can take them back; nil, as at first, remembers nothing.
  open var undoManager: UndoManager? {
    didSet { followUndoManager(insteadOf: oldValue) }
  }
  var undoObserver: (any NSObjectProtocol)?
  private var userInfoStorage: NSMutableDictionary?

  /// Facts of the application's own.
  open var userInfo: NSMutableDictionary {
    check("userInfo")
    if let userInfoStorage { return userInfoStorage }
    let made = NSMutableDictionary()
    userInfoStorage = made
    return made
  }

  /// The coordinator that the chain of parents ends in.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get {
      switch parentLink {
      case .none: return nil
      case .coordinator(let coordinator): return coordinator
      case .context(let parent): return parent.persistentStoreCoordinator
      }
    }
    set {
      refuseSecondParent(newValue == nil)
      parentLink = newValue.map(Parent.coordinator) ?? .none
      newValue?.enroll(link)
    }
  }

  /// The context that this one reads from and saves into.
  open var parent: NSManagedObjectContext? {
    get {
      if case .context(let parent) = parentLink { return parent }
      return nil
    }
    set {
      refuseSecondParent(newValue == nil)
      parentLink = newValue.map(Parent.context) ?? .none
      newValue?.adopt(self)
    }
  }

  private func refuseSecondParent(_ isRemoval: Bool) {
    if case .none = parentLink { return }
    if isRemoval, changes.isEmpty { return }
    ProgrammerError.stop(
      "NSInvalidArgumentException: Context already has a coordinator or parent; cannot replace it. "
        + "Make a new context.")
  }

  private func adopt(_ child: NSManagedObjectContext) {
    childContexts.withLock { children in
      children.removeAll(where: \.isCut)
      children.append(child.link)
    }
  }

  /// The contexts whose parent is this one.
  var children: [NSManagedObjectContext] {
    childContexts.withLock { $0.compactMap { $0.object as? NSManagedObjectContext } }
  }

  // MARK: Checks

  /// Stops, or notes, a use of the context outside its queue.
  @inline(__always)
  func check(_ operation: @autoclosure () -> String) {
    if ConcurrencyDebug.isOn {
      ConcurrencyDebug.check(queue, operation(), context: ownerName)
    }
  }

  /// Decides about a fault whose row is gone; the default answers `shouldDeleteInaccessibleFaults`.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    if shouldDeleteInaccessibleFaults {
      StandardError.write(
        "CoreData: warning: the row of \(oid.description) is gone; its object is treated as "
          + "deleted."
      )
    }
    return shouldDeleteInaccessibleFaults
  }
}

// Safe to share: `settings`, `childContexts` and `link` are or have locks, `staleness` is atomic,
// `queue` and `concurrencyType` are constant, `parentLink` is set before use; everything else
// belongs to `queue`, which the checker enforces.
