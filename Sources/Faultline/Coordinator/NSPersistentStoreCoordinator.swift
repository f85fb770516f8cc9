import Foundation

/// What stands between contexts and stores: it opens stores, serialises writers, shares rows.
///
/// It may be used from any thread.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  /// The model, which can no longer be changed.
  public let managedObjectModel: NSManagedObjectModel
  /// A name for reports.
  open var name: String? {
    get { nameStorage.withLock { $0 } }
    set {
      nameStorage.withLock { $0 = newValue }
      queue.label = newValue ?? "coordinator"
    }
  }
  private let nameStorage = Lock<String?>(nil)
  /// The stores.
  let attached = Lock(Attached())
  private let members = Lock<[WeakLink]>([])
  /// The way to the coordinator for its stores, which do not own it.
  let link = WeakLink()
  /// How many contexts are pinned to a query generation.
  let pinCount = Lock(0)
  private let queue = SerialQueue(label: "coordinator", kind: .private)
  /// The queue on which remote changes are announced.
  let announcements = SerialQueue(label: "remote changes", kind: .private)

  /// Makes a coordinator for stores of a model.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    model.freeze()
    super.init()
    link.lead(to: self)
  }

  deinit { link.cut() }

  /// The stores that are attached, in the order in which they were added.
  open var persistentStores: [NSPersistentStore] { attached.withLock { $0.stores } }

  /// The id that a URI names, if its store is attached; whether the record exists is not checked.
  open func managedObjectID(forURIRepresentation uri: URL) -> NSManagedObjectID? {
    guard let record = RecordURI(uri),
      let store = persistentStores.first(where: { $0.identifier == record.store }),
      let entity = managedObjectModel.entitiesByName[record.entity]
    else { return nil }
    let identity = store.identityRecord
    return NSManagedObjectID(
      layout: entity.layout, store: identity, key: identity.keyBase + record.row)
  }

  /// The id that a URI's text names; as `managedObjectID(forURIRepresentation:)`.
  public func managedObjectID(for text: String) -> NSManagedObjectID? {
    URL(string: text).flatMap { managedObjectID(forURIRepresentation: $0) }
  }

  /// Runs a block on the coordinator's queue later.
  @preconcurrency open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs a block on the coordinator's queue and waits for it.
  @preconcurrency open func performAndWait<T>(
    _ block: @Sendable () throws -> T
  ) rethrows -> T {
    try queue.sync(isApplications: true, block)
  }

  /// Runs a block on the coordinator's queue and suspends the caller until it has run.
  ///
  /// - Throws: what the block throws.
  @preconcurrency nonisolated(nonsending) public func perform<T, Failure: Error>(
    _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await queue.awaiting(block)
  }
}

// Safe to share: every stored property is constant or a lock.

extension NSPersistentStore {
  /// The coordinator that the store is attached to.
  public var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    owner as? NSPersistentStoreCoordinator
  }
}

/// What a coordinator tells its contexts.
protocol CoordinatorClient: AnyObject {
  /// Whether the context takes the changes of others by itself.
  var mergesSaves: Bool { get }
  /// Another context of the coordinator saved these records.
  func siblingSaved(_ changes: SavedIDs)
}

/// The ids of the records that one save inserted, updated and deleted.
struct SavedIDs: Sendable {
  var inserted: [NSManagedObjectID] = []
  var updated: [NSManagedObjectID] = []
  var deleted: [NSManagedObjectID] = []
}

extension NSPersistentStoreCoordinator {
  /// A `CoordinatorClient` begins to save into this coordinator.
  func enroll(_ client: WeakLink) {
    members.withLock { members in
      members.removeAll(where: \.isCut)
      members.append(client)
    }
  }

  /// The contexts that save into this coordinator.
  var clients: [any CoordinatorClient] {
    members.withLock { $0.compactMap { $0.object as? any CoordinatorClient } }
  }

  /// The store of an id; an id of a store that is not attached stops.
  func store(of id: NSManagedObjectID) -> NSPersistentStore {
    if let store = persistentStores.first(where: { $0.identifier == id.store?.uuid }) {
      return store
    }
    ProgrammerError.stop(
      "NSInvalidArgumentException: The object's persistent store is not reachable from this "
        + "NSManagedObjectContext's coordinator: \(id.description).")
  }
}
