import SQLiteConnection

/// The rows that a batch request touched.
struct BatchRows {
  /// How many there are.
  var count = 0
  /// Which, in order of their keys, if the request asks for them.
  var rows: [(layout: EntityLayout, key: Int64)] = []
}

/// Batch requests as SQL: nothing of them passes through objects.
///
/// `Z_BATCH`, a temporary table of the writing connection, names the rows that a request is about:
/// those that it asks for in round 0, those that cascades add in later rounds.
extension Transaction {
  /// The rows of one entity, of one hierarchy, that are in `Z_BATCH`.
  private struct Marked {
    let layout: EntityLayout

    /// Selects their keys.
    func keys(round: Int? = nil) -> String {
      "SELECT Z_PK FROM Z_BATCH WHERE Z_ROOT = \(layout.rootNumber) AND Z_ENT = \(layout.number)"
        + (round.map { " AND Z_ROUND = \($0)" } ?? "")
    }
  }

  /// Enters the rows of a fetch into an emptied `Z_BATCH`; the answer is their number.
  private func mark(_ plan: FetchPlan) throws -> Int {
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS Z_BATCH (Z_ROOT INTEGER, Z_PK INTEGER, Z_ENT INTEGER, "
        + "Z_ROUND INTEGER, PRIMARY KEY (Z_ROOT, Z_PK)) WITHOUT ROWID")
    try connection.execute("DELETE FROM Z_BATCH")
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(
      "INSERT INTO Z_BATCH " + query.select("\(plan.layout.rootNumber), t0.Z_PK, t0.Z_ENT, 0"))
    try query.bind(to: statement)
    try statement.run()
    return connection.changeCount
  }

  /// The rows that the request asked for, in order of their keys.
  private func asked() throws -> [(layout: EntityLayout, key: Int64)] {
    let statement = try connection.statement(
      "SELECT Z_ENT, Z_PK FROM Z_BATCH WHERE Z_ROUND = 0 ORDER BY Z_PK")
    defer { statement.reset() }
    var rows: [(EntityLayout, Int64)] = []
    while try statement.step() {
      guard let layout = schema.layouts[Int(statement.int64(0))] else { continue }
      rows.append((layout, schema.keyBase + statement.int64(1)))
    }
    return rows
  }

  private func run(_ sql: String) throws {
    try connection.statement(sql).run()
  }

  // MARK: Insert

  /// What becomes of a new row that a uniqueness constraint keeps apart from one that is there.
  enum Duplicates {
    /// The request fails.
    case fail
    /// The row that is there stays as it is.
    case keep
    /// The row that is there takes the new row's attributes, one version on.
    case overwrite
  }

  /// Writes new rows of one entity; the answer is the rows written or overwritten, of which the
  /// latter may be of another entity of the hierarchy.
  func insertBatch(_ rows: [Snapshot], _ duplicates: Duplicates) throws -> BatchRows {
    guard let layout = rows.first?.layout else { return BatchRows() }
    guard !layout.constraints.isEmpty, duplicates != .fail else {
      try insert(rows[...], of: layout)
      try recorder?.insert(rows)
      return BatchRows(count: rows.count, rows: rows.map { (layout, $0.key) })
    }
    let table = schema.table(layout)
    let columns = layout.columns(in: table)
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.names(of: columns)
    let attributes = columns.filter { !layout.slots[$0.slot].isRelationship }
    let resolution =
      duplicates == .keep
      ? "NOTHING"
      : "UPDATE SET Z_OPT = Z_OPT + 1"
        + table.names(of: attributes).map { ", \($0) = excluded.\($0)" }.joined()
    let statement = try connection.statement(
      "INSERT INTO \(table.name) (\(names.joined(separator: ","))) VALUES ("
        + names.map { _ in "?" }.joined(separator: ",")
        + ") ON CONFLICT DO \(resolution) RETURNING Z_PK, Z_OPT, Z_ENT")
    var touched = BatchRows()
    for row in rows {
      try statement.bind(schema.row(row.key), at: 1)
      try statement.bind(Int64(layout.number), at: 2)
      try statement.bind(row.version, at: 3)
      var index: Int32 = 4
      for column in columns { index = try bind(row, column, statement, index) }
      while try statement.step() {
        let found = schema.layouts[Int(statement.int64(2))] ?? layout
        touched.count += 1
        touched.rows.append((found, schema.keyBase + statement.int64(0)))
        if statement.int64(1) == row.version {
          try recorder?.insert([row])
        } else {
          try recorder?.update(
            found, keys: "SELECT \(statement.int64(0)) AS Z_PK",
            found.slots(alike: attributes.map(\.slot), of: layout))
        }
      }
      statement.reset()
    }
    return touched
  }

  // MARK: Update

  /// What a batch update sets.
  struct Assignments {
    /// A row that has the constant values.
    let row: Snapshot
    /// Which of its slots are set.
    let slots: SlotSet
    /// The slots that are computed from the record itself.
    let computed: [(slot: Int, expression: NSExpression)]
  }

  /// Sets slots of all rows of a fetch, each one version on.
  ///
  /// One statement does it, unless a history needs to know the rows first.
  func updateBatch(_ plan: FetchPlan, _ new: Assignments, listing: Bool) throws -> BatchRows {
    if recorder != nil { _ = try mark(plan) }
    let table = schema.table(plan.layout)
    let columns = plan.layout.columns(in: table)
    var query = SelectBuilder(plan, schema)
    var sets = ["Z_OPT = Z_OPT + 1"]
    for (slot, expression) in new.computed {
      sets.append(
        "\(schema.column(plan.layout, slot: slot)) = \(query.computed(expression, for: slot))")
    }
    let restriction =
      recorder == nil
      ? query.restriction()
      : " WHERE Z_PK IN (SELECT Z_PK FROM Z_BATCH WHERE Z_ROOT = \(plan.layout.rootNumber))"
    let constants = columns.filter { new.slots.contains($0.slot) }
    for (number, column) in constants.enumerated() {
      sets.append("\(table.name(of: column)) = ?\(query.constantCount + 1 + number)")
    }
    let statement = try connection.statement(
      "UPDATE \(table.name) AS t0 SET \(sets.joined(separator: ", "))\(restriction)"
        + returned(listing))
    try query.bind(to: statement)
    var index = Int32(query.constantCount + 1)
    for column in constants { index = try bind(new.row, column, statement, index) }
    let rows = try runTelling(statement, listing: listing)
    if let recorder {
      var slots = new.slots
      for computed in new.computed { slots.insert(computed.slot) }
      for entity in try markedEntities() {
        try recorder.update(entity.layout, keys: entity.keys(), slots)
      }
      return BatchRows(count: rows.count, rows: listing ? try asked() : [])
    }
    return rows
  }

  // MARK: Delete

  /// Deletes all rows of a fetch, as far as delete rules can act between rows. One statement does
  /// it if there are none; otherwise:
  ///
  /// 1. cascades mark the rows they reach, round after round;
  /// 2. a rule that denies, or a mandatory inverse that would be emptied, fails the request;
  /// 3. inverses are emptied, one version on; pairs of many-to-many relationships go;
  /// 4. the marked rows go.
  func deleteBatch(_ plan: FetchPlan, listing: Bool) throws -> BatchRows {
    if recorder == nil, plan.layout.family.allSatisfy({ goesAlone($0.layout) }) {
      var query = SelectBuilder(plan, schema)
      let statement = try connection.statement(
        "DELETE FROM \(schema.table(plan.layout).name) AS t0\(query.restriction())"
          + returned(listing))
      try query.bind(to: statement)
      return try runTelling(statement, isDeletion: true, listing: listing)
    }
    let count = try mark(plan)
    var round = 0
    while try cascade(from: round) > 0 { round += 1 }  // 1
    let marked = try markedEntities()
    for entity in marked { try refuseDenied(entity) }  // 2
    for entity in marked { try unlink(entity) }  // 3
    let rows = listing ? try asked() : []
    if let recorder {
      for entity in marked { try recorder.delete(entity.layout, keys: entity.keys()) }
    }
    for root in Set(marked.map(\.layout.rootNumber)).sorted() {  // 4
      guard let table = schema.tables[root] else { continue }
      let statement = try connection.statement(
        "DELETE FROM \(table.name) WHERE Z_PK IN "
          + "(SELECT Z_PK FROM Z_BATCH WHERE Z_ROOT = \(root))\(returned(false))")
      try runTelling(statement, isDeletion: true)
    }
    return BatchRows(count: count, rows: rows)
  }

  /// Whether nothing beside its own row changes when a record of an entity is deleted.
  private func goesAlone(_ layout: EntityLayout) -> Bool {
    layout.relationshipSlots.allSatisfy { number in
      let slot = layout.slots[number]
      if slot.isTransient { return true }
      guard let destination = slot.destination, JoinSchema(layout, slot: number) == nil else {
        return false
      }
      switch slot.deleteRule {
      case .cascadeDeleteRule, .denyDeleteRule: return false
      case .noActionDeleteRule: return true
      case .nullifyDeleteRule:
        // The key of a to-many inverse lies in this row.
        return slot.kind == .toOne
          && slot.inverse.map { destination.slots[$0].kind == .toMany } ?? true
      }
    }
  }

  private func markedEntities() throws -> [Marked] {
    let statement = try connection.statement("SELECT DISTINCT Z_ENT FROM Z_BATCH ORDER BY Z_ENT")
    defer { statement.reset() }
    var found: [Marked] = []
    while try statement.step() {
      if let layout = schema.layouts[Int(statement.int64(0))] {
        found.append(Marked(layout: layout))
      }
    }
    return found
  }

  /// Step 1, one round; the answer is how many rows it added.
  private func cascade(from round: Int) throws -> Int {
    var added = 0
    for entity in try markedEntities() {
      for slot in entity.layout.relationshipSlots
      where entity.layout.slots[slot].deleteRule == .cascadeDeleteRule {
        guard let source = destinations(entity, slot, of: entity.keys(round: round)),
          let root = entity.layout.slots[slot].destination?.rootNumber
        else { continue }
        try run(
          "INSERT OR IGNORE INTO Z_BATCH SELECT \(root), d.Z_PK, d.Z_ENT, \(round + 1) \(source)")
        added += connection.changeCount
      }
    }
    return added
  }

  /// `SQLITE_CONSTRAINT_TRIGGER`, by which Core Data's own triggers refuse a batch deletion.
  private static let triggerViolation: Int32 = 1811

  /// Step 2 for the rows of one entity.
  private func refuseDenied(_ entity: Marked) throws {
    for number in entity.layout.relationshipSlots {
      let slot = entity.layout.slots[number]
      guard let destination = slot.destination,
        let source = destinations(entity, number, of: entity.keys())
      else { continue }
      var reason: String?
      if slot.deleteRule == .denyDeleteRule { reason = "the rule denies it" }
      if slot.deleteRule == .nullifyDeleteRule, let inverse = slot.inverse,
        destination.slots[inverse].kind == .toOne, !destination.slots[inverse].isOptional
      {
        reason = "the inverse \(destination.name).\(destination.slots[inverse].name) is mandatory"
      }
      guard let reason else { continue }
      let statement = try connection.statement(
        "SELECT 1 \(source) AND \(survives(destination)) LIMIT 1")
      let isViolated = try statement.step()
      statement.reset()
      if isViolated {
        throw SQLiteError(
          extendedCode: Self.triggerViolation,
          message: "Constraint trigger violation: Batch delete failed due to the relationship "
            + "\(entity.layout.name).\(slot.name): \(reason)",
          sql: nil)
      }
    }
  }

  /// Step 3 for the rows of one entity.
  private func unlink(_ entity: Marked) throws {
    for number in entity.layout.relationshipSlots {
      if let join = JoinSchema(entity.layout, slot: number) {
        for column in join.isReflexive ? [join.source, join.destination] : [join.source] {
          try run("DELETE FROM \(join.name) WHERE \(column) IN (\(entity.keys()))")
        }
        continue
      }
      let slot = entity.layout.slots[number]
      guard slot.deleteRule == .nullifyDeleteRule, let destination = slot.destination,
        let inverse = slot.inverse, destination.slots[inverse].kind == .toOne,
        schema.holds(destination)
      else { continue }
      let table = schema.table(destination)
      guard let column = destination.columns(in: table).first(where: { $0.slot == inverse }) else {
        continue
      }
      let condition =
        "d.\(table.name(of: column)) IN (\(entity.keys())) AND \(survives(destination))"
      try recorder?.empty(
        inverse, of: "SELECT d.Z_ENT, d.Z_PK FROM \(table.name) d WHERE \(condition)")
      let statement = try connection.statement(
        "UPDATE \(table.name) AS d SET Z_OPT = Z_OPT + 1, "
          + table.names(of: [column]).map { "\($0) = NULL" }.joined(separator: ", ")
          + " WHERE \(condition)\(returned(false))")
      try runTelling(statement)
    }
  }

  /// The condition that a row `d` is not itself deleted.
  private func survives(_ layout: EntityLayout) -> String {
    "d.Z_PK NOT IN (SELECT Z_PK FROM Z_BATCH WHERE Z_ROOT = \(layout.rootNumber))"
  }

  /// From which table, and under which condition, rows `d` are the destinations of some rows; nil
  /// for a relationship that is not stored.
  private func destinations(_ entity: Marked, _ number: Int, of keys: String) -> String? {
    let layout = entity.layout
    let slot = layout.slots[number]
    guard !slot.isTransient, let destination = slot.destination, schema.holds(destination) else {
      return nil
    }
    let from = "FROM \(schema.table(destination).name) d WHERE "
    if let join = JoinSchema(layout, slot: number) {
      return from + "d.Z_PK IN (SELECT j.\(join.destination) FROM \(join.name) j "
        + "WHERE j.\(join.source) IN (\(keys)))"
    }
    if slot.kind == .toOne {
      let table = schema.table(layout)
      guard let column = layout.columns(in: table).first(where: { $0.slot == number }) else {
        return nil
      }
      return from + "d.Z_PK IN (SELECT s.\(table.name(of: column)) FROM \(table.name) s "
        + "WHERE s.Z_PK IN (\(keys)))"
    }
    let table = schema.table(destination)
    guard let inverse = slot.inverse,
      let column = destination.columns(in: table).first(where: { $0.slot == inverse })
    else { return nil }
    return from + "d.\(table.name(of: column)) IN (\(keys))"
  }
}

extension EntityLayout {
  /// The slots that hold the same properties as some of another entity of the hierarchy.
  fileprivate func slots(alike others: [Int], of layout: EntityLayout) -> SlotSet {
    SlotSet(
      others.compactMap { other in
        index[layout.slots[other].name].flatMap {
          slots[$0].id == layout.slots[other].id ? $0 : nil
        }
      })
  }
}
