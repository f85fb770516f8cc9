// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

extension Notification.Name {
  /// A coordinator is about to add, remove or move stores.
  public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")
  /// A coordinator added, removed or moved stores.
  public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")
  /// A store, the notification's object, is about to be removed from its coordinator.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

/// The key of the array of stores that were added.
public let NSAddedPersistentStoresKey = "added"
/// The key of the array of stores that were removed.
public let NSRemovedPersistentStoresKey = "removed"
/// The key of an array of stores, former and present, whose UUID is another one now.
public let NSUUIDChangedPersistentStoresKey = "changedUUID"

/// The stores of a coordinator: adding, removing, moving, finding them.
///
/// Each change is announced on the caller's thread, before it and after it.
extension NSPersistentStoreCoordinator {
  /// The stores, and the numbers by which the keys of their records name them.
  struct Attached {
    var stores: [NSPersistentStore] = []
    var numbers: [Int64] = []
    /// Stores that are gone and of which contexts may still have objects.
    var former: [Int64: StoreIdentity] = [:]
    /// What announces the writes of a store, where that was asked for.
    var announcers: [ObjectIdentifier: StoreAnnouncer] = [:]
    /// The files that are being opened, so that nobody else attaches them meanwhile.
    var opening: Set<URL> = []
  }

  /// Opens a store and attaches it.
  ///
  /// - Throws: `CocoaError`: 134000 for an unknown type, 134081 if it is attached already, 512 if
  ///   its folder is missing, 260 if there is nothing to be read, 259 if the file is no database,
  ///   134080 if it cannot be opened, 134100 if another version of the model wrote it, 134020 if
  ///   another configuration did; 134110 to 134190 if the migration that the options ask for fails.
  @discardableResult
  public func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at url: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    guard [NSSQLiteStoreType, NSBinaryStoreType, NSInMemoryStoreType].contains(storeType) else {
      throw StoreError.unknownType(storeType)
    }
    if storeType == NSSQLiteStoreType, url == nil {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Cannot create an SQL store with a nil URL; give it a file, or "
          + "/dev/null for one in memory.")
    }
    let file = Self.file(storeType, url)
    try reserve(file)
    do {
      let store = try open(storeType, url, configuration, options)
      attach(store)
      return store
    } catch {
      release(file)
      throw error
    }
  }

  /// Opens a store that nobody knows of yet; its file is reserved.
  func open(
    _ storeType: String, _ url: URL?, _ configuration: String?, _ options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    guard let entities = managedObjectModel.entities(forConfigurationName: configuration) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Unable to find a configuration named "
          + "'\(configuration ?? "")' in the model; it has: "
          + "\(managedObjectModel.configurations.joined(separator: ", ")).")
    }
    let (file, settings) = (Self.file(storeType, url), Database.Settings(options, type: storeType))
    if let file { try Self.refuseMissing(file, settings) }
    let database = try openDatabase(
      file, Schema(managedObjectModel, entities), of: configuration, settings, options)
    return NSPersistentStore(
      database: database, type: storeType, configuration: configuration, entities: entities,
      announcesWrites: (options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey]
        as? NSNumber)?.boolValue
        ?? false, place: url, options: options)
  }

  /// Refuses a file that is not there and cannot be made: because it is to be read only, or because
  /// its folder is missing too.
  private static func refuseMissing(_ file: URL, _ settings: Database.Settings) throws {
    let files = FileManager.default
    if files.fileExists(atPath: file.path) { return }
    if settings.isReadOnly { throw StoreError.missingReadOnly(file) }
    let folder = file.deletingLastPathComponent().path
    if !files.fileExists(atPath: folder) {
      throw StoreError.missingFolder(file)
    }
  }

  /// The file of a store; nil if it is in memory, wherever it is said to be.
  private static func file(_ storeType: String, _ url: URL?) -> URL? {
    storeType == NSInMemoryStoreType || url?.path == nowhere ? nil : url
  }

  /// The path at which nothing is kept.
  static var nowhere: String { "/dev/null" }

  /// Attaches an open store, whose file is then reserved no longer.
  func attach(_ store: NSPersistentStore) {
    changeStores([NSAddedPersistentStoresKey: [store]]) {
      store.belong(to: link)
      attached.withLock { attached in
        attached.stores.append(store)
        attached.numbers.append(RecordKey.store(store.identityRecord.keyBase))
        attached.release(store.database.url)
      }
      beginAnnouncing(store)
    }
  }

  /// Keeps everybody else from attaching a file, until it is released.
  ///
  /// - Throws: 134081 if a store has it, or somebody is about to attach it.
  func reserve(_ url: URL?) throws {
    guard let url else { return }
    let file = url.resolvedFile
    try attached.withLock { attached in
      let isAttached = attached.stores.contains { $0.database.url?.resolvedFile == file }
      guard !isAttached, attached.opening.insert(file).inserted else {
        throw StoreError.attached(url)
      }
    }
  }

  /// Whoever likes may attach a file again.
  func release(_ url: URL?) { attached.withLock { $0.release(url) } }

  /// Detaches a store and closes it; a store of somebody else is left alone.
  ///
  /// Objects of the store become inaccessible: a fault whose row is gone.
  public func remove(_ store: NSPersistentStore) throws {
    guard persistentStores.contains(store) else { return }
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    changeStores([NSRemovedPersistentStoresKey: [store]]) {
      attached.withLock { attached in
        guard let index = attached.stores.firstIndex(of: store) else { return }
        attached.stores.remove(at: index)
        attached.former[attached.numbers.remove(at: index)] = store.identityRecord
        attached.announcers[ObjectIdentifier(store)] = nil
      }
      store.belong(to: nil)
      // Nobody may take a row for the store's any more.
      store.rowCache.forgetAll()
      store.database.close()
    }
  }

  /// The store at a URL.
  public func persistentStore(for url: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.resolvedFile == url.resolvedFile }
  }

  /// The URL of a store.
  public func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: Self.nowhere)
  }

  /// Lets a SQLite store use another file, which must exist, and a binary one write another file
  /// with the next save; false if it cannot be opened, or another store of the coordinator has it.
  @discardableResult
  public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    let former = store.database
    guard persistentStores.contains(store), former.url != nil,
      [nil, store].contains(persistentStore(for: url))
    else { return false }
    guard former.isFile else {
      changeStores([:]) { former.relocate(to: url) }
      return true
    }
    guard FileManager.default.fileExists(atPath: url.path),
      let database = try? former.reopened(at: url)
    else { return false }
    let isSame = database.identity.uuid == former.identity.uuid
    changeStores(isSame ? [:] : [NSUUIDChangedPersistentStoresKey: [store, store]]) {
      attached.withLock { attached in
        guard let index = attached.stores.firstIndex(of: store) else { return }
        attached.former[attached.numbers[index]] = former.identity
        attached.numbers[index] = RecordKey.store(database.identity.keyBase)
      }
      store.move(to: database)
      beginAnnouncing(store)
    }
    return true
  }

  private func changeStores(_ info: [AnyHashable: Any], _ change: () -> Void) {
    let center = NotificationCenter.default
    center.post(
      name: .NSPersistentStoreCoordinatorStoresWillChange, object: self, userInfo: info)
    change()
    center.post(name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: info)
  }

  // MARK: Finding stores

  /// The stores; without any, nothing can be saved or fetched, which stops with the sentence that
  /// Core Data raises at a save.
  func stores(for operation: String) -> [NSPersistentStore] {
    let stores = persistentStores
    if !stores.isEmpty { return stores }
    ProgrammerError.stop(
      "NSInternalInconsistencyException: This NSPersistentStoreCoordinator has no persistent "
        + "stores. "
        + "It cannot perform \(operation); load the stores first and look at the error of loading.")
  }

  /// The store of a record, unless it has been removed; of two copies the one added first.
  func store(forKey key: Int64) -> NSPersistentStore? {
    attached.withLock { attached in
      guard let index = attached.numbers.firstIndex(of: RecordKey.store(key)) else { return nil }
      return attached.stores[index]
    }
  }

  /// Who the store of a record is, or was.
  func identity(forKey key: Int64) -> StoreIdentity? {
    store(forKey: key)?.identityRecord
      ?? attached.withLock { $0.former[RecordKey.store(key)] }
  }

  /// Whether every record of this coordinator's contexts lies in this one store.
  func isOnly(_ store: NSPersistentStore) -> Bool {
    attached.withLock { $0.stores.count == 1 && $0.former.isEmpty } && store.holdsAll
  }

  /// The store that an unsaved object goes to if nobody assigned it: the first writable one that
  /// accepts its entity, or else the first one that does.
  func defaultStore(for layout: EntityLayout) -> NSPersistentStore? {
    let accepting = stores(for: "a save").filter { $0.accepts(layout) }
    return accepting.first { !$0.isReadOnly } ?? accepting.first
  }
}

extension NSPersistentStoreCoordinator.Attached {
  /// Whoever likes may attach a file again, unless a store has it.
  fileprivate mutating func release(_ url: URL?) {
    if let url { opening.remove(url.resolvedFile) }
  }
}

extension Database.Settings {
  /// The settings that the options of a store ask for.
  init(_ options: [AnyHashable: Any]?, type: String) {
    let isSQLite = type == NSSQLiteStoreType
    let timeout = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
    let pragmas = options?[NSSQLitePragmasOption] as? [String: Any] ?? [:]
    func isOn(_ key: String) -> Bool { (options?[key] as? NSNumber)?.boolValue ?? false }
    self.init(
      isReadOnly: isOn(NSReadOnlyPersistentStoreOption),
      // In this order a timeout that is no number is none.
      timeoutMilliseconds: Int32(min(max(0, timeout * 1000), Double(Int32.max))),
      pragmas: pragmas.mapValues { "\($0)" }, keepsConstraints: isSQLite,
      keepsHistory: isSQLite && isOn(NSPersistentHistoryTrackingKey),
      readersMax: (options?[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber)?.intValue,
      ignoresVersions: isOn(NSIgnorePersistentStoreVersioningOption), storeType: type,
      analyzes: isOn(NSSQLiteAnalyzeOption), vacuums: isOn(NSSQLiteManualVacuumOption),
      vfsName: options?[vfsNameOption] as? String)
  }
}
