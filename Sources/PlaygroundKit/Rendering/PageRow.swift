import Foundation

/// One row of the page before it is laid out: a label, and a cell for each side.
struct PageRow {
  /// The content of one column.
  enum Cell {
    case empty
    /// Text, with a sign or a difference at the right edge.
    case text(String, mark: String)
    case spark(Series)
    /// A point of a curve over the columns: the decades between it and the lowest point.
    case point(Double)

    /// The sign or the difference at the right edge, if there is one.
    var mark: String? {
      if case .text(_, let mark) = self, !mark.isEmpty { mark } else { nil }
    }

    /// The text without its sign; nil for what is drawn.
    var words: String? {
      switch self {
      case .empty: ""
      case .text(let text, _): text
      case .spark, .point: nil
      }
    }
  }

  /// The text on the left.
  var label: String
  /// One cell for each side.
  var cells: [Cell]
  /// Whether the sides cannot be told apart by it.
  var isEqual = false
  /// The highest value of what is drawn in any column, and the longest time.
  var top = 0.0
  var duration = 0.0

  /// Whether it is the heading of a section.
  var isHeading: Bool { cells.allSatisfy { $0.words == "" } }

  /// The same row where it stands without the curve that it belongs to.
  var withoutIndent: PageRow {
    var row = self
    row.label = row.label.trimmingCharacters(in: .whitespaces)
    return row
  }
}

/// Chooses the rows of a page from a record.
///
/// 1. outcome, and how the process ended where a side did not finish
/// 2. the main loop, if the scenario asks for it
/// 3. what the scenario observed itself, section by section
/// 4. the engine's counts and memory, if the scenario asks for them
/// 5. counts as curves over the columns, if the scenario asks for them
/// 6. total
///
/// Of 2 to 6, the rows that differ come first and the equal ones after them. A section of the
/// scenario stays whole.
struct PageRows {
  let record: RunRecord

  private static let ours: Set<String> = [Metric.mainLoop, Metric.engine, Metric.memory]
  private static let oursAlone: Set<String> = [Metric.total]
  /// Counts that are worth a line only when they are not zero everywhere.
  static let rare: Set<String> = [
    Metric.faultsFired, Metric.rowsFetched, Metric.conflicts, Metric.violations,
  ]

  /// Rows that belong together, under a heading or a curve if they have one.
  private struct Block {
    var lead: [PageRow] = []
    var rows: [PageRow]
    var staysWhole = false
  }

  /// The outcome of each side; under it the ending, if a side did not finish.
  func first() -> [PageRow] { [outcomes()] + endings() }

  /// The rows that differ between sides; all rows of a page with one side.
  func differing() -> [PageRow] {
    blocks().flatMap { block in
      let rows = split(block).differing
      // A curve leads its rows where any of them differs.
      return rows.isEmpty ? [] : block.lead + rows
    }
  }

  /// The rows that are the same on every side.
  func equal() -> [PageRow] {
    blocks().flatMap { block in
      let (differing, equal) = split(block)
      if equal.isEmpty { return differing.isEmpty ? block.lead : [] }
      return differing.isEmpty ? block.lead + equal : equal.map(\.withoutIndent)
    }
  }

  private func split(_ block: Block) -> (differing: [PageRow], equal: [PageRow]) {
    let isAlone = record.sides.count == 1
    if block.staysWhole || isAlone {
      let isEqual = !isAlone && block.rows.allSatisfy(\.isEqual)
      return isEqual ? ([], block.rows) : (block.rows, [])
    }
    return (block.rows.filter { !$0.isEqual }, block.rows.filter(\.isEqual))
  }

  private func blocks() -> [Block] {
    var blocks: [Block] = []
    if shows(.mainLoop) {
      blocks.append(
        Block(
          lead: curve(Metric.mainLoop), rows: figures(in: Metric.mainLoop), staysWhole: true))
    }
    blocks += own()
    if shows(.engine) {
      let counts = figures(in: Metric.engine) { name in
        name != Metric.statements && name != Metric.commits
          && (!Self.rare.contains(name) || isAnywhereAboveZero(name, in: Metric.engine))
      }
      blocks.append(Block(lead: curve(Metric.work), rows: statementsAndCommits() + counts))
    }
    if shows(.memory) {
      for (name, peak) in [
        (Metric.liveObjects, Metric.peakLiveObjects), (Metric.memory, Metric.peakMemory),
      ] {
        blocks.append(
          Block(lead: curve(name), rows: figures(in: Metric.memory) { $0 == peak }))
      }
    }
    if shows(.curve) { blocks.append(overTheColumns()) }
    return blocks + [Block(rows: figures(in: nil) { Self.oursAlone.contains($0) })]
  }

  private func shows(_ panel: Panel) -> Bool { record.scenario.panels.contains(panel) }

  private func own() -> [Block] {
    var curves: [String] = []
    for series in record.sides.compactMap(\.typicalTrial).flatMap(\.series)
    where series.kind == .curve && series.name != Metric.liveObjects
      && series.name != Metric.memory && !curves.contains(series.name)
    {
      curves.append(series.name)
    }
    var blocks = [
      Block(
        lead: curves.flatMap(curve), rows: figures(in: nil) { !Self.oursAlone.contains($0) })
    ]
    let sections = record.sides.map { $0.summaries.compactMap(\.section) }
    for section in InOrder.merged(sections) where !Self.ours.contains(section) {
      let heading = PageRow(label: section, cells: record.sides.map { _ in .empty })
      blocks.append(Block(lead: [heading], rows: figures(in: section), staysWhole: true))
    }
    return blocks
  }

  private func figures(in section: String?, where isWanted: (String) -> Bool = { _ in true })
    -> [PageRow]
  {
    let names = record.sides.map { side in
      side.summaries.filter { $0.section == section && isWanted($0.name) }.map(\.name)
    }
    return InOrder.merged(names).map { name in
      let cells = record.sides.map { side -> PageRow.Cell in
        guard let summary = side.summary(name, in: section) else { return .text("–", mark: "") }
        return .text(Figures.text(summary, repeats: record.repeats), mark: mark(summary, side))
      }
      return PageRow(
        label: (section == nil ? "" : "  ") + name, cells: cells,
        isEqual: isEqual(cells, [(name, section)]))
    }
  }

  private func mark(_ summary: Summary, _ side: SideRecord) -> String {
    if let good = summary.good { return good ? "✓" : "✗" }
    return delta(summary, side).map { Figures.text($0, summary.unit) } ?? ""
  }

  /// The difference to the first column, where both came to an end: a side that stopped halfway
  /// has done less of everything.
  private func delta(_ summary: Summary, _ side: SideRecord) -> Delta? {
    guard side.reachesItsEnd, record.sides[0].reachesItsEnd else { return nil }
    return summary.delta
  }

  /// Whether a row says the same on every side, of figures that are equal or cannot be told apart.
  private func isEqual(_ cells: [PageRow.Cell], _ figures: [(name: String, section: String?)])
    -> Bool
  {
    if cells.allSatisfy({ $0.words == cells[0].words }) { return true }
    guard record.sides.allSatisfy(\.reachesItsEnd) else { return false }
    return figures.allSatisfy { name, section in
      let found = record.sides.map { $0.summary(name, in: section) }
      return Set(found.map { $0?.good }).count == 1
        && found.dropFirst().allSatisfy { $0?.delta?.same == true }
    }
  }

  private func statementsAndCommits() -> [PageRow] {
    guard record.sides.contains(where: { $0.summary(Metric.commits, in: Metric.engine) != nil })
    else { return [] }
    let cells = record.sides.map { side -> PageRow.Cell in
      guard let statements = side.summary(Metric.statements, in: Metric.engine),
        let commits = side.summary(Metric.commits, in: Metric.engine)
      else { return .text("–", mark: "") }
      let text = [statements, commits].map { Figures.text($0, repeats: record.repeats) }
        .joined(separator: " / ")
      let marks = [statements, commits].compactMap { delta($0, side) }
        .map { $0.difference == 0 && !$0.same ? "0" : Figures.text($0, .count) }
      // A pair that is the same is said once, and one whose spreads alone differ is not said.
      let mark =
        Set(marks) == ["same"]
        ? "same"
        : marks.allSatisfy { ["0", "same"].contains($0) } ? "" : marks.joined(separator: " / ")
      return .text(text, mark: mark)
    }
    let names = [Metric.statements, Metric.commits].map { ($0, String?.some(Metric.engine)) }
    return [
      PageRow(
        label: "  \(Metric.statements) / \(Metric.commits)", cells: cells,
        isEqual: isEqual(cells, names))
    ]
  }

  private func isAnywhereAboveZero(_ name: String, in section: String) -> Bool {
    record.sides.contains { side in (side.summary(name, in: section)?.max ?? 0) > 0 }
  }

  private func curve(_ name: String) -> [PageRow] {
    let all = record.sides.map { side in side.typicalTrial?.series.first { $0.name == name } }
    guard all.contains(where: { $0 != nil }) else { return [] }
    let known = all.compactMap { $0 }
    return [
      PageRow(
        label: name, cells: all.map { $0.map { .spark($0) } ?? .text("–", mark: "") },
        top: known.flatMap(\.samples).max() ?? 0,
        duration: known.map { Double($0.samples.count) * Double($0.stepNanoseconds ?? 1) }.max()
          ?? 0)
    ]
  }

  /// A row for each count that is ten times as large in one column as in another. All rows have
  /// the same scale, so that where one falls and another rises the two can be compared.
  private func overTheColumns() -> Block {
    let names = InOrder.merged(
      record.sides.map { side in side.summaries.filter { $0.unit == .count }.map(\.name) })
    var rows = names.compactMap { name -> PageRow? in
      let counts = record.sides.compactMap { side -> Double? in
        guard side.reachesItsEnd,
          case .number(let count)? = side.summaries.first(where: { $0.name == name })?.median
        else { return nil }
        return count > 0 ? Double(count) : nil
      }
      guard counts.count == record.sides.count, let least = counts.min(), let most = counts.max(),
        most >= 10 * least
      else { return nil }
      return PageRow(
        label: "  \(name)", cells: counts.map { .point(log10($0 / least)) },
        top: log10(most / least))
    }
    let top = rows.map(\.top).max() ?? 0
    for index in rows.indices { rows[index].top = top }
    let heading = PageRow(label: Self.curvesLabel, cells: record.sides.map { _ in .empty })
    return Block(lead: rows.isEmpty ? [] : [heading], rows: rows, staysWhole: true)
  }

  /// The heading of the counts that are drawn over the columns.
  static let curvesLabel = "curves"

  private func endings() -> [PageRow] {
    guard record.sides.flatMap(\.trials).contains(where: { $0.ending.kind != .finished }) else {
      return []
    }
    let cells = record.sides.map { side -> PageRow.Cell in
      let unusual = side.trials.filter { $0.ending.kind != .finished }
      guard let first = unusual.first else { return .text("finished", mark: "") }
      let share =
        unusual.count == side.trials.count
        ? "" : " in \(unusual.count) of \(side.trials.count) runs"
      let detail = first.ending.detail.isEmpty ? "" : ": \(first.ending.detailOnPage)"
      return .text("\(first.ending.kind.words)\(share)\(detail)", mark: "")
    }
    return [PageRow(label: "ending", cells: cells)]
  }

  private func outcomes() -> PageRow {
    PageRow(
      label: Self.outcomeLabel,
      cells: record.sides.map { side in
        let lines = side.outcomes.flatMap { tally in
          let share =
            side.outcomes.count == 1 ? "" : " \(tally.count) of \(side.trials.count) runs"
          let grade = tally.grade.map(\.rawValue) ?? "undeclared"
          return ["\(tally.outcome)\(share)  \(grade)"] + meaning(tally)
        }
        return .text(lines.joined(separator: "\n"), mark: "")
      })
  }

  /// The label of the row that a page begins with.
  static let outcomeLabel = "outcome"

  /// The names and meanings of the outcomes that were seen, if the columns are too narrow for them.
  var meaningsBelow: [(name: String, meaning: String)] {
    guard !hasRoomForMeanings else { return [] }
    let seen = Set(record.sides.flatMap(\.outcomes).map(\.outcome))
    return record.scenario.outcomes.filter { seen.contains($0.name) }.map { ($0.name, $0.meaning) }
  }

  private var hasRoomForMeanings: Bool { record.sides.count <= 3 }

  /// What an outcome says about the run.
  private func meaning(_ tally: Tally) -> [String] {
    guard hasRoomForMeanings else { return [] }
    return record.scenario.outcomes.filter { $0.name == tally.outcome }.map(\.meaning)
  }
}

extension SideRecord {
  /// Whether every run of it came to an end of its own, so that its figures are of the whole work.
  var reachesItsEnd: Bool {
    trials.allSatisfy { trial in
      switch trial.ending.kind {
      case .finished, .threw, .killed: true
      case .crashed, .exited, .stopped, .deadlock, .hung, .uncontrolled, .limit, .diskFull: false
      }
    }
  }
}

extension Ending {
  /// The detail without what only a debugger can use: a thread that runs a block is named by the
  /// queue of that block, and an object without its store.
  var detailOnPage: String {
    var text = detail.replacing(#/thread [0-9a-f]+ \(inside queue ("[^"]*")\)/#) { match in
      "the block on \(match.output.1)"
    }
    text.replace(#/thread [0-9a-f]{6,}/#, with: "another thread")
    // In a cycle the queue's holder is the next to be named.
    text.replace(#/waits for queue ("[^"]*"), held by the block on ("[^"]*")/#) { match in
      match.output.1 == match.output.2
        ? "waits for queue \(match.output.1)" : String(match.output.0)
    }
    text.replace(#/x-coredata:\/\/[0-9A-F-]{36}\//#, with: "")
    return text.replacingOccurrences(
      of: "waits for queue \"main\", held by main", with: "waits for main")
  }
}

extension Ending.Kind {
  /// The ending as a page says it.
  var words: String {
    switch self {
    case .finished: "finished"
    case .threw: "threw"
    case .killed: "killed"
    case .crashed: "crashed"
    case .exited: "ended"
    case .stopped: "stopped by the checker"
    case .deadlock: "deadlock"
    case .hung: "hang"
    case .uncontrolled: "uncontrolled"
    case .limit: "limit"
    case .diskFull: "disk full"
    }
  }
}
