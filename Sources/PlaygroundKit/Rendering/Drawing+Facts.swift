/// What every format says beside the picture.
extension Drawing {
  /// How the run came about, and what a step is.
  static let facts = [
    "controlled · virtual clock, cost table v\(CostTable.version)",
    "everything inside one step is atomic",
  ]

  /// How many steps are not drawn, and by which rule; nil if all are.
  var leftOutWords: String? {
    guard leftOut > 0 else { return nil }
    return "\(leftOut) of \(trace.steps.count) steps are not drawn: \(StepSelection.rule)"
  }

  /// Which object belongs to which queue: for each row, who has an object of it and since when.
  var owners: [String] {
    var names: [String] = []
    var since: [String: [(queue: String, step: Int)]] = [:]
    for access in history.reads where access.thing.hasPrefix("row ") {
      guard let queue = trace.steps[access.step].queue else { continue }
      if since[access.thing] == nil { names.append(access.thing) }
      if since[access.thing]?.contains(where: { $0.queue == queue }) != true {
        since[access.thing, default: []].append((queue, access.step))
      }
    }
    let told = names.prefix(Self.ownersMax).map { name in
      let objects = since[name]!.map { queue, step in
        "\(history.word(forQueue: queue)) has an object of its own since step \(step + 1)"
      }
      return "\(name.dropFirst(4)): \(objects.joined(separator: ", "))"
    }
    let more = names.count - told.count
    return told + (more > 0 ? ["\(more) more rows have objects"] : [])
  }

  private static let ownersMax = 5

  /// The outcome with its grade.
  var outcome: String {
    "\(trace.outcome) (\(trace.grade?.rawValue ?? "undeclared"))"
  }

  /// How the run ended if not by itself, and what was observed, each with its verdict.
  var findings: [String] {
    var lines: [String] = []
    if trace.ending.kind != .finished {
      let details = trace.waits.isEmpty ? [trace.ending.detail] : trace.waits
      let detail = details.filter { !$0.isEmpty }.joined(separator: "; ")
      lines.append(trace.ending.kind.words + (detail.isEmpty ? "" : ": \(detail)"))
    }
    for metric in trace.metrics where metric.section.map({ !Self.ours.contains($0) }) ?? true {
      let summary = Summary(
        name: metric.name, unit: metric.unit, median: metric.amount, total: metric.total)
      let verdict = metric.good.map { $0 ? "  ✓" : "  ✗" } ?? ""
      lines.append("\(metric.name)  \(Figures.text(summary, repeats: 1))\(verdict)")
    }
    return lines
  }

  private static let ours: Set<String> = [Metric.mainLoop, Metric.engine, Metric.memory]

  /// Whether there are switches of the named sort in the picture.
  func hasTurn(needed: Bool) -> Bool { columns.contains { $0.turn?.isNeeded == needed } }
}
