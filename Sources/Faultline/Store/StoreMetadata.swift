import Foundation
import SQLiteConnection

/// What a store says about itself: a UUID, and a property list that anybody may add to.
struct StoreMetadata: @unchecked Sendable {
  /// The UUID.
  var uuid: String
  /// The property list.
  var list: [String: Any]

  /// The version hashes of the entities with which the store was written.
  var hashes: [String: Data] {
    list[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
  }

  /// Whether tables that a migration put aside are still there.
  var isCleanupDeferred: Bool {
    get { list[NSPersistentStoreDeferredLightweightMigrationOptionKey] as? Bool ?? false }
    set {
      list[NSPersistentStoreDeferredLightweightMigrationOptionKey] = newValue ? true : nil
    }
  }

  /// Everything, the UUID included.
  var all: [String: Any] { list.merging([NSStoreUUIDKey: uuid]) { $1 } }

  /// Takes an application's facts in the place of those before; the engine's own stay.
  mutating func replace(_ new: [String: Any]) {
    let own = list.filter { Self.ownKeys.contains($0.key) }
    list = new.filter { $0.key != NSStoreUUIDKey }.merging(own) { $1 }
  }

  /// What makes these facts of an application the new ones, and leaves alone, wherever it is done,
  /// what is the same in both.
  func replacement(by new: [String: Any]) -> (inout StoreMetadata) -> Void {
    var goal = self
    goal.replace(new)
    let (old, new) = (list, goal.list)
    let keys = Set(old.keys).union(new.keys).filter { key in
      guard let before = old[key], let after = new[key] else { return true }
      return !NSArray(array: [before]).isEqual(to: [after])
    }
    return { metadata in
      for key in keys { metadata.list[key] = new[key] }
    }
  }

  private static let ownKeys: Set<String> = [
    NSStoreTypeKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
    NSStoreModelVersionChecksumKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
    formerVersionsKey,
  ]

  /// The key of the checksums of the versions that a store has left behind.
  static let formerVersionsKey = "FaultlineFormerVersions"

  /// Notes with which model the store is written.
  mutating func describe(_ schema: Schema, type: String) {
    list[NSStoreTypeKey] = type
    list[NSStoreModelVersionHashesKey] = schema.hashes
    list[NSStoreModelVersionIdentifiersKey] =
      schema.model.versionIdentifiers.compactMap { $0 as? String }.sorted()
    list[NSStoreModelVersionChecksumKey] = schema.model.versionChecksum
  }

  /// Stops who opens a file of one type as a store of another.
  func refuseOtherType(_ type: String, url: URL?) throws {
    let found = list[NSStoreTypeKey] as? String ?? NSSQLiteStoreType
    if found != type, [found, type].contains(NSBinaryStoreType) {
      throw StoreError.otherType(url, found: found, asked: type)
    }
  }

  /// Reads the metadata of an open database; the last property list is kept, because the same store
  /// is most often the next to be opened.
  static func read(_ connection: Connection, url: URL?) throws -> StoreMetadata {
    let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    defer { statement.reset() }
    guard try statement.step() else { throw StoreError.noMetadata(url) }
    let uuid = statement.text(0)
    let data = statement.withBlob(1) { Data($0) }
    if let list = last.withLock({ $0?.data == data ? $0?.list : nil }) {
      return StoreMetadata(uuid: uuid, list: list)
    }
    let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    let metadata = StoreMetadata(uuid: uuid, list: list as? [String: Any] ?? [:])
    last.withLock { $0 = Kept(data: data, list: metadata.list) }
    return metadata
  }

  private struct Kept: @unchecked Sendable {
    let data: Data
    let list: [String: Any]
  }

  private static let last = Lock<Kept?>(nil)

  /// Writes the metadata into an open database.
  func write(_ connection: Connection) throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    let statement = try connection.statement("INSERT OR REPLACE INTO Z_METADATA VALUES (1, ?, ?)")
    try statement.bind(uuid, at: 1)
    try data.withUnsafeBytes { try statement.bind($0, at: 2) }
    try statement.run()
  }
}

// Safe to share: property lists are values.

/// A store was written with another version of the model, or its entities have other numbers.
struct OtherModel: Error {
  /// What to tell whoever wants no migration.
  let error: CocoaError
  /// The version hashes with which it was written.
  let written: [String: Data]
  /// Whether the records are the same and only the numbers of their entities differ.
  let isSameVersion: Bool
  /// Whether the store has records of entities that the model has and its configuration lacks; a
  /// migration would lose them.
  let isOtherConfiguration: Bool
}

/// One text for the hashes of all entities of a version.
enum VersionChecksum {
  /// The checksum.
  static func of(_ hashes: [String: Data]) -> String {
    let all = hashes.map { "\($0.key):\($0.value.base64EncodedString())" }
    return StableHash.bytes(of: all.sorted().joined(separator: ";")).base64EncodedString()
  }
}

extension Schema {
  /// The entities with which a store was written that the model has, under this name or another,
  /// and the configuration lacks.
  func lacking(of written: [String: Data]) -> [String] {
    if hashes.count == layouts.count { return [] }
    let heirs = Dictionary(grouping: model.entities) { $0.renamingIdentifier ?? "" }
    return written.keys.filter { name in
      guard hashes[name] == nil, let heirs = heirs[name] else { return false }
      return !heirs.contains { hashes[$0.name ?? ""] != nil }
    }.sorted()
  }

  /// Whether a store's entities have the numbers that they have here.
  func hasNumbers(of connection: Connection) throws -> Bool {
    // A store of the whole model has them if the hashes are the same.
    if hashes.count == layouts.count { return true }
    let statement = try connection.statement(
      "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    defer { statement.reset() }
    while try statement.step() {
      guard layouts[Int(statement.int64(0))]?.name == statement.text(1) else { return false }
    }
    return true
  }
}
