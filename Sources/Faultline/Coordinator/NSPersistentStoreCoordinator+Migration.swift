import Foundation

/// Migrating stores when they are added.
extension NSPersistentStoreCoordinator {
  /// Opens a database, after its migration if the options ask for one and it needs one.
  func openDatabase(
    _ url: URL?, _ schema: Schema, _ settings: Database.Settings, _ options: [AnyHashable: Any]?
  ) throws -> Database {
    do {
      return try Database(url: url, schema: schema, settings: settings)
    } catch let other as OtherModel {
      guard let url, !settings.isReadOnly else { throw other.error }
      try migrate(url, schema, settings, options, other)
    }
    do { return try Database(url: url, schema: schema, settings: settings) } catch let other
      as OtherModel
    { throw other.error }
  }

  private func migrate(
    _ url: URL, _ schema: Schema, _ settings: Database.Settings, _ options: [AnyHashable: Any]?,
    _ other: OtherModel
  ) throws {
    func isOn(_ key: String) -> Bool { (options?[key] as? NSNumber)?.boolValue ?? false }
    if !other.isSameVersion {
      guard isOn(NSMigratePersistentStoresAutomaticallyOption) else { throw other.error }
      guard isOn(NSInferMappingModelAutomaticallyOption) else {
        throw MigrationError.make(
          NSMigrationMissingMappingModelError,
          "The store at \(url.path) needs a migration, and there is no mapping model for it; allow "
            + "that one is inferred.", reason: "Can't find mapping model for migration", url: url)
      }
    }
    var migration = StoreMigration(url: url, settings: settings, schema: schema)
    migration.defersCleanup = isOn(NSPersistentStoreDeferredLightweightMigrationOptionKey)
    try migration.run()
  }
}
