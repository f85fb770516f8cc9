/// What a step did, in a few words for a cell and in sentences for a reader.
struct StepWords {
  private let history: RunHistory

  init(_ history: RunHistory) { self.history = history }

  /// A few words: `fetch v5`, `commit v7`, `waits for B`.
  func deed(of index: Int) -> String {
    let step = history.trace.steps[index]
    if case .waits(let queue) = step.stop { return "waits for \(history.word(forQueue: queue))" }
    let deed = plainDeed(of: index, step)
    guard let inside = foreignQueue(of: index) else { return deed }
    return "\(deed) in \(history.word(forQueue: inside))"
  }

  private func plainDeed(of index: Int, _ step: Trace.Step) -> String {
    let committed = history.commits(of: index).filter { $0.thing.hasPrefix("row ") }
    if !committed.isEmpty {
      let verb = step.point == RunHistory.commit ? "commit" : "write"
      return "\(verb) \(amount(committed.map(\.version)))"
    }
    if step.point == RunHistory.commit { return "commit" }
    let tried = history.attempts(of: index).filter { $0.thing.hasPrefix("row ") }
    if !tried.isEmpty { return "tries \(amount(tried.map(\.version)))" }
    let writes = step.touches.filter { $0.isRow && $0.isWrite }
    if !writes.isEmpty { return "write \(amount(writes.map(\.version)))" }
    if let object = step.touches.first(where: { $0.isWrite && $0.object != nil }) {
      return "changes \(history.word(forQueue: object.object!.context))"
    }
    let reads = step.touches.filter { $0.isRow && !$0.isWrite }
    // What a save reads is the row that somebody else has changed.
    let verb =
      step.point == "fetch" || step.point == "fault"
      ? step.point : step.point.hasPrefix("save") ? "finds" : "read"
    if !reads.isEmpty { return "\(verb) \(amount(reads.map(\.version)))" }
    if step.point == RunHistory.trespass { return "outside" }
    return step.point
  }

  /// The same for steps of one sort that follow each other.
  func deed(of steps: [Int]) -> String {
    guard steps.count > 1 else { return deed(of: steps[0]) }
    let first = deed(of: steps[0])
    let rows = Set(
      steps.flatMap { history.trace.steps[$0].touches.filter(\.isRow).map(\.thing) })
    guard rows.count > 1 else { return "\(first) ×\(steps.count)" }
    return "\(first.prefix { $0 != " " }) \(rows.count) rows"
  }

  /// One version, or the number of rows.
  private func amount(_ versions: [Int?]) -> String {
    guard versions.count == 1 else { return "\(versions.count) rows" }
    return versions[0].map(RowVersion.short) ?? "a row"
  }

  /// A context by its name alone.
  private func named(_ subject: String) -> Substring {
    let kinds = [#"private-queue context ""#, #"main-queue context ""#]
    guard subject.hasSuffix("\""), let kind = kinds.first(where: subject.hasPrefix) else {
      return subject[...]
    }
    return subject.dropFirst(kind.count).dropLast()
  }

  /// Everything in one line: the point, what it is about, what was touched, what was noted.
  func line(of index: Int) -> String {
    let step = history.trace.steps[index]
    let subject = named(step.subject)
    var line = step.point + (subject.isEmpty ? "" : " \(subject)")
    let touched = touched([index])
    if !touched.isEmpty { line += ": \(touched)" }
    if let queue = foreignQueue(of: index) {
      line += ", inside the queue of \(history.word(forQueue: queue))"
    }
    if case .waits(let queue) = step.stop {
      line += ", then waits for \(history.word(forQueue: queue))"
    }
    return line + step.notes.map { "; notes \($0)" }.joined()
  }

  /// The queue inside which a step happened, if it is not that of its own lane.
  func foreignQueue(of index: Int) -> String? {
    guard let queue = history.trace.steps[index].queue,
      history.lane(ofQueue: queue) != history.lane(ofStep: index),
      history.lane(ofQueue: queue) != nil
    else { return nil }
    return queue
  }

  /// What happened in steps of one sort, and where, who was interrupted for it, and what the others
  /// did meanwhile.
  func sentence(
    of steps: [Int], _ turn: Drawing.Turn?, _ gaps: [(lane: Int, gap: Drawing.Gap)]
  ) -> String {
    let index = steps[0]
    let step = history.trace.steps[index]
    let lane = subject(history.lane(ofStep: index))
    var parts: [String] = []
    if let turn {
      let from = turn.from.map { "\(subject($0)) is interrupted here" }
      let kind = turn.isNeeded ? "the outcome depends on it" : "the outcome does not depend on it"
      parts.append("\(from ?? "The order is chosen here"); \(kind).")
    }
    let start = lane == "a task" ? "One task" : lane
    let subjects = steps.map { history.trace.steps[$0].subject }
    let distinct = subjects.indices.filter { subjects.firstIndex(of: subjects[$0]) == $0 }
    let listed = distinct.prefix(3).map { subjects[$0] }.joined(separator: ", ")
    let about = listed.isEmpty ? "" : " (\(listed)\(distinct.count > 3 ? ", …" : ""))"
    let times = steps.count > 1 ? " \(steps.count) times in a row" : ""
    let touched = touched(steps)
    let clauses = touched.isEmpty ? "" : " and \(touched)"
    parts.append("\(start) \(doing(step.point))\(about)\(times)\(clauses).")
    if let queue = foreignQueue(of: index) {
      parts.append("It is inside the queue of \(history.word(forQueue: queue)).")
    }
    if case .waits(let queue) = step.stop {
      parts.append("Then it must wait for \(history.word(forQueue: queue)).")
    }
    if !step.notes.isEmpty { parts.append("Noted: \(step.notes.joined(separator: "; ")).") }
    let others = gaps.map { "\(subject($0.lane)) \($0.gap.clause)" }
    if !others.isEmpty { parts.append("Meanwhile \(others.joined(separator: "; ")).") }
    return parts.joined(separator: " ")
  }

  /// A lane as the subject of a sentence.
  private func subject(_ lane: Int) -> String {
    history.lanes[lane].name == "tasks" ? "a task" : history.lanes[lane].word
  }

  /// A switch point as what somebody does there.
  private func doing(_ point: String) -> String {
    switch point {
    case "goes on": "goes on"
    case "block begins": "begins a block"
    case "block ends": "ends a block"
    case "enqueue": "hands over a block"
    case "enter queue": "asks for a queue"
    case RunHistory.trespass: "uses an object outside its queue"
    default: "is at \(point)"
    }
  }

  /// What steps read, wrote and committed, as clauses without a subject.
  private func touched(_ steps: [Int]) -> String {
    func listed(_ verb: String, _ things: [(String, Int?)]) -> String? {
      guard !things.isEmpty else { return nil }
      let names = things.prefix(3).map { thing, version in
        thing + (version.map { " at \(RowVersion.words($0))" } ?? "")
      }
      let more = things.count > 3 ? " and \(things.count - 3) more" : ""
      return "\(verb) \(names.joined(separator: ", "))\(more)"
    }
    let committed = steps.flatMap(history.commits).map { ($0.thing, $0.version) }
    let isTried = steps.contains { !history.attempts(of: $0).isEmpty }
    let things = Set(committed.map(\.0))
    let point = history.trace.steps[steps[0]].point
    let own = steps.flatMap { history.trace.steps[$0].touches.filter { $0.isRow || $0.isTable } }
    let writes = own.filter { touch in
      touch.isWrite && touch.isRow && !things.contains(touch.thing)
    }
    let hasRows = own.contains { $0.isRow && !$0.isWrite }
    let reads = own.filter { !$0.isWrite && !($0.isTable && hasRows) }
    let objects = steps.flatMap { history.trace.steps[$0].touches.filter { $0.object != nil } }
    let clauses = [
      listed("reads", reads.map { ($0.thing, $0.version) }),
      hasRows
        ? nil
        : listed("reads", objects.filter { !$0.isWrite }.map { ($0.thing, $0.version) }),
      listed("changes", objects.filter(\.isWrite).map { ($0.thing, nil) }),
      listed(isTried ? "tries to write" : "writes", writes.map { ($0.thing, $0.version) }),
      listed(
        point == RunHistory.commit ? "commits" : "writes",
        committed.filter { $0.0.hasPrefix("row ") || committed.count == 1 }),
    ].compactMap { $0 }
    return clauses.joined(separator: ", ")
  }
}

extension Drawing.Gap {
  /// The reason as the end of a sentence about a lane.
  var clause: String {
    switch self {
    case .notBegun: "has not begun"
    case .ready: "could go on and is not let"
    case .waits(let whom): "waits for \(whom)"
    case .nothing: "has nothing to do"
    case .ended: "has ended"
    }
  }
}
