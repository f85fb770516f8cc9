/// What every format says beside the picture.
extension Drawing {
  /// How the run came about, and what a step is.
  static let facts = [
    "controlled · virtual clock, cost table v\(CostTable.version)",
    "everything inside one step is atomic",
  ]

  /// How many steps and rows are not drawn, and by which rule; empty if all are.
  var leftOutWords: [String] {
    var words: [String] = []
    if leftOut > 0 {
      let steps = Figures.grouped(trace.steps.count)
      words.append(
        "\(Figures.grouped(leftOut)) of \(steps) steps are not drawn: \(StepSelection.rule)")
    }
    if rowsLeftOut > 0 {
      words.append("\(Figures.grouped(rowsLeftOut)) more rows of the store are not drawn")
    }
    return words
  }

  /// Which object belongs to which queue: for each row, which lanes have an object of it, and from
  /// which step on.
  var owners: [String] {
    var names: [String] = []
    var since: [String: [(lane: String, step: Int)]] = [:]
    let accesses = (history.reads + history.attempts + history.commits)
      .filter { $0.thing.hasPrefix("row ") }.sorted { $0.step < $1.step }
    let queues = OwnerFinder(history)
    for access in accesses {
      guard let owner = queues.owner(access) else { continue }
      if since[access.thing] == nil { names.append(access.thing) }
      if since[access.thing]?.contains(where: { $0.lane == owner }) != true {
        since[access.thing, default: []].append((owner, access.step))
      }
    }
    var rows: [String: [Substring]] = [:]
    var sentences: [String] = []
    for name in names {
      let objects = since[name]!.map { lane, step in
        "\(lane) has its own object from step \(step + 1) on"
      }
      let sentence = objects.joined(separator: ", ")
      if rows[sentence] == nil { sentences.append(sentence) }
      rows[sentence, default: []].append(name.dropFirst(4))
    }
    let told = sentences.prefix(Self.ownersMax)
    let more = sentences.dropFirst(Self.ownersMax).reduce(0) { $0 + rows[$1]!.count }
    return told.map { "\(Self.list(rows[$0]!)): \($0)" }
      + (more > 0 ? ["\(Figures.grouped(more)) more rows have objects"] : [])
  }

  private static func list(_ names: [Substring]) -> String {
    let more = names.count - namesMax
    return names.prefix(namesMax).joined(separator: ", ")
      + (more > 0 ? " and \(Figures.grouped(more)) more" : "")
  }

  private static let namesMax = 4
  private static let ownersMax = 5

  /// The outcome with its grade.
  var outcome: String {
    "\(trace.outcome) (\(trace.grade?.rawValue ?? "undeclared"))"
  }

  /// How the run ended if not by itself, and what was observed, each with its verdict.
  var findings: [String] {
    var lines: [String] = []
    // The explanation tells the cycle of a deadlock.
    if trace.ending.kind != .finished, Explanation(history).cycle == nil {
      lines.append(Self.ending(history))
    }
    for metric in trace.metrics where metric.section.map({ !Self.ours.contains($0) }) ?? true {
      lines.append("\(metric.name)  \(Figures.underControl(metric))")
    }
    return lines
  }

  /// How a run ended that did not end by itself: a deadlock by its lanes, where they are known.
  static func ending(_ history: RunHistory) -> String {
    let trace = history.trace
    let details =
      Explanation(history).links.map { [$0] }
      ?? (trace.waits.isEmpty ? [trace.ending.detail] : trace.waits)
    let detail = details.filter { !$0.isEmpty }.joined(separator: "; ")
    return trace.ending.kind.words + (detail.isEmpty ? "" : ": \(detail)")
  }

  /// The lines of the source at which steps were made, each with the steps that are drawn.
  var lineWords: [String] {
    var files: [String] = []
    var numbers: [String: [Int: [String]]] = [:]
    for column in columns {
      guard let place = trace.steps[column.step].place else { continue }
      let parts = place.split(separator: ":")
      guard parts.count == 2, let line = Int(parts[1]) else { continue }
      if numbers[String(parts[0])] == nil { files.append(String(parts[0])) }
      numbers[String(parts[0]), default: [:]][line, default: []].append(column.numbers)
    }
    return files.map { file in
      let lines = numbers[file]!.sorted { $0.key < $1.key }.map { line, steps in
        let isOne = steps.count == 1 && !steps[0].contains("–")
        return "\(line) (\(isOne ? "step" : "steps") \(steps.joined(separator: ", ")))"
      }
      return "\(file): line\(lines.count == 1 ? "" : "s") \(lines.joined(separator: ", "))"
    }
  }

  private static let ours: Set<String> = [Metric.mainLoop, Metric.engine, Metric.memory]

  /// Whether there are switches of the named sort in the picture.
  func hasTurn(needed: Bool) -> Bool { columns.contains { $0.turn?.isNeeded == needed } }
}

/// Finds the queue that an object belonged to.
private struct OwnerFinder {
  private let history: RunHistory
  /// For each step the one before it of the same party, and the last at which a save began.
  private var before: [Int?] = []
  private var save: [Int?] = []

  init(_ history: RunHistory) {
    self.history = history
    var last: [Int: Int] = [:]
    var lastSave: [Int: Int] = [:]
    for (index, step) in history.trace.steps.enumerated() {
      before.append(last[step.party])
      last[step.party] = index
      if step.point == "save" { lastSave[step.party] = index }
      save.append(lastSave[step.party])
    }
  }

  /// The owner of an object that was read or saved; nil if that cannot be told.
  func owner(_ access: RunHistory.Access) -> String? {
    let steps = history.trace.steps
    let step = steps[access.step]
    // A read through an object of another queue makes no object of its own.
    if step.point == "fault", let before = before[access.step],
      steps[before].point == RunHistory.trespass
    {
      return nil
    }
    if step.point.hasPrefix("save") { return save[access.step].flatMap { word(steps[$0]) } }
    return word(step)
  }

  private func word(_ step: Trace.Step) -> String? {
    if let queue = step.queue { return history.word(forQueue: queue) }
    return step.party == 0 ? history.lanes[0].word : nil
  }
}
