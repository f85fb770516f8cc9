/// One row or one column of a matrix: a stack, or a policy.
public struct MatrixLine: Sendable, Equatable {
  /// What stands in the names of sides: the cell of a row and a column is the side `row.column`.
  public let name: String
  /// What stands beside it or over it.
  public let heading: String

  /// Names a line.
  public init(_ name: String, _ heading: String) {
    self.name = name
    self.heading = heading
  }

  /// What a table is called by: the slug of its scenario, without what keeps it apart from others.
  public static func anomaly(_ slug: String) -> String {
    slug.hasPrefix("matrix-") ? String(slug.dropFirst("matrix-".count)) : slug
  }
}

/// The result of exploring one stack under one policy.
struct MatrixCell {
  /// The verdict on it.
  let verdict: Verdict
  /// The smallest schedule in which the anomaly happens, if it can.
  let id: ScheduleID?
  /// How often a thread or task is interrupted in it.
  let switches: Int?
  /// The name of the anomaly's outcome, if it can happen.
  let outcome: String?
  /// The side it comes from.
  let side: Exploration.SideFound

  init?(_ exploration: Exploration, _ row: MatrixLine, _ column: MatrixLine) {
    let name = "\(row.name).\(column.name)"
    guard let side = exploration.sides.first(where: { $0.name == name }) else { return nil }
    self.side = side
    verdict = Verdict(side, in: exploration)
    if case .refuted(let outcome, _, let found) = verdict {
      self.outcome = outcome
      id = found.map { exploration.id(of: $0, side) }
      switches = found?.switches
    } else {
      (outcome, id, switches) = (nil, nil, nil)
    }
  }

  /// The sign before the words.
  var sign: String {
    switch verdict {
    case .refuted: "✗"
    case .proved: "–"
    case .provedWhole: "✓"
    case .sampled, .incomplete: "?"
    }
  }

  /// The cell as it is printed: a sign with its words.
  var words: String {
    switch verdict {
    case .refuted: "✗ can happen"
    case .proved: "– not seen"
    case .provedWhole: "✓ cannot"
    case .sampled, .incomplete: "? not seen"
    }
  }
}

/// The page of a matrix: a table for each anomaly, stacks by policies.
///
/// A cell says whether the anomaly can happen; on request it names a schedule in which it does.
/// Columns stand beside one another as long as the cells fit into the width; else each row is a
/// short list.
public struct MatrixPage {
  private let explorations: [Exploration]
  private let rows: [MatrixLine]
  private let columns: [MatrixLine]
  private let showsIDs: Bool
  private let style: PageStyle

  /// Prepares the page of some explorations, each of which has a side for each row and column.
  public init(
    _ explorations: [Exploration], rows: [MatrixLine], columns: [MatrixLine],
    showsIDs: Bool = false, _ style: PageStyle = PageStyle()
  ) {
    self.showsIDs = showsIDs
    self.explorations = explorations
    self.rows = rows
    self.columns = columns
    self.style = style
  }

  /// The whole page, ending with a line break.
  public var text: String {
    var lines = head()
    for exploration in explorations { lines += [""] + table(exploration) }
    lines += [rule] + foot()
    // Longer in ASCII, so before the lines are measured.
    if style.ascii { lines = lines.map { $0.replacingOccurrences(of: "≤", with: "<=") } }
    lines = lines.flatMap { line in
      let line = line.trimmingTrailingSpaces
      return line.count <= width ? [line] : Wrapping.lines(line, width: width)
    }
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    var text = lines.joined(separator: "\n") + "\n"
    if style.colour {
      text = PageStyle.painted(text)
      for id in explorations.flatMap(cells).compactMap(\.id) {
        text = text.replacingOccurrences(of: "\(id)", with: "\u{1B}[31m\(id)\u{1B}[0m")
      }
    }
    return text
  }

  private func cells(_ exploration: Exploration) -> [MatrixCell] {
    rows.flatMap { row in columns.compactMap { MatrixCell(exploration, row, $0) } }
  }

  private var width: Int { style.width }
  private var rule: String { String(repeating: "─", count: width) }

  private func head() -> [String] {
    Wrapping.justified("Which anomaly can happen in which set-up", schedules, width: width)
      + Wrapping.hanging(
        "    ",
        "controlled, one thread or task at a time · each cell explored until the anomaly happened,"
          + " or to the last schedule · each row names the first context, then the second",
        width: width)
  }

  private var schedules: String {
    guard let bound = explorations.first?.bound else { return "every schedule" }
    return "every schedule with at most \(Exploration.counted(bound, "switch", "switches"))"
  }

  // MARK: Tables

  private func table(_ exploration: Exploration) -> [String] {
    let scenario = exploration.scenario
    let cells = rows.map { row in columns.map { MatrixCell(exploration, row, $0) } }
    // Where an anomaly has several outcomes, each cell names its own.
    let outcomes = InOrder.merged([scenario.outcomes.map(\.name)]).filter { name in
      cells.contains { $0.contains { $0?.outcome == name } }
    }
    let texts = cells.map { $0.map { self.lines(of: $0, isNamed: outcomes.count > 1) } }
    let longest = texts.joined().joined().map(\.count) + columns.map(\.heading.count)
    let cellWidth = (longest.max() ?? 0) + 1
    let labelWidth = width - cellWidth * columns.count
    var lines = [rule]
    lines += Wrapping.hanging(
      "\(scenario.heading)  ", scenario.claim, width: width)
    lines += Wrapping.hanging("Given  ", scenario.given, width: width)
    if labelWidth >= Self.labelWidthMin {
      lines.append(
        Wrapping.padded("", labelWidth)
          + columns.map { Wrapping.padded($0.heading, cellWidth) }.joined())
      for (row, cells) in zip(rows, texts) {
        lines += Self.beside(
          Wrapping.lines(row.heading, width: labelWidth - 1), labelWidth, cells, cellWidth)
      }
    } else {
      let headingWidth = (columns.map(\.heading.count).max() ?? 0) + 4
      for (row, cells) in zip(rows, texts) {
        lines += Wrapping.lines(row.heading, width: width)
        for (column, cell) in zip(columns, cells) {
          lines.append(
            Wrapping.padded("  \(column.heading)", headingWidth) + cell.joined(separator: "  "))
        }
      }
    }
    lines += Wrapping.hanging("Why  ", scenario.why, width: width)
    return lines + meanings(exploration, outcomes)
  }

  private static let labelWidthMin = 14

  private func lines(of cell: MatrixCell?, isNamed: Bool) -> [String] {
    guard let cell else { return [""] }
    guard let outcome = cell.outcome else { return [cell.words] }
    let words = isNamed ? "\(cell.sign) \(outcome)" : cell.words
    guard showsIDs, let id = cell.id else { return [words] }
    return ["\(id)"] + (isNamed ? [outcome] : [])
  }

  private static func beside(
    _ label: [String], _ labelWidth: Int, _ cells: [[String]], _ cellWidth: Int
  ) -> [String] {
    let height = max(label.count, cells.map(\.count).max() ?? 0)
    return (0..<height).map { line in
      Wrapping.padded(label.indices.contains(line) ? label[line] : "", labelWidth)
        + cells.map { cell in
          Wrapping.padded(cell.indices.contains(line) ? cell[line] : "", cellWidth)
        }.joined()
    }
  }

  private func meanings(_ exploration: Exploration, _ outcomes: [String]) -> [String] {
    let seen = exploration.sides.flatMap(\.outcomes).filter { outcomes.contains($0.name) }
    let longest = outcomes.map(\.count).max() ?? 0
    return outcomes.flatMap { name in
      let meaning = seen.first { $0.name == name && !$0.meaning.isEmpty }?.meaning ?? ""
      return Wrapping.hanging(
        "\(Wrapping.padded(name, longest))  ", meaning, width: width)
    }
  }

  // MARK: Under them

  private func foot() -> [String] {
    let nanoseconds = explorations.reduce(0) { $0 + $1.nanoseconds }
    let sides = explorations.flatMap(\.sides)
    let schedules = sides.reduce(0) { $0 + $1.orders }
    let time = Figures.text(
      Summary(name: "", unit: .nanoseconds, median: .number(nanoseconds)), repeats: 1)
    let cells = explorations.flatMap(cells)
    var lines = legend(cells)
    lines += Wrapping.hanging("Note  ", ExplorePage.notExplored, width: width)
    lines.append(
      "\(ExplorePage.timeLabel)\(time) · \(sides.count) cells, \(Figures.grouped(schedules))"
        + " schedules, measured on this machine")
    if let id = cells.compactMap(\.id).first {
      lines.append("Next  faultline replay \(id) --explain")
      if !showsIDs {
        lines += Wrapping.hanging(
          "      ", "faultline matrix --ids   a schedule for each anomaly that happens",
          width: width)
      }
    }
    return lines
  }

  /// The signs that are on the page.
  private func legend(_ cells: [MatrixCell]) -> [String] {
    var signs: [(String, String)] = []
    if let cell = cells.first(where: { $0.id != nil }), let id = cell.id {
      signs.append(
        showsIDs
          ? ("\(id)", "refuted: the anomaly happens in this schedule")
          : (cell.sign, "refuted: the anomaly happens in some schedule"))
    }
    for cell in cells where cell.outcome == nil && !signs.contains(where: { $0.0 == cell.sign }) {
      let meaning =
        switch cell.verdict {
        case .provedWhole: "the anomaly happens in no schedule"
        case .proved: "schedules with more switches were not run"
        default: "not all schedules were run"
        }
      signs.append((cell.sign, "\(cell.verdict.words): \(meaning)"))
    }
    let indent = (signs.map(\.0.count).max() ?? 0) + 2
    return signs.flatMap { sign, meaning in
      Wrapping.hanging(Wrapping.padded(sign, indent), meaning, width: width)
    }
  }
}

/// A matrix as tab-separated values: a line for each cell.
public struct PlainMatrix {
  private let explorations: [Exploration]
  private let rows: [MatrixLine]
  private let columns: [MatrixLine]

  /// Prepares the table of a matrix.
  public init(_ explorations: [Exploration], rows: [MatrixLine], columns: [MatrixLine]) {
    self.explorations = explorations
    self.rows = rows
    self.columns = columns
  }

  /// The whole table with its heading, ending with a line break.
  public var text: String {
    var lines = [["anomaly", "stack", "policy", "verdict", "outcome", "id", "switches", "orders"]]
    for exploration in explorations {
      for row in rows {
        for column in columns {
          guard let cell = MatrixCell(exploration, row, column) else { continue }
          lines.append([
            MatrixLine.anomaly(exploration.scenario.slug), row.name, column.name,
            cell.verdict.words,
            cell.outcome ?? "", cell.id?.description ?? "", cell.switches.map(String.init) ?? "",
            String(cell.side.orders),
          ])
        }
      }
    }
    return lines.map { $0.joined(separator: "\t") }.joined(separator: "\n") + "\n"
  }

  /// A line for each anomaly: in how many cells it can happen.
  public var summary: String {
    explorations.map { exploration in
      let cells = rows.flatMap { row in columns.compactMap { MatrixCell(exploration, row, $0) } }
      let bad = cells.count { $0.outcome != nil }
      return "\(MatrixLine.anomaly(exploration.scenario.slug)): \(bad) of \(cells.count) refuted\n"
    }.joined()
  }
}
