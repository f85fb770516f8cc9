/// One row or one column of a matrix: a set-up, or a policy.
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

/// What exploring found for one set-up under one policy.
struct MatrixCell {
  /// The verdict on it.
  let verdict: Verdict
  /// The smallest order in which the anomaly happens, if it can.
  let id: ScheduleID?
  /// How often somebody is interrupted in it.
  let switches: Int?
  /// What it is called, if it can happen.
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

  /// The cell as it is printed: the id, or a sign for what is proved.
  var mark: String {
    switch verdict {
    case .refuted: id?.description ?? "✗"
    case .proved: "–"
    case .provedWhole: "✓"
    case .sampled, .incomplete: "?"
    }
  }
}

/// The page of a matrix: a table for each anomaly, set-ups by policies.
///
/// Columns stand beside one another as long as the ids fit into the width; else each row is a short
/// list.
public struct MatrixPage {
  private let explorations: [Exploration]
  private let rows: [MatrixLine]
  private let columns: [MatrixLine]
  private let style: PageStyle

  /// Prepares the page of some explorations, each of which has a side for each row and column.
  public init(
    _ explorations: [Exploration], rows: [MatrixLine], columns: [MatrixLine],
    _ style: PageStyle = PageStyle()
  ) {
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
    Wrapping.justified("What can happen in which set-up", orders, width: width)
      + Wrapping.hanging(
        "    ",
        "controlled, one at a time · each cell explored until it happened, or to the end ·"
          + " rows name two contexts, the first one first",
        width: width)
  }

  private var orders: String {
    guard let bound = explorations.first?.bound else { return "every order" }
    return "every order of at most \(Exploration.counted(bound, "switch", "switches"))"
  }

  // MARK: Tables

  private func table(_ exploration: Exploration) -> [String] {
    let scenario = exploration.scenario
    let cells = rows.map { row in columns.map { MatrixCell(exploration, row, $0) } }
    // Where an anomaly has several faces, each cell says which it is.
    let outcomes = InOrder.merged([scenario.outcomes.map(\.name)]).filter { name in
      cells.contains { $0.contains { $0?.outcome == name } }
    }
    let texts = cells.map { $0.map { Self.lines(of: $0, isNamed: outcomes.count > 1) } }
    let longest = texts.joined().joined().map(\.count) + columns.map(\.heading.count)
    let cellWidth = (longest.max() ?? 0) + 1
    let labelWidth = width - cellWidth * columns.count
    var lines = [rule]
    lines += Wrapping.hanging(
      "\(scenario.number)  \(scenario.title)  ", scenario.claim, width: width)
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

  private static func lines(of cell: MatrixCell?, isNamed: Bool) -> [String] {
    guard let cell else { return [""] }
    return [cell.mark] + (isNamed ? [cell.outcome].compactMap { $0 } : [])
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
    return outcomes.flatMap { name in
      Wrapping.hanging(
        "\(name)  ", seen.first { $0.name == name && !$0.meaning.isEmpty }?.meaning ?? "",
        width: width)
    }
  }

  // MARK: Under them

  private func foot() -> [String] {
    let nanoseconds = explorations.reduce(0) { $0 + $1.nanoseconds }
    let sides = explorations.flatMap(\.sides)
    let orders = sides.reduce(0) { $0 + $1.orders }
    let time = Figures.text(
      Summary(name: "", unit: .nanoseconds, median: .number(nanoseconds)), repeats: 1)
    let cells = explorations.flatMap(cells)
    var lines = legend(cells)
    lines += Wrapping.hanging("Note  ", ExplorePage.notExplored, width: width)
    lines.append(
      "Time  \(time) · \(sides.count) cells, \(Figures.grouped(orders)) orders,"
        + " measured on this machine")
    if let id = cells.compactMap(\.id).first {
      lines.append("Next  faultline replay \(id) --explain")
    }
    return lines
  }

  /// The signs that are on the page.
  private func legend(_ cells: [MatrixCell]) -> [String] {
    var signs: [(String, String)] = []
    if let id = cells.compactMap(\.id).first {
      signs.append(("\(id)", "refuted: it can happen, and does in this order"))
    }
    for cell in cells where cell.outcome == nil && !signs.contains(where: { $0.0 == cell.mark }) {
      let meaning =
        switch cell.verdict {
        case .provedWhole: "no order of these steps does"
        case .proved: "no order of so few does"
        default: "not seen, and not all orders were run"
        }
      signs.append((cell.mark, "\(cell.verdict.words): \(meaning)"))
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
