import Synchronization

/// What an object asks of the context that owns it; the context implements it, so that objects
/// need not know contexts.
protocol ObjectOwner: AnyObject {
  /// The name of the context in reports.
  var ownerName: String { get }
  /// Whether the event that just ended is being announced to observers.
  var isProcessing: Bool { get }
  /// The permanent id of a record.
  func permanentID(layout: EntityLayout, key: Int64) -> NSManagedObjectID
  /// Installs the row of a fault, or deals with its absence.
  func fulfill(_ object: NSManagedObject, triggeredBy slot: Int?)
  /// Hears of the first change to an object in this event.
  func noteChange(of object: NSManagedObject)
  /// The registered object, or a new fault, that a to-one value names.
  func destination(_ reference: Value, slot: Slot) -> NSManagedObject
  /// The members that the parent store has for a to-many relationship, in order if they have one;
  /// nil if they cannot be read and the running call will throw the error.
  func loadMembers(of object: NSManagedObject, slot: Int) -> [NSManagedObject]?
  /// What the request of a fetched property finds for an object.
  func fetch(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [Any]
}

/// The objects of one context by id, and the way back from an object to its context.
///
/// A reset gives the context a new registry; objects of the old one find no owner any more.
final class Registry: @unchecked Sendable {
  /// The queue inside which the objects may be used.
  let queue: SerialQueue
  /// The objects by key.
  let objects = WeakTable<NSManagedObject>()
  private let link: WeakLink
  /// What the link leads to, with its type.
  private unowned(unsafe) let linked: any ObjectOwner
  private let isDisowned = Atomic(false)
  /// The relationships that are announced to change, in the order of the announcements; used inside
  /// the queue only.
  var announcements: [Announcement] = []
  /// All objects, if the context holds them; used inside the queue only.
  @exclusivity(unchecked) var retained: Set<NSManagedObject>?

  /// A relationship that is announced to change.
  struct Announcement {
    /// Whose it is.
    let object: NSManagedObject
    /// Which it is.
    let slot: Int
    /// What it led to.
    let old: [NSManagedObject]
  }

  /// Makes the registry of a context, to which the link leads.
  init(queue: SerialQueue, owner: any ObjectOwner, link: WeakLink) {
    self.queue = queue
    self.link = link
    linked = owner
  }

  /// The context, unless it is gone or has been reset.
  var owner: (any ObjectOwner)? {
    if isDisowned.load(ordering: .relaxed) { return nil }
    // Who is inside a private queue is in a block of its context, which holds the context.
    if queue.kind == .private, queue.isCurrent { return linked }
    return link.object.map { withExtendedLifetime($0) { linked } }
  }

  /// The end of an object that was registered here.
  func leave(_ object: NSManagedObject) {
    Unmanaged.passUnretained(objects)._withUnsafeGuaranteedRef { $0.remove(object) }
    EngineCounters.add(.liveObjects, -1)
  }

  /// Cuts the objects off from their context.
  func disown() { isDisowned.store(true, ordering: .relaxed) }
}

// Safe to share: `objects` and `link` have locks, `isDisowned` is atomic, and `linked` is used only
// while somebody holds what the link leads to. `announcements` and `retained` belong to the
// context's queue.
