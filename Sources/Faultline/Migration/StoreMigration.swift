import Foundation
import SQLiteConnection

/// Turns a store written with one version of the model into one of another, where it lies.
///
/// Everything is one transaction of SQLite's: whoever opens the file, after a failure or a kill
/// too, finds the old store or the new one.
///
/// 1. The file is locked for writing, and looked at again: somebody else may have been faster.
/// 2. The model it was written with is found in the store itself.
/// 3. What is between the two versions is inferred, or taken from a mapping model.
/// 4. Tables are put aside, made and filled; indexes made anew; what is newly derived is computed.
/// 5. What has become mandatory is looked for.
/// 6. Metadata and the model are written, what was put aside goes.
struct StoreMigration {
  /// Where the store is.
  let url: URL
  /// How it is opened.
  let settings: Database.Settings
  /// The tables that it shall have.
  var schema: Schema
  /// What leads to the new version; nil to infer it.
  var mapping: NSMappingModel?
  /// The model that the store was written with; nil to find it in the store.
  var sourceModel: NSManagedObjectModel?
  /// The configuration whose entities the store holds; nil for all.
  var configuration: String?
  /// The options that the store is added with.
  var options: [AnyHashable: Any] = [:]
  /// Whether what was put aside stays until somebody asks for it to go.
  var defersCleanup = false

  /// Migrates the store.
  ///
  /// - Throws: `CocoaError`: 134100 if the store comes from a later version, 134130 if its model is
  ///   not found, 134140 over 134190 if nothing can be inferred, 134110 and 134111 if records
  ///   do not fit, 134110 if SQLite fails.
  func run() throws {
    do {
      let connection = try Database.open(url.path, settings)
      defer { connection.close() }
      try connection.execute("BEGIN IMMEDIATE")  // 1
      do {
        try migrate(connection)
        try connection.execute("COMMIT")
      } catch {
        try? connection.execute("ROLLBACK")
        throw error
      }
    } catch let error as SQLiteError {
      throw failure(error)
    }
  }

  private func migrate(_ connection: Connection) throws {
    var metadata = try StoreMetadata.read(connection, url: url)
    let written = metadata.hashes
    if written == schema.hashes, try schema.hasNumbers(of: connection) { return }
    let former = metadata.list[StoreMetadata.formerVersionsKey] as? [String] ?? []
    let version = VersionChecksum.of(schema.hashes)
    if former.contains(version) {
      throw MigrationError.make(
        NSPersistentStoreIncompatibleVersionHashError,
        "The store at \(url.path) was migrated to a later version of the model; open it with that "
          + "version.", url: url)
    }
    let model = try sourceModel ?? cachedModel(connection)  // 2
    let entities = model.entities.filter { written[$0.name ?? ""] != nil }
    let source = Schema(model, entities)
    let mapping = try mapping ?? inferred(from: model)  // 3
    let script = MigrationScript(from: source, to: schema, by: mapping)
    try run(script, on: connection)  // 4
    try DerivedColumns(schema: schema, script: script).fill(connection)
    try HistoryMigration(source: source, destination: schema, script: script).run(connection)
    try refuseLacking(script, on: connection)  // 5
    if written != schema.hashes {  // 6
      metadata.list[StoreMetadata.formerVersionsKey] = former + [VersionChecksum.of(written)]
    }
    metadata.describe(schema, type: settings.storeType)
    metadata.isCleanupDeferred = defersCleanup && !script.aside.isEmpty
    try metadata.write(connection)
    try schema.cacheModel(on: connection)
    if !metadata.isCleanupDeferred { _ = try Self.dropAside(connection) }
  }

  private func cachedModel(_ connection: Connection) throws -> NSManagedObjectModel {
    if let model = try Schema.cachedModel(on: connection) { return model }
    throw MigrationError.make(
      NSMigrationMissingSourceModelError,
      "The store at \(url.path) has another version of the model, and which one is not to be found "
        + "in it.", reason: "Can't find model for source store", url: url)
  }

  /// The model that the store was written with, as the store has it.
  func writtenModel() throws -> NSManagedObjectModel {
    let connection = try Database.open(url.path, settings)
    defer { connection.close() }
    return try cachedModel(connection)
  }

  private func inferred(from model: NSManagedObjectModel) throws -> NSMappingModel {
    do {
      return try NSMappingModel.inferredMappingModel(
        forSourceModel: model, destinationModel: schema.model)
    } catch {
      throw MigrationError.noMapping(
        "The store at \(url.path) was not migrated. \(error.localizedDescription)",
        reason: "Can't find or automatically infer mapping model for migration", from: model,
        to: schema.model, url: url, underlying: error)
    }
  }

  private func run(_ script: MigrationScript, on connection: Connection) throws {
    _ = try Self.dropAside(connection)
    let highest = try highestKeys(connection)
    let wanted =
      schema.recordTables.filter { !$0.hasPrefix("CREATE TABLE") } + schema.fetchIndexes
      + (settings.keepsConstraints ? schema.uniqueIndexes : [])
    let aside = Set(script.aside)
    let present = try Self.texts(
      connection,
      "SELECT name, tbl_name, type, sql FROM sqlite_master WHERE type IN ('index', 'trigger') "
        + "AND sql IS NOT NULL AND tbl_name LIKE 'Z%'")
    var kept: Set<String> = []
    for index in present {
      if wanted.contains(index[3]), !aside.contains(index[1]) {
        kept.insert(index[3])
      } else {
        try connection.execute("DROP \(index[2]) \"\(index[0])\"")
      }
    }
    for table in script.aside {
      try connection.execute(
        "ALTER TABLE \(table) RENAME TO \(MigrationScript.asidePrefix)\(table)")
    }
    for sql in script.creation + script.filling { try connection.execute(sql) }
    for sql in wanted where !kept.contains(sql) { try connection.execute(sql) }
    for sql in script.primaryKeys(highest) { try connection.execute(sql) }
  }

  private func highestKeys(_ connection: Connection) throws -> [Int: Int64] {
    let rows = try Self.texts(connection, "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    return Dictionary(
      rows.map { (Int($0[0]) ?? 0, Int64($0[1]) ?? 0) }, uniquingKeysWith: { max($0, $1) })
  }

  private func refuseLacking(_ script: MigrationScript, on connection: Connection) throws {
    for (place, query) in script.mandatory
    where try !Self.texts(connection, query).isEmpty {
      let reason = "Validation error missing attribute values on mandatory destination attribute"
      throw MigrationError.make(
        NSMigrationError,
        "The store at \(url.path) was not migrated: some record has no value for what has become "
          + "mandatory (\(place.entity).\(place.property)); give it a default value.",
        reason: "Cannot migrate store in-place: \(reason)", url: url,
        underlying: CocoaError(
          CocoaError.Code(rawValue: NSMigrationError),
          userInfo: ["entity": place.entity, "attribute": place.property, "reason": reason]))
    }
  }

  private func failure(_ error: SQLiteError) -> CocoaError {
    switch (error.code, error.extendedCode) {
    case (5, _): return StoreError.operation(error, url: url)
    case (_, 2067):
      return MigrationError.make(
        NSMigrationConstraintViolationError,
        "The store at \(url.path) was not migrated: its records violate a uniqueness constraint "
          + "of the new version (\(error.message)).", url: url, underlying: error)
    default:
      return MigrationError.make(
        NSMigrationError,
        "The store at \(url.path) was not migrated: \(error.message).", url: url, underlying: error)
    }
  }

  // MARK: What was put aside

  /// Drops what migrations have put aside, or so many tables of it; true if nothing is left.
  static func dropAside(_ connection: Connection, countMax: Int = .max) throws -> Bool {
    let tables = try texts(
      connection,
      "SELECT name FROM sqlite_master WHERE type = 'table' "
        + "AND substr(name, 1, \(MigrationScript.asidePrefix.count)) = "
        + "'\(MigrationScript.asidePrefix)'")
    for table in tables.prefix(countMax) {
      try connection.execute("DROP TABLE \"\(table[0])\"")
    }
    return tables.count <= countMax
  }

  private static func texts(_ connection: Connection, _ sql: String) throws -> [[String]] {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [[String]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text($0) })
    }
    return rows
  }
}
