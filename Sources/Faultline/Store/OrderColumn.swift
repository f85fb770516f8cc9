import SQLiteConnection

/// Where the order of an ordered relationship's members lies, as Core Data lays it out.
///
/// One to many: in the column `Z_FOK_<INVERSE>` of the members' own table, beside the key of the
/// owner. Many to many, and without inverse: in the column `Z_FOK_<…>` of the join table. The
/// numbers in it leave gaps, so that most changes write few of them.
struct OrderColumn {
  /// The table that holds the column.
  let table: String
  /// The column of the members' keys.
  let member: String
  /// The column of the owners' keys.
  let owner: String
  /// The column of the positions.
  let position: String

  /// The column of an ordered slot.
  init(_ layout: EntityLayout, slot number: Int, _ schema: Schema) {
    let slot = layout.slots[number]
    if let join = JoinSchema(layout, slot: number) {
      table = join.name
      member = join.destination
      owner = join.source
      position = join.order ?? ""
    } else {
      let destination = slot.destination!
      table = schema.table(destination).name
      member = "Z_PK"
      owner = schema.column(destination, slot: slot.inverse ?? 0)
      position = Self.name(String(owner.dropFirst()))
    }
  }

  /// The column of positions that belongs to a relationship's column of keys.
  static func name(_ key: String) -> String { "Z_FOK_" + key }

  /// The column of positions that belongs to a join table's column of keys.
  static func name(beside column: String) -> String {
    name(column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)
  }
}

/// The positions that members need so that they stand in an order.
struct Positions {
  /// The distance between new positions.
  static let gap: Int64 = 1024
  private(set) var changed: [(index: Int, position: Int64)] = []

  /// Finds new positions for as few members as possible.
  ///
  /// 1. The longest run of positions that rise already is kept.
  /// 2. Members before it, after it and between two of it are spread over the room there is.
  /// 3. Where there is no room, all members are numbered afresh.
  ///
  /// - Parameter known: the positions in the wanted order, nil where there is none yet.
  init(_ known: [Int64?]) {
    let kept = Self.longestRise(known)
    var start = 0
    var previous: Int64?
    for end in kept + [known.count] {
      let next = end < known.count ? known[end] : nil
      let count = Int64(end - start)
      guard let first = Self.room(previous, next, count) else {
        renumber(known.count)
        return
      }
      for index in start..<end {
        changed.append((index, first.position + Int64(index - start) * first.step))
      }
      previous = next
      start = end + 1
    }
  }

  private mutating func renumber(_ count: Int) {
    changed = (0..<count).map { ($0, Int64($0 + 1) * Self.gap) }
  }

  /// Where to begin, and in which steps, between two positions; nil if they are too close.
  private static func room(
    _ previous: Int64?, _ next: Int64?, _ count: Int64
  ) -> (position: Int64, step: Int64)? {
    switch (previous, next) {
    case (nil, nil): return (gap, gap)
    case (let previous?, nil): return (previous + gap, gap)
    case (nil, let next?): return (next - count * gap, gap)
    case (let previous?, let next?):
      let step = (next - previous) / (count + 1)
      return step > 0 ? (previous + step, step) : count == 0 ? (previous, 0) : nil
    }
  }

  /// The indexes of a longest strictly rising run of those that are known.
  static func longestRise(_ known: [Int64?]) -> [Int] {
    // `ends[n]` ends the lowest-ending run of n + 1 found so far; `before` leads back along it.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: known.count)
    for (index, position) in known.enumerated() {
      guard let position else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if known[ends[middle]]! < position { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var run: [Int] = []
    var index = ends.last
    while let found = index {
      run.append(found)
      index = before[found]
    }
    return run.reversed()
  }
}

extension Transaction {
  /// Writes the order of the members of one owner; `fresh` are those that it did not have before.
  func write(_ members: [Int64], fresh: Set<Int64>, of owner: Int64, _ column: OrderColumn) throws {
    let select = try connection.statement(
      "SELECT \(column.member), \(column.position) FROM \(column.table) WHERE \(column.owner) = ?")
    try select.bind(schema.row(owner), at: 1)
    var known: [Int64: Int64] = [:]
    while try select.step() {
      if !select.isNull(1) { known[schema.keyBase + select.int64(0)] = select.int64(1) }
    }
    select.reset()
    let positions = Positions(members.map { fresh.contains($0) ? nil : known[$0] })
    for (index, position) in positions.changed {
      try write(position, members[index], owner, column)
    }
  }

  /// Whether a member has a position among those of an owner.
  func isPlaced(_ member: Int64, of owner: Int64, _ column: OrderColumn) throws -> Bool {
    let select = try connection.statement(
      "SELECT 1 FROM \(column.table) WHERE \(column.member) = ? AND \(column.owner) = ? "
        + "AND \(column.position) IS NOT NULL")
    try select.bind(schema.row(member), at: 1)
    try select.bind(schema.row(owner), at: 2)
    defer { select.reset() }
    return try select.step()
  }

  /// Puts members behind those that an owner has, whichever they are.
  func append(_ members: [Int64], of owner: Int64, _ column: OrderColumn) throws {
    let select = try connection.statement(
      "SELECT MAX(\(column.position)) FROM \(column.table) WHERE \(column.owner) = ?")
    try select.bind(schema.row(owner), at: 1)
    var last = try select.step() && !select.isNull(0) ? select.int64(0) : 0
    select.reset()
    for member in members {
      last += Positions.gap
      try write(last, member, owner, column)
    }
  }

  private func write(
    _ position: Int64, _ member: Int64, _ owner: Int64, _ column: OrderColumn
  ) throws {
    let update = try connection.statement(
      "UPDATE \(column.table) SET \(column.position) = ? WHERE \(column.member) = ? "
        + "AND \(column.owner) = ?")
    try update.bind(position, at: 1)
    try update.bind(schema.row(member), at: 2)
    try update.bind(schema.row(owner), at: 3)
    try update.run()
  }
}

extension Slot {
  /// Whether the owner that a to-one relationship leads to keeps its members in order.
  var isInOrderedInverse: Bool {
    guard kind == .toOne, let inverse else { return false }
    return destination.slots[inverse].isOrdered
  }
}
