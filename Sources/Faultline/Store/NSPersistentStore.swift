// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The metadata key of a store's type.
public let NSStoreTypeKey = "NSStoreType"
/// The metadata key of a store's UUID.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The type of a store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in a file that is read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The type of a store in memory.
public let NSInMemoryStoreType = "InMemory"
/// The option that opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option that says for how many seconds to wait for a busy store.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The option that has a migration leave what takes time to a later call.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The option that names the manager of a staged migration.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// The option that renews the statistics by which SQLite plans, when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// The option that rewrites the file without gaps when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// The option that has the destruction of a store delete its files, whoever has them open.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// The option that protects files on Apple's systems; it has no effect.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The option that opens a store whatever version of the model wrote it.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// The metadata key of the names of the model's version.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The metadata key of the checksum of the model's version.
public let NSStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// The option that sets SQLite pragmas, a dictionary of names and texts.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option that says how many contexts may read a store at a time, each on a connection of its
/// own; a writer and contexts pinned to a query generation are not counted.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// The option that names the SQLite VFS, by which tests make the disk fail.
package let vfsNameOption = "FaultlineVFSName"
/// The option that migrates a store written with another model.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// The option that infers how to migrate.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// A file, or memory, that holds records, attached to a coordinator.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  /// The rows that some object of some context holds, by key.
  let rowCache = WeakTable<Snapshot>()
  /// When rows were read, as far as somebody asks.
  let readTimes = ReadTimes()
  /// The name of the part of the model that the store holds.
  public let configurationName: String
  /// The type that the store was added as.
  public let type: String
  /// Whether the coordinator announces every write.
  let announcesWrites: Bool
  /// What the store was added with.
  public let options: [AnyHashable: Any]?
  private let place: URL?
  private let entityNumbers: Set<Int>
  private let contents: Lock<Contents>
  private let link = WeakLink()

  private struct Contents {
    var database: Database
    var coordinator: WeakLink?
  }

  init(
    database: Database, type: String, configuration: String?, entities: [NSEntityDescription],
    announcesWrites: Bool, place: URL?, options: [AnyHashable: Any]?
  ) {
    self.announcesWrites = announcesWrites
    self.place = place
    self.options = options
    contents = Lock(Contents(database: database))
    self.type = type
    configurationName = configuration ?? NSManagedObjectModel.defaultConfiguration
    entityNumbers = Set(entities.map(\.layout.number))
    super.init()
    link.lead(to: self)
    database.identity.lead(by: link)
  }

  deinit { link.cut() }

  /// The open file; another one once the store was moved.
  var database: Database { contents.withLock { $0.database } }
  /// Who the store is.
  var identityRecord: StoreIdentity { database.identity }
  /// The store's UUID.
  open var identifier: String! { identityRecord.uuid }
  /// Where the store is; of a store in memory, where it was said to be.
  open var url: URL? { database.url ?? place }
  /// Whether the store refuses to be written.
  open var isReadOnly: Bool { database.isReadOnly }
  /// The facts that the store keeps about itself.
  open var metadata: [String: Any]! {
    get { database.metadata.merging([NSStoreTypeKey: type]) { $1 } }
    set { database.metadata = newValue ?? [:] }
  }
  /// The coordinator that the store is attached to.
  var owner: AnyObject? { contents.withLock { $0.coordinator }?.object }

  /// Belongs to the coordinator that a link leads to, or to none.
  func belong(to link: WeakLink?) { contents.withLock { $0.coordinator = link } }

  /// Whether objects of an entity may lie in the store.
  func accepts(_ layout: EntityLayout) -> Bool { entityNumbers.contains(layout.number) }

  /// Whether the store holds every entity of the model.
  var holdsAll: Bool { entityNumbers.count == database.schema.layouts.count }

  /// Reads and writes another file from now on; rows of the former one are not known any more, and
  /// reads of it that have begun enter none.
  func move(to database: Database) {
    let former = contents.withLock { contents in
      defer { contents.database = database }
      return contents.database
    }
    database.identity.lead(by: link)
    rowCache.forgetAll()
    former.close()
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

// Safe to share: `contents` is a lock, `rowCache` and `readTimes` have one, the rest is immutable.
