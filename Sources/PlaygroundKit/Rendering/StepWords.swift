/// What a step did, in a few words for a cell and in sentences for a reader.
struct StepWords {
  private let history: RunHistory
  /// A row with the version and the values that a step saw or made.
  private typealias Seen = (thing: String, version: Int?, values: [Trace.Value])

  init(_ history: RunHistory) { self.history = history }

  // MARK: Cells

  /// A few words: `fetch views=5`, `commit v7`, `waits for B`.
  func deed(of index: Int) -> String {
    let step = history.trace.steps[index]
    if let awaited = awaited(in: step) { return "waits for \(awaited)" }
    let deed = plainDeed(of: index, step)
    guard let inside = foreignQueue(of: index) else { return deed }
    return "\(deed) in \(history.word(forQueue: inside))"
  }

  /// What a thread waits for after a step, in words; nil if it does not wait.
  private func awaited(in step: Trace.Step) -> String? {
    switch step.stop {
    case .waits(let queue): history.word(forQueue: queue)
    case .waitsFor(let words): words
    case .ended, .abandoned, nil: nil
    }
  }

  private func plainDeed(of index: Int, _ step: Trace.Step) -> String {
    if let decision = step.decided.first?.decision {
      return decision.result == "refused" ? "save refused" : "policy decides"
    }
    let committed = history.commits(of: index).filter { $0.thing.hasPrefix("row ") }
    if !committed.isEmpty {
      let verb = step.point == RunHistory.commit ? "commit" : "write"
      return "\(verb) \(amount(committed.map { ($0.thing, $0.version, $0.values) }))"
    }
    if step.point == RunHistory.commit { return "commit" }
    let tried = history.attempts(of: index).filter { $0.thing.hasPrefix("row ") }
    if !tried.isEmpty { return "tries \(amount(tried.map { ($0.thing, $0.version, $0.values) }))" }
    let writes = step.touches.filter { $0.isRow && $0.isWrite }
    if !writes.isEmpty { return "write \(amount(writes.map(seen)))" }
    if let object = step.touches.first(where: { $0.isWrite && $0.object != nil }) {
      return "changes \(history.word(forQueue: object.object!.context))"
    }
    let reads = step.touches.filter { $0.isRow && !$0.isWrite }
    // A save reads a row that another context has changed.
    let verb =
      step.point == "fetch" || step.point == "fault"
      ? step.point : step.point.hasPrefix("save") ? "finds" : "read"
    if !reads.isEmpty { return "\(verb) \(amount(reads.map(seen)))" }
    switch step.point {
    case RunHistory.trespass: return "outside"
    case "goes on": return doing(index)
    case "notification": return "notifies"
    case "enter queue": return "asks for \(history.word(forQueue: step.subject))"
    default: return step.point
    }
  }

  private func seen(_ touch: Trace.Touch) -> Seen {
    (touch.thing, touch.version, history.values(of: touch))
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

  /// The value of one row, its version where no value is known, or the number of rows.
  private func amount(_ rows: [Seen]) -> String {
    guard rows.count == 1 else { return "\(rows.count) rows" }
    if let value = history.cell(rows[0].thing, rows[0].values) { return value }
    return rows[0].version.map(RowVersion.short) ?? "a row"
  }

  // MARK: Lines

  /// Everything about a step in one line: what it does and to what, with the values, and its notes.
  func line(of index: Int) -> String {
    let step = history.trace.steps[index]
    var parts = [action(touched([index]), index, step)]
    let pending = step.pending
    if !pending.isEmpty { parts[0] += ": \(told(pending))" }
    parts += step.decided.map(told)
    if let queue = foreignQueue(of: index) {
      parts.append("inside the queue of \(history.word(forQueue: queue))")
    }
    if let awaited = awaited(in: step) { parts.append("then waits for \(awaited)") }
    return (parts + step.notes.map { "note: \($0)" }).joined(separator: "; ")
  }

  /// What a thread or task does, without the subject of the sentence.
  private func action(_ touched: String, _ index: Int, _ step: Trace.Step) -> String {
    let doing = doing(index)
    if touched.isEmpty { return doing }
    switch step.point {
    case "save: row", RunHistory.commit: return touched
    case "fetch" where touched.hasPrefix("reads "): return "fetches" + touched.dropFirst(5)
    case "fault": return "fires a fault: \(touched)"
    default: return "\(doing): \(touched)"
    }
  }

  /// A context by its name alone.
  private func named(_ subject: String) -> Substring {
    let kinds = [#"private-queue context ""#, #"main-queue context ""#]
    guard subject.hasSuffix("\""), let kind = kinds.first(where: subject.hasPrefix) else {
      return subject[...]
    }
    return subject.dropFirst(kind.count).dropLast()
  }

  /// A switch point as what a thread or task does there.
  private func doing(_ index: Int) -> String {
    let step = history.trace.steps[index]
    // Every job of a task is a party of its own.
    let isTask = history.lanes[history.lane(ofStep: index)].name == "tasks"
    let isFirst = history.isFirst(index)
    let subject = named(step.subject)
    let isStore = history.lane(ofQueue: step.subject) == nil && history.hasTransaction(on: subject)
    func with(_ verb: String, _ preposition: String = "", or alone: String) -> String {
      subject.isEmpty ? alone : "\(verb) \(preposition)\(subject)"
    }
    switch step.point {
    case "goes on": return isTask ? "runs" : isFirst ? "starts" : "continues"
    case "enqueue": return with("enqueues a block", "on ", or: "enqueues a block")
    case "block begins" where isStore: return "has the store's write lock"
    case "block ends" where isStore: return "releases the store's write lock"
    case "enter queue" where isStore: return "asks for the store's write lock"
    case "block begins": return with("begins the block", "on ", or: "begins a block")
    case "block ends": return with("ends the block", "on ", or: "ends a block")
    case "enter queue" where subject == "main": return "asks for the main queue"
    case "enter queue": return with("asks for queue", or: "asks for a queue")
    case "inside queue": return with("enters queue", or: "enters a queue")
    case "coordinator": return "asks the coordinator to write"
    case "save": return with("calls save()", "on ", or: "calls save()")
    case "save: validated": return "has validated the changes"
    case "save: begin": return "begins a transaction"
    case "save: row": return "writes a row"
    case RunHistory.commit: return "commits the transaction"
    case "save: committed": return "has finished writing"
    case "fetch": return with("fetches", or: "fetches")
    case "fault": return with("fires a fault of", or: "fires a fault")
    case RunHistory.trespass:
      return with("uses an object outside its queue:", or: "uses an object outside its queue")
    case "notification": return with("posts", or: "posts a notification").swiftName
    case "merge": return with("merges changes", "into ", or: "merges changes")
    case "reset": return with("resets", or: "resets a context")
    case "delete": return with("deletes an object of", or: "deletes an object")
    default: return with(step.point, or: step.point)
    }
  }

  /// A phase of a save, without what it touches.
  func phase(_ index: Int) -> String { doing(index) }

  /// The queue inside which a step happened, if it is not that of its own lane.
  func foreignQueue(of index: Int) -> String? {
    guard let queue = history.trace.steps[index].queue,
      history.lane(ofQueue: queue) != history.lane(ofStep: index),
      history.lane(ofQueue: queue) != nil
    else { return nil }
    return queue
  }

  // MARK: Sentences

  /// What happened in steps of one sort, and where, what was interrupted for it, and what the other
  /// lanes did meanwhile.
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
      parts.append("\(from ?? "The next thread is chosen here"); \(kind).".capitalised)
    }
    let start = steps.count > 1 ? "in \(steps.count) steps \(lane)" : lane
    let touched = touched(steps)
    let place = step.place.map { " (\($0))" } ?? ""
    parts.append("\(start) \(action(touched, index, step))\(place).".capitalised)
    if !step.pending.isEmpty { parts.append("To be saved: \(told(step.pending)).") }
    parts += steps.flatMap { history.trace.steps[$0].decided }.prefix(3)
      .map { "\(told($0)).".capitalised }
    if let queue = foreignQueue(of: index) {
      parts.append("It is inside the queue of \(history.word(forQueue: queue)).")
    }
    if let awaited = awaited(in: step) { parts.append("Then it must wait for \(awaited).") }
    if !step.notes.isEmpty { parts.append("Note: \(step.notes.joined(separator: "; ")).") }
    let ready = gaps.filter { $0.gap == .ready }.map { subject($0.lane) }
    var others = gaps.compactMap { lane, gap -> String? in
      if case .waits(let other) = gap { "\(subject(lane)) waits for \(other)" } else { nil }
    }
    if !ready.isEmpty {
      let verb = ready.count > 1 ? "are" : "is"
      others.insert("\(ready.joined(separator: " and ")) could run but \(verb) not chosen", at: 0)
    }
    if !others.isEmpty { parts.append("Meanwhile \(others.joined(separator: "; ")).") }
    return parts.joined(separator: " ")
  }

  /// A lane as the subject of a sentence.
  private func subject(_ lane: Int) -> String {
    history.lanes[lane].name == "tasks" ? "a task" : history.lanes[lane].word
  }

  // MARK: Values

  /// A row with the version and the values that were read or written.
  private func told(_ thing: String, _ version: Int?, _ values: [Trace.Value]) -> String {
    let name = thing.hasPrefix("row ") ? thing.dropFirst(4) : thing[...]
    let number = version.map { " \(RowVersion.words($0))" } ?? ""
    return "\(name)\(number)" + (values.isEmpty ? "" : " (\(history.words(values)))")
  }

  /// What a save is to write.
  private func told(_ changes: [Trace.Change]) -> String {
    let told = changes.prefix(3).map { change in
      let fields = change.fields.prefix(3).map { field in
        let own = field.own ?? "nil"
        return change.kind == "inserted"
          ? "\(field.name) = \(own)" : "\(field.name) \(field.read ?? "nil") → \(own)"
      }
      let words = fields.joined(separator: ", ") + (change.fields.count > 3 ? ", …" : "")
      switch change.kind {
      case "inserted": return change.row + (words.isEmpty ? "" : " (\(words))")
      case "deleted": return "deletes \(change.row)"
      default: return "\(change.row) \(words)"
      }
    }
    let more = changes.count > 3 ? " and \(changes.count - 3) more" : ""
    return told.joined(separator: ", ") + more
  }

  /// What the merge policy decided about an object.
  func told(_ change: Trace.Change) -> String {
    change.decision.map { told(change, $0) } ?? change.row
  }

  private func told(_ change: Trace.Change, _ decision: Trace.Change.Decision) -> String {
    let policy = "policy \(decision.policy)"
    switch decision.result {
    case "refused":
      let found = decision.stored.map { "is at version \($0), not \(decision.read)" } ?? "is gone"
      return "\(policy): \(change.row) \(found), so save() throws 133020 (.managedObjectMerge)"
    case "deleted": return "\(policy): the row of \(change.row) is gone, and the change with it"
    case "reinserted": return "\(policy): the row of \(change.row) is gone and is written again"
    default:
      guard change.kind != "deleted" else { return "\(policy) decides about \(change.row)" }
      let kept = change.fields.prefix(3).map(\.decided)
      let rest = change.fields.count > 3 ? ", …" : ""
      let isWritten = change.fields.contains { $0.kept != $0.stored }
      return "\(policy) on \(change.row): \(kept.joined(separator: ", "))\(rest)"
        + (isWritten ? "" : "; the row already holds this value")
    }
  }

  /// What steps read, wrote and committed, as clauses without a subject.
  private func touched(_ steps: [Int]) -> String {
    func listed(_ verb: String, _ things: [Seen]) -> String? {
      guard !things.isEmpty else { return nil }
      let most = things.count == 3 ? 3 : 2
      let names = things.prefix(most).map { told($0.thing, $0.version, $0.values) }
      let more = things.count > most ? " and \(things.count - most) more" : ""
      return "\(verb) \(names.joined(separator: ", "))\(more)"
    }
    func row(_ touch: Trace.Touch) -> Seen {
      (touch.isTable ? "the \(touch.thing)" : touch.thing, touch.version, history.values(of: touch))
    }
    let committed = steps.flatMap(history.commits).map { ($0.thing, $0.version, $0.values) }
    let isTried = steps.contains { !history.attempts(of: $0).isEmpty }
    let hasConflict = steps.contains { !history.conflicts(of: $0).isEmpty }
    let reason = hasConflict ? ", but finds a conflict" : ""
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
      listed("reads", reads.map(row)),
      hasRows ? nil : listed("reads", objects.filter { !$0.isWrite }.map(row)),
      listed("changes", objects.filter(\.isWrite).map { ($0.thing, nil, []) }),
      listed(isTried ? "tries to write" : "writes", writes.map(row))
        .map { isTried ? "\($0)\(reason): the transaction is rolled back" : $0 },
      listed(
        point == RunHistory.commit ? "commits" : "writes",
        committed.filter { $0.0.hasPrefix("row ") || committed.count == 1 }),
    ].compactMap { $0 }
    return clauses.joined(separator: ", ")
  }
}

extension Trace.Step {
  /// What a save that begins in the step is to write.
  var pending: [Trace.Change] { (changes ?? []).filter { $0.decision == nil } }
  /// What a merge policy decided in the step.
  var decided: [Trace.Change] { (changes ?? []).filter { $0.decision != nil } }
}

extension Trace.Change.Field {
  /// Which of the two values a policy kept, if it kept one of them.
  private enum Choice { case store, context, neither }

  private var choice: Choice {
    if kept == (own ?? read), own != nil || kept != stored { return .context }
    return kept == stored ? .store : .neither
  }

  /// Which value the policy kept, and of which.
  var decided: String {
    let (new, stored) = (kept ?? "nil", stored ?? "no row")
    let values = "the context had \(own ?? read ?? "nil"), the store \(stored)"
    switch choice {
    case .context: return "keeps \(name) = \(new) (\(values))"
    case .store:
      let other = own.map { " (the context had \($0))" } ?? ""
      return "takes \(name) = \(new) from the store\(other)"
    case .neither: return "sets \(name) = \(new) (\(values))"
    }
  }

  /// The same in a conflict of a named lane, in the past tense.
  func decided(of lane: String) -> String {
    let (new, mine, stored) = (kept ?? "nil", own ?? read ?? "nil", stored ?? "no row")
    switch choice {
    case .context:
      let also = mine == stored ? " also" : ""
      return "kept \(lane)'s \(name) = \(new) (the store\(also) had \(stored))"
    case .store:
      let other = own.map { " (\(lane) had \($0))" } ?? ""
      return "took \(name) = \(new) from the store\(other)"
    case .neither:
      return "set \(name) = \(new) (\(lane) had \(mine), the store \(stored))"
    }
  }
}

extension String {
  /// The same with a capital letter at the beginning.
  fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }

  /// A notification by the name that Swift code uses.
  fileprivate var swiftName: String {
    let names = [
      "NSManagingContextWillSaveChangesNotification": "NSManagedObjectContextWillSave",
      "NSManagingContextDidSaveChangesNotification": "NSManagedObjectContextDidSave",
      "NSObjectsChangedInManagingContextNotification": "NSManagedObjectContextObjectsDidChange",
      "NSManagedObjectContextDidSaveObjectIDsNotification": "didSaveObjectIDsNotification",
      "NSManagedObjectContextDidMergeChangesObjectIDsNotification":
        "didMergeChangesObjectIDsNotification",
    ]
    guard let last = split(separator: " ").last, let name = names[String(last)] else {
      return self
    }
    return dropLast(last.count) + name
  }
}
