import Foundation

/// Outcomes in rows: how often each came, on which side, and the smallest schedule that has it.
struct ExploreTable {
  /// What stands where.
  struct Layout {
    /// Whether each side has rows of its own.
    var isForEachSide = false
    /// Whether switches and id stand in the row, or under it.
    var showsScheduleInRow = true
    /// Whether the meaning stands in the row, or under it.
    var showsMeaningInRow = true
    /// Whether there is no narrower one.
    var isLast = false
  }

  /// From the widest to the narrowest.
  static func layouts(sides: Int) -> [Layout] {
    let together = [Layout(), Layout(showsMeaningInRow: false)]
    return (sides > 1 ? together : []) + [
      Layout(isForEachSide: true), Layout(isForEachSide: true, showsMeaningInRow: false),
      Layout(
        isForEachSide: true, showsScheduleInRow: false, showsMeaningInRow: false, isLast: true),
    ]
  }

  /// The heading over the counts of a side and before its verdict.
  static func label(_ side: Exploration.SideFound) -> String {
    switch side.kind {
    case .wrong: side.name == "wrong" ? "WRONG" : "WRONG \(side.name)"
    case .right: side.name == "right" ? "RIGHT" : "RIGHT \(side.name)"
    case .column: side.name
    case .yours: "YOURS"
    }
  }

  private struct Row {
    /// The side, where each has rows of its own.
    var side: String?
    var name: String
    var grade: Grade?
    var meaning: String
    /// For each side how many of its schedules had it, and how many there were.
    var counts: [(count: Int, total: Int)]
    var smallest: (id: ScheduleID, switches: Int)?

    var isSeen: Bool { counts.contains { $0.count > 0 } }
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

  private let layout: Layout
  private let rows: [Row]
  private let columns: [Column]
  /// Declared outcomes that no side has.
  private let neverSeen: [String]

  init(_ exploration: Exploration, _ layout: Layout) {
    let sides = exploration.sides
    let all = Self.rows(exploration, sides)
    self.layout = layout
    neverSeen = all.filter { !$0.isSeen }.map(\.name)
    if layout.isForEachSide {
      rows = sides.flatMap { side in
        Self.rows(exploration, [side]).filter { $0.isSeen }.enumerated().map { index, row in
          var row = row
          row.side = index == 0 ? Self.label(side) : ""
          return row
        }
      }
      columns = Self.columns(rows, ["SCHEDULES"], layout, isNamed: sides.count > 1)
    } else {
      rows = all.filter(\.isSeen)
      columns = Self.columns(rows, sides.map(Self.label), layout, isNamed: false)
    }
  }

  private static func rows(
    _ exploration: Exploration, _ sides: [Exploration.SideFound]
  ) -> [Row] {
    InOrder.merged(sides.map { $0.outcomes.map(\.name) }).map { name in
      let found = sides.map { side in side.outcomes.first { $0.name == name } }
      var row = Row(
        name: name, grade: found.compactMap { $0?.grade }.first,
        meaning: found.compactMap { $0?.meaning }.first ?? "",
        counts: zip(found, sides).map { ($0?.orders ?? 0, $1.orders) })
      let smallest = zip(sides, found).compactMap { side, outcome in
        outcome?.smallest.map { (side, $0) }
      }.min { ($0.1.switches, $0.1.steps) < ($1.1.switches, $1.1.steps) }
      row.smallest = smallest.map { (exploration.id(of: $1, $0), $1.switches) }
      return row
    }
  }

  private static func columns(
    _ rows: [Row], _ headings: [String], _ layout: Layout, isNamed: Bool
  ) -> [Column] {
    var columns = isNamed ? [Column(heading: "SIDE", cells: rows.map { $0.side ?? "" })] : []
    columns += [
      Column(heading: "OUTCOME", cells: rows.map(\.name)),
      Column(heading: "GRADE", cells: rows.map { $0.grade?.rawValue ?? "undeclared" }),
    ]
    for (index, heading) in headings.enumerated() {
      columns.append(
        Column(
          heading: heading, isNumber: true,
          cells: rows.map { Figures.grouped($0.counts[index].count) }))
      columns.append(
        Column(
          heading: "%", isNumber: true,
          cells: rows.map { share($0.counts[index].count, of: $0.counts[index].total) }))
    }
    if layout.showsScheduleInRow {
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

  /// The table with its headings.
  func lines(width: Int) -> [String] {
    var heading = columns.map { $0.text($0.heading) }.joined(separator: "  ")
    if layout.showsMeaningInRow { heading += "  WHAT IT MEANS" }
    var lines = [heading]
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
    if layout.showsMeaningInRow {
      return Wrapping.hanging(cells + "  ", row.meaning, width: width)
    }
    var under = row.meaning
    if !layout.showsScheduleInRow, let (id, switches) = row.smallest {
      under = "\(Exploration.counted(switches, "switch", "switches")), \(id): \(row.meaning)"
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
