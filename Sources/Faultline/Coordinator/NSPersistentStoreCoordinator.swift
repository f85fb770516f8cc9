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
  private let stores = Lock<[NSPersistentStore]>([])
  private let members = Lock<[WeakClient]>([])
  /// How many contexts are pinned to a query generation.
  let pinCount = Lock(0)
  private let queue = SerialQueue(label: "coordinator", kind: .private)

  /// A context that saves into this coordinator, without owning it.
  private struct WeakClient {
    weak var object: (any CoordinatorClient)?
  }

  /// Makes a coordinator for stores of a model.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    model.freeze()
    super.init()
  }

  /// The stores that are attached.
  open var persistentStores: [NSPersistentStore] { stores.withLock { $0 } }

  /// Opens a store and attaches it.
  ///
  /// - Throws: `CocoaError`: 134000 for an unknown type, 134080 if it cannot be opened, 259 if the
  /// file
  ///   is no database, 134100 if another version of the model wrote it.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at url: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    guard storeType == NSSQLiteStoreType || storeType == NSInMemoryStoreType else {
      throw CocoaError(
        CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError),
        userInfo: [
          NSLocalizedDescriptionKey:
            "Store type \(storeType) is not known; use NSSQLiteStoreType or NSInMemoryStoreType."
        ])
    }
    let isMemory = storeType == NSInMemoryStoreType || url == nil || url?.path == "/dev/null"
    let timeout = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
    let isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
    let pragmas = options?[NSSQLitePragmasOption] as? [String: Any] ?? [:]
    let database = try Database(
      url: isMemory ? nil : url, model: managedObjectModel,
      settings: .init(
        isReadOnly: isReadOnly, timeoutMilliseconds: Int32(clamping: Int(timeout * 1000)),
        pragmas: pragmas.mapValues { "\($0)" }, keepsConstraints: storeType == NSSQLiteStoreType,
        vfsName: options?[vfsNameOption] as? String))
    let store = NSPersistentStore(database: database)
    store.owner = self
    stores.withLock { $0.append(store) }
    return store
  }

  /// Detaches a store and closes it.
  open func remove(_ store: NSPersistentStore) throws {
    let found = stores.withLock { stores -> Bool in
      guard let index = stores.firstIndex(where: { $0 === store }) else { return false }
      stores.remove(at: index)
      return true
    }
    guard found else { return }
    store.owner = nil
    store.database.close()
  }

  /// The store at a URL.
  open func persistentStore(for url: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == url.standardizedFileURL }
  }

  /// The URL of a store.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// The facts that a store keeps about itself.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.database.metadata }

  /// The id that a URI names, if its store is attached; whether the record exists is not checked.
  open func managedObjectID(forURIRepresentation uri: URL) -> NSManagedObjectID? {
    guard uri.scheme == "x-coredata", let host = uri.host,
      let store = persistentStores.first(where: { $0.identifier == host })
    else { return nil }
    let parts = uri.path.split(separator: "/").map(String.init)
    guard parts.count == 2, parts[1].hasPrefix("p"), let key = Int64(parts[1].dropFirst()), key > 0,
      let entity = managedObjectModel.entitiesByName[parts[0]]
    else { return nil }
    return NSManagedObjectID(layout: entity.layout, store: store.identityRecord, key: key)
  }

  /// The id that a URI's text names; as `managedObjectID(forURIRepresentation:)`.
  public func managedObjectID(for text: String) -> NSManagedObjectID? {
    URL(string: text).flatMap { managedObjectID(forURIRepresentation: $0) }
  }

  /// Runs a block on the coordinator's queue later.
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

  /// Runs a block on the coordinator's queue and waits for it.
  open func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(block) }
}

// Safe to share: every stored property is constant or a lock.

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
  /// A context begins to save into this coordinator.
  func enroll(_ context: any CoordinatorClient) {
    members.withLock { members in
      members.removeAll { $0.object == nil }
      members.append(WeakClient(object: context))
    }
  }

  /// The contexts that save into this coordinator.
  var clients: [any CoordinatorClient] {
    members.withLock { $0.compactMap(\.object) }
  }

  /// The store that holds an entity's records.
  ///
  /// Without a store nothing can be saved or fetched: that stops with the sentence Core Data
  /// raises.
  func store(for operation: String) -> NSPersistentStore {
    if let store = persistentStores.first { return store }
    ProgrammerError.stop(
      "NSInternalInconsistencyException: This NSPersistentStoreCoordinator has no persistent "
        + "stores. "
        + "It cannot perform \(operation); load the stores first and look at the error of loading.")
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
