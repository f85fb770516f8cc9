import Foundation

/// Outcomes in rows, for one side or several: how often each came and by which smallest order.
struct ExploreTable {
  /// What stands where.
  struct Layout {
    /// Whether each side has a table of its own.
    var isForEachSide = false
    /// Whether switches and id stand in the row, or under it.
    var showsOrderInRow = true
    /// Whether the meaning stands in the row, or under it.
    var showsMeaningInRow = true
    /// Whether nothing narrower is left.
    var isLast = false
  }

  /// From the widest to the narrowest.
  static func layouts(sides: Int) -> [Layout] {
    let together = [Layout(), Layout(showsMeaningInRow: false)]
    return (sides > 1 ? together : []) + [
      Layout(isForEachSide: true), Layout(isForEachSide: true, showsMeaningInRow: false),
      Layout(isForEachSide: true, showsOrderInRow: false, showsMeaningInRow: false, isLast: true),
    ]
  }

  /// What stands over the counts of a side and before its verdict.
  static func label(_ side: Exploration.SideFound) -> String {
    switch side.kind {
    case .wrong: side.name == "wrong" ? "WRONG" : "WRONG \(side.name)"
    case .right: side.name == "right" ? "RIGHT" : "RIGHT \(side.name)"
    case .column: side.name
    }
  }

  private struct Row {
    var name: String
    var grade: Grade?
    var meaning: String
    /// For each side how many of its orders had it.
    var counts: [Int]
    var smallest: (id: ScheduleID, switches: Int)?
  }

  private struct Column {
    var heading: String
    var isNumber = false
    var cells: [String]

    var width: Int { max(heading.count, cells.map(\.count).max() ?? 0) }

    func text(_ cell: String) -> String {
      let fill = String(repeating: " ", count: max(0, width - cell.count))
      return isNumber ? fill + cell : cell + fill
    }
  }

  /// Room without which a meaning is better put on a line of its own.
  private static let meaningWidthMin = 24

  private let sides: [Exploration.SideFound]
  private let layout: Layout
  private let rows: [Row]
  private let columns: [Column]
  /// Declared outcomes that no side here has; they are named when every side has its own table.
  private let neverSeen: [String]

  init(_ exploration: Exploration, _ sides: [Exploration.SideFound], _ layout: Layout) {
    let all = Self.rows(exploration, sides)
    self.sides = sides
    self.layout = layout
    rows = layout.isForEachSide ? all.filter { $0.counts[0] > 0 } : all
    neverSeen = layout.isForEachSide ? all.filter { $0.counts[0] == 0 }.map(\.name) : []
    columns = Self.columns(rows, sides, layout)
  }

  private static func rows(
    _ exploration: Exploration, _ sides: [Exploration.SideFound]
  ) -> [Row] {
    InOrder.merged(sides.map { $0.outcomes.map(\.name) }).map { name in
      let found = sides.map { side in side.outcomes.first { $0.name == name } }
      var row = Row(
        name: name, grade: found.compactMap { $0?.grade }.first,
        meaning: found.compactMap { $0?.meaning }.first ?? "", counts: found.map { $0?.orders ?? 0 }
      )
      let smallest = zip(sides, found).compactMap { side, outcome in
        outcome?.smallest.map { (side, $0) }
      }.min { ($0.1.switches, $0.1.steps) < ($1.1.switches, $1.1.steps) }
      row.smallest = smallest.map { (exploration.id(of: $1, $0), $1.switches) }
      return row
    }
  }

  private static func columns(
    _ rows: [Row], _ sides: [Exploration.SideFound], _ layout: Layout
  ) -> [Column] {
    var columns = [
      Column(heading: "OUTCOME", cells: rows.map(\.name)),
      Column(heading: "GRADE", cells: rows.map { $0.grade?.rawValue ?? "undeclared" }),
    ]
    for (index, side) in sides.enumerated() {
      columns.append(
        Column(
          heading: layout.isForEachSide ? "ORDERS" : label(side), isNumber: true,
          cells: rows.map { Figures.grouped($0.counts[index]) }))
      columns.append(
        Column(
          heading: "%", isNumber: true,
          cells: rows.map { share($0.counts[index], of: side.orders) }))
    }
    if layout.showsOrderInRow {
      columns.append(
        Column(
          heading: "SWITCHES", isNumber: true,
          cells: rows.map { $0.smallest.map { Figures.grouped($0.switches) } ?? "–" }))
      columns.append(
        Column(heading: "REPLAY", cells: rows.map { $0.smallest?.id.description ?? "–" }))
    }
    return columns
  }

  private static func share(_ count: Int, of total: Int) -> String {
    count == 0 ? "–" : String(format: "%.1f", Double(count) * 100 / Double(max(1, total)))
  }

  /// How wide a row is, with the least room for its meaning.
  var width: Int {
    rowWidth + (layout.showsMeaningInRow ? 2 + Self.meaningWidthMin : 0)
  }

  private var rowWidth: Int { columns.map(\.width).reduce(0, +) + 2 * (columns.count - 1) }

  /// The table, with what it is about over it if that is one side.
  func lines(width: Int) -> [String] {
    var heading = columns.map { $0.text($0.heading) }.joined(separator: "  ")
    if layout.showsMeaningInRow { heading += "  WHAT IT MEANS" }
    var lines = layout.isForEachSide ? sides.map(Self.label) : []
    lines.append(heading)
    for (index, row) in rows.enumerated() {
      lines += self.lines(of: row, at: index, width: width)
    }
    if !neverSeen.isEmpty {
      lines += Wrapping.hanging(
        "never seen  ", neverSeen.joined(separator: ", "), width: width)
    }
    return lines
  }

  private func lines(of row: Row, at index: Int, width: Int) -> [String] {
    let cells = columns.map { $0.text($0.cells[index]) }.joined(separator: "  ")
    let meaning = row.smallest == nil ? "never seen: \(row.meaning)" : row.meaning
    if layout.showsMeaningInRow { return Wrapping.hanging(cells + "  ", meaning, width: width) }
    var under = meaning
    if !layout.showsOrderInRow, let (id, switches) = row.smallest {
      under = "\(Exploration.counted(switches, "switch", "switches")), \(id): \(meaning)"
    }
    return [cells] + Wrapping.hanging("    ", under, width: width)
  }
}

/// An exploration as tab-separated values: one line for each outcome of each side.
public struct PlainExploration {
  private let exploration: Exploration

  /// Prepares the lines of an exploration.
  public init(_ exploration: Exploration) { self.exploration = exploration }

  /// All lines with their heading, ending with a line break.
  public var text: String {
    var lines = [
      [
        "side", "verdict", "orders", "skipped", "outcome", "grade", "count", "switches", "steps",
        "replay", "meaning",
      ]
    ]
    for side in exploration.sides {
      let words = Verdict(side, in: exploration).words
      for outcome in side.outcomes {
        lines.append([
          side.name, words, String(side.orders), String(side.ordersSkipped), outcome.name,
          outcome.grade?.rawValue ?? "undeclared", String(outcome.orders),
          outcome.smallest.map { String($0.switches) } ?? "",
          outcome.smallest.map { String($0.steps) } ?? "",
          outcome.smallest.map { exploration.id(of: $0, side).description } ?? "",
          outcome.meaning,
        ])
      }
    }
    return lines.map { $0.map(PlainTable.clean).joined(separator: "\t") }.joined(separator: "\n")
      + "\n"
  }
}
