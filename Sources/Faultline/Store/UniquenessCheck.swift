import SQLiteConnection

extension Schema {
  /// The statements that make one unique index for each uniqueness constraint.
  ///
  /// A constraint that a sub-entity declares leaves the other rows of the table alone.
  var uniqueIndexes: [String] {
    layouts.values.filter(holds).sorted { $0.number < $1.number }.flatMap { layout in
      layout.constraints.filter { $0.entity === layout }.map { constraint in
        let name = (["Z_\(layout.name)_UNIQUE"] + constraint.names).joined(separator: "_")
          .replacing(".", with: "_")
        let columns = columns(of: constraint).map(table(layout).name).joined(separator: ", ")
        return "CREATE UNIQUE INDEX \(name) ON \(table(layout).name) (\(columns))"
          + scope(of: constraint).map { " WHERE \($0)" }.joined()
      }
    }
  }

  /// The columns of a constraint; a destination's entity need not be compared, its key will do.
  func columns(of constraint: UniquenessConstraint) -> [EntityLayout.Column] {
    let columns = table(constraint.entity).columnOfSlot[constraint.entity.number] ?? []
    return constraint.slots.map {
      EntityLayout.Column(slot: $0, number: columns[$0], entityNumber: nil)
    }
  }

  /// The condition that leaves only rows of the entities that share a constraint, if one is needed.
  func scope(of constraint: UniquenessConstraint) -> [String] {
    if constraint.entity.root === constraint.entity { return [] }
    let numbers = constraint.entity.family.map { "\($0.layout.number)" }
    return ["Z_ENT IN (\(numbers.joined(separator: ", ")))"]
  }
}

extension Transaction {
  /// The row that has the values of another one under a constraint; nil if there is none.
  func holder(
    of other: Snapshot, under constraint: UniquenessConstraint
  ) throws -> Snapshot? {
    let (columns, table) = (schema.columns(of: constraint), schema.table(constraint.entity))
    let terms = columns.map { "\(table.name(of: $0)) = ?" } + schema.scope(of: constraint)
    let statement = try connection.statement(
      "SELECT Z_PK, Z_ENT FROM \(table.name) "
        + "WHERE \(terms.joined(separator: " AND "))")
    var index: Int32 = 1
    for column in columns {
      index = try bind(other, column, statement, index)
    }
    defer { statement.reset() }
    guard try statement.step(), let layout = schema.layouts[Int(statement.int64(1))] else {
      return nil
    }
    return try row(layout, key: schema.keyBase + statement.int64(0))
  }

  /// Empties one column of a row, which the rest of the transaction deletes or fills again.
  func vacate(_ row: Snapshot, slot: Int, of constraint: UniquenessConstraint) throws {
    guard let column = schema.columns(of: constraint).first(where: { $0.slot == slot }) else {
      return
    }
    let table = schema.table(row.layout)
    let statement = try connection.statement(
      "UPDATE \(table.name) SET \(table.name(of: column)) = NULL WHERE Z_PK = ?")
    try statement.bind(schema.row(row.key), at: 1)
    try statement.run()
  }
}
