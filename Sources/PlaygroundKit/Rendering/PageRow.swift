/// One row of the page before it is laid out: a label, and a cell for each side.
struct PageRow {
  /// What stands in one column.
  enum Cell {
    case empty
    /// Text, with a sign or a difference at the right edge.
    case text(String, mark: String)
    case spark(Series)
  }

  /// What stands on the left.
  var label: String
  /// One cell for each side.
  var cells: [Cell]
  /// The highest value of a curve in any column, and the longest time.
  var top = 0.0
  var duration = 0.0
}

/// Chooses the rows of a page from a record.
///
/// 1. the main loop, if the scenario asks for it
/// 2. what the scenario observed itself, section by section
/// 3. the engine's counts, if it asks for them
/// 4. memory, if it asks for it
/// 5. total, ending, outcome
struct PageRows {
  let record: RunRecord

  private static let ours: Set<String> = [Metric.mainLoop, Metric.engine, Metric.memory]
  private static let oursAlone: Set<String> = [Metric.total]
  /// Counts that are worth a line only when they are not zero everywhere.
  private static let rare: Set<String> = [
    Metric.faultsFired, Metric.rowsFetched, Metric.conflicts, Metric.violations,
  ]

  /// All rows, from top to bottom.
  func all() -> [PageRow] {
    var rows: [PageRow] = []
    if shows(.mainLoop) {
      rows += curve(Metric.mainLoop)
      rows += figures(in: Metric.mainLoop)
    }
    rows += own()
    if shows(.engine) {
      rows += curve(Metric.work)
      rows += statementsAndCommits()
      rows += figures(in: Metric.engine) { name in
        name != Metric.statements && name != Metric.commits
          && (!Self.rare.contains(name) || isAnywhereAboveZero(name, in: Metric.engine))
      }
    }
    if shows(.memory) {
      rows += curve(Metric.liveObjects)
      rows += figures(in: Metric.memory) { $0 == Metric.peakLiveObjects }
      rows += curve(Metric.memory)
      rows += figures(in: Metric.memory) { $0 == Metric.peakMemory }
    }
    rows += figures(in: nil) { Self.oursAlone.contains($0) }
    rows += endings()
    rows.append(outcomes())
    return rows
  }

  private func shows(_ panel: Panel) -> Bool { record.scenario.panels.contains(panel) }

  private func own() -> [PageRow] {
    var rows: [PageRow] = []
    var curves: [String] = []
    for series in record.sides.compactMap(\.typicalTrial).flatMap(\.series)
    where series.kind == .curve && series.name != Metric.liveObjects
      && series.name != Metric.memory && !curves.contains(series.name)
    {
      curves.append(series.name)
    }
    for name in curves { rows += curve(name) }
    rows += figures(in: nil) { !Self.oursAlone.contains($0) }
    let sections = record.sides.map { $0.summaries.compactMap(\.section) }
    for section in InOrder.merged(sections) where !Self.ours.contains(section) {
      rows.append(PageRow(label: section, cells: record.sides.map { _ in .empty }))
      rows += figures(in: section)
    }
    return rows
  }

  private func figures(in section: String?, where isWanted: (String) -> Bool = { _ in true })
    -> [PageRow]
  {
    let names = record.sides.map { side in
      side.summaries.filter { $0.section == section && isWanted($0.name) }.map(\.name)
    }
    return InOrder.merged(names).map { name in
      PageRow(
        label: (section == nil ? "" : "  ") + name,
        cells: record.sides.map { side in
          guard let summary = side.summary(name, in: section) else { return .text("–", mark: "") }
          return .text(Figures.text(summary, repeats: record.repeats), mark: mark(summary))
        })
    }
  }

  private func mark(_ summary: Summary) -> String {
    if let good = summary.good { return good ? "✓" : "✗" }
    return summary.delta.map { Figures.text($0, summary.unit) } ?? ""
  }

  private func statementsAndCommits() -> [PageRow] {
    let cells = record.sides.map { side -> PageRow.Cell in
      guard let statements = side.summary(Metric.statements, in: Metric.engine),
        let commits = side.summary(Metric.commits, in: Metric.engine)
      else { return .text("–", mark: "") }
      let text = [statements, commits].map { Figures.text($0, repeats: record.repeats) }
        .joined(separator: " / ")
      let deltas = [statements.delta, commits.delta].compactMap { $0 }
      let mark =
        deltas.isEmpty
        ? ""
        : deltas.allSatisfy(\.same)
          ? "same" : deltas.map { Figures.text($0, .count) }.joined(separator: " / ")
      return .text(text, mark: mark)
    }
    return [PageRow(label: "  \(Metric.statements) / \(Metric.commits)", cells: cells)]
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

  private func endings() -> [PageRow] {
    guard record.sides.flatMap(\.trials).contains(where: { $0.ending.kind != .finished }) else {
      return []
    }
    let cells = record.sides.map { side -> PageRow.Cell in
      let unusual = side.trials.filter { $0.ending.kind != .finished }
      guard let first = unusual.first else { return .text("finished", mark: "") }
      let share =
        unusual.count == side.trials.count ? "" : " in \(unusual.count) of \(side.trials.count)"
      let detail = first.ending.detail.isEmpty ? "" : ": \(first.ending.detail)"
      return .text("\(first.ending.kind.words)\(share)\(detail)", mark: "")
    }
    return [PageRow(label: "ending", cells: cells)]
  }

  private func outcomes() -> PageRow {
    PageRow(
      label: "outcome",
      cells: record.sides.map { side in
        let lines = side.outcomes.map { tally in
          let share = side.outcomes.count == 1 ? "" : " \(tally.count) of \(side.trials.count)"
          let grade = tally.grade.map { "declared, \($0.rawValue)" } ?? "undeclared"
          return "\(tally.outcome)\(share)  \(grade)"
        }
        return .text(lines.joined(separator: "\n"), mark: "")
      })
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
    case .stopped: "stopped by the checker"
    case .deadlock: "deadlock"
    case .hung: "hang"
    case .uncontrolled: "uncontrolled"
    case .limit: "limit"
    case .diskFull: "disk full"
    }
  }
}
