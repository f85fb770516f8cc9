import Foundation
import SQLiteConnection

/// Migrating stores when they are added.
extension NSPersistentStoreCoordinator {
  /// Opens a database, after its migration if the options ask for one and it needs one.
  func openDatabase(
    _ url: URL?, _ schema: Schema, of configuration: String?, _ settings: Database.Settings,
    _ options: [AnyHashable: Any]?
  ) throws -> Database {
    do {
      return try Database(url: url, schema: schema, settings: settings)
    } catch let other as OtherModel {
      guard let url, !settings.isReadOnly, !other.isOtherConfiguration else { throw other.error }
      var migration = StoreMigration(url: url, settings: settings, schema: schema)
      migration.configuration = configuration
      migration.options = options ?? [:]
      try run(migration, other)
    }
    do { return try Database(url: url, schema: schema, settings: settings) } catch let other
      as OtherModel
    { throw other.error }
  }

  private func run(_ migration: StoreMigration, _ other: OtherModel) throws {
    var migration = migration
    let (url, options) = (migration.url, migration.options)
    func isOn(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }
    if !other.isSameVersion {
      let isStaged = options[NSPersistentStoreStagedMigrationManagerOptionKey] != nil
      guard isOn(NSMigratePersistentStoresAutomaticallyOption) else { throw other.error }
      guard isStaged || isOn(NSInferMappingModelAutomaticallyOption) else {
        throw MigrationError.noMapping(
          "The store at \(url.path) needs a migration, and there is no mapping model for it; allow "
            + "that one is inferred.", reason: "Can't find mapping model for migration",
          from: try? migration.writtenModel(), to: migration.schema.model, url: url)
      }
    }
    migration.defersCleanup = isOn(NSPersistentStoreDeferredLightweightMigrationOptionKey)
    if !other.isSameVersion,
      let stages = options[NSPersistentStoreStagedMigrationManagerOptionKey]
        as? any StagedMigrating
    {
      for key in [
        NSPersistentStoreStagedMigrationManagerOptionKey,
        NSMigratePersistentStoresAutomaticallyOption,
      ] { migration.options[key] = nil }
      let version = try StoreFile.metadata(url).list[NSStoreModelVersionChecksumKey] as? String
      try stages.migrate(migration, from: version ?? VersionChecksum.of(other.written))
    } else {
      try migration.run()
    }
  }

  /// Does what migrations have left for later, in all stores.
  public func finishDeferredLightweightMigration() throws {
    for store in persistentStores where store.database.isCleanupDeferred {
      try finish(store) { try StoreMigration.dropAside($0) }
    }
  }

  /// Does a part of what migrations have left for later.
  public func finishDeferredLightweightMigrationTask() throws {
    guard let store = persistentStores.first(where: { $0.database.isCleanupDeferred }) else {
      return
    }
    try finish(store) { try StoreMigration.dropAside($0, countMax: 1) }
  }

  /// Drops tables in a transaction; the body says whether there are no more.
  private func finish(_ store: NSPersistentStore, _ drop: (Connection) throws -> Bool) throws {
    let database = store.database
    try database.write { transaction in
      if try drop(transaction.connection) { database.note { $0.isCleanupDeferred = false } }
    }
  }
}

/// A manager that leads a store through several versions.
protocol StagedMigrating: AnyObject {
  /// Migrates a store that has a certain version.
  func migrate(_ migration: StoreMigration, from version: String) throws
}
