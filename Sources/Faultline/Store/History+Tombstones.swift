import SQLiteConnection

/// The columns of values that outlive their records: of a deleted record the n-th has the n-th
/// attribute that its entity preserves, in order of their names.
extension History {
  /// The names of so many columns.
  static func tombstones(_ count: Int) -> [String] { (0..<count).map { "ZTOMBSTONE\($0)" } }

  /// Makes columns, as far as they are not there.
  static func makeTombstones(_ names: [String], _ connection: Connection) throws {
    let known = try columns(connection)
    for name in names where !known.contains(name) {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(name) BLOB")
    }
  }

  private static func columns(_ connection: Connection) throws -> Set<String> {
    let statement = try connection.statement("PRAGMA table_info(ACHANGE)")
    defer { statement.reset() }
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(1)) }
    return names
  }

  /// Moves what outlived the records of an entity, which had so many columns: each new column takes
  /// the values of an old one, or is emptied.
  static func moveTombstones(
    of entity: Int, from count: Int, to origins: [Int?], _ connection: Connection
  ) throws {
    if count == 0 || origins == Array(0..<count) { return }
    let names = tombstones(max(count, origins.count))
    try makeTombstones(names, connection)
    let sets = names.enumerated().map { index, name in
      let origin = index < origins.count ? origins[index] : nil
      return "\(name) = \(origin.map { names[$0] } ?? "NULL")"
    }
    try connection.execute(
      "UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY = \(entity)")
  }

  /// Follows a model that preserves other attributes than the one in the store: no version hash
  /// tells, so no migration has done it.
  func follow(_ schema: Schema, _ connection: Connection) throws {
    let moves = try Self.moves(to: schema, connection)
    if moves.isEmpty { return }
    for (number, move) in moves {
      try Self.moveTombstones(of: number, from: move.count, to: move.origins, connection)
    }
    try schema.cacheModel(on: connection)
  }

  /// For each entity that preserves other attributes than in the model in the store: how many
  /// columns it had there, and which of them each attribute had.
  private static func moves(
    to schema: Schema, _ connection: Connection
  ) throws -> [Int: (count: Int, origins: [Int?])] {
    guard try columns(connection).contains(tombstones(1)[0]),
      try StoreMetadata.read(connection, url: nil).hashes == schema.hashes,
      let cached = try Schema.cachedModel(on: connection)
    else { return [:] }
    let former = Schema(cached, cached.entities.filter { schema.hashes[$0.name ?? ""] != nil })
    var moves: [Int: (count: Int, origins: [Int?])] = [:]
    for (number, layout) in schema.layouts {
      guard let old = former.layouts[number], old.name == layout.name else { continue }
      let names = Numbering(layout, schema).preserved.map { layout.slots[$0.slot].name }
      let oldNames = Numbering(old, former).preserved.map { old.slots[$0.slot].name }
      if names == oldNames { continue }
      moves[number] = (oldNames.count, names.map { oldNames.firstIndex(of: $0) })
    }
    return moves
  }

  /// Where a file has what outlived its records.
  struct Kept {
    /// The columns of the file.
    let columns: [String]
    /// The column of each attribute that an entity preserves, where that is not the one of the
    /// same number.
    fileprivate let origins: [Int: [Int?]]

    /// The number of the column that an entity's n-th preserved attribute has; nil if it has none.
    func column(_ index: Int, of entity: Int) -> Int? {
      let column = if let origins = origins[entity] { origins[index] } else { index }
      return column.flatMap { $0 < columns.count ? $0 : nil }
    }
  }

  /// Where a file has what outlived its records. One that is only read is looked at each time: it
  /// may not have followed the model yet, and somebody else may have it do so meanwhile.
  func kept(_ connection: Connection, _ schema: Schema) throws -> Kept {
    guard isReadOnly else { return Kept(columns: tombstones, origins: [:]) }
    let known = try Self.columns(connection)
    return try Kept(
      columns: Self.tombstones(known.count).filter(known.contains),
      origins: Self.moves(to: schema, connection).mapValues(\.origins))
  }
}
