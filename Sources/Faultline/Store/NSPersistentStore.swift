// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The metadata key of a store's type.
public let NSStoreTypeKey = "NSStoreType"
/// The metadata key of a store's UUID.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The type of a store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in memory.
public let NSInMemoryStoreType = "InMemory"
/// The option that opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option that says for how many seconds to wait for a busy store.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The option that sets SQLite pragmas, a dictionary of names and texts.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option that names the SQLite VFS, by which tests make the disk fail.
package let vfsNameOption = "FaultlineVFSName"
/// The option that migrates a store written with another model.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// The option that infers how to migrate.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// A file, or memory, that holds records, attached to a coordinator.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  let database: Database
  let identityRecord: StoreIdentity
  /// The rows that some object of some context holds, by key.
  let rowCache = WeakTable<Snapshot>()
  private let reference = Lock(CoordinatorReference())

  private struct CoordinatorReference {
    weak var coordinator: AnyObject?
  }

  init(database: Database) {
    self.database = database
    identityRecord = StoreIdentity(uuid: database.uuid)
    super.init()
    identityRecord.store = self
  }

  /// The store's UUID.
  open var identifier: String! { identityRecord.uuid }
  /// The type of the store.
  open var type: String { NSSQLiteStoreType }
  /// Where the store is.
  open var url: URL? { database.url }
  /// Whether the store refuses to be written.
  open var isReadOnly: Bool { database.isReadOnly }
  /// The name of the configuration, which is always the default one in this version.
  open var configurationName: String { "PF_DEFAULT_CONFIGURATION_NAME" }
  /// The facts that the store keeps about itself.
  open var metadata: [String: Any]! { database.metadata }

  /// The coordinator that the store is attached to, as the layer above knows it.
  var owner: AnyObject? {
    get { reference.withLock { $0.coordinator } }
    set { reference.withLock { $0.coordinator = newValue } }
  }
}

extension NSPersistentStoreRequest {
  /// The stores to ask; nil means all.
  public var affectedStores: [NSPersistentStore]? {
    get { storesToAsk as? [NSPersistentStore] }
    set { storesToAsk = newValue }
  }
}

extension NSManagedObjectID {
  /// The store that holds the record, or nil for a temporary id.
  public var persistentStore: NSPersistentStore? { store?.store as? NSPersistentStore }
}

// Safe to share: `database` guards itself, `rowCache` has a lock, `reference` is a lock, the rest
// is immutable.
