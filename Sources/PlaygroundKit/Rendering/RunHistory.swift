import Foundation

/// What a trace says about lanes, reads and commits, before it is drawn or explained.
struct RunHistory {
  /// A queue with all its blocks, the main loop, or the tasks.
  struct Lane: Equatable {
    /// What the trace calls it.
    var name: String
    /// `A` for the first queue; nil for the main loop and the tasks, whose names say what they are.
    var letter: String?

    /// The name without the word queue and its quotation marks.
    var shortName: String {
      guard name.hasPrefix("queue \""), name.hasSuffix("\"") else { return name }
      return String(name.dropFirst(7).dropLast())
    }
    /// The letter, or the name where there is none.
    var word: String { letter ?? name }
    /// Letter and short name.
    var label: String { letter.map { "\($0) \(shortName)" } ?? name }
  }

  /// A row, or the rows of an entity, seen by a step.
  struct Access: Hashable {
    /// The step that read, or the one after which others could see what was written.
    var step: Int
    var lane: Int
    /// The name of what was touched, `row Article 1`.
    var thing: String
    /// Which version was read or made; nil if it is not known.
    var version: Int?
    /// The parent context that was read or that a save went into; nil for the store.
    var parent: String?
    /// The values that matter, as far as they are known.
    var values: [Trace.Value] = []
    /// Whether a save made a version of the row without a change of a stored value.
    var keepsValues = false
  }

  /// The run.
  let trace: Trace
  /// Its lanes, the main loop first.
  private(set) var lanes: [Lane] = []
  /// The lane of each party.
  private(set) var laneOfParty: [Int] = []
  /// What the scenario's code read, in order; what a save compares is not among them.
  private(set) var reads: [Access] = []
  /// What became visible to others, in order.
  private(set) var commits: [Access] = []
  /// What a save tried to write and did not commit, because its transaction was rolled back.
  private(set) var attempts: [Access] = []
  /// Those of them at whose rows a save met a conflict: the merge policy decided about them.
  private(set) var conflicts: [Access] = []
  /// What saves of children changed in their parents, in order; with a version if the parent had
  /// unsaved changes of the same object.
  private(set) var handovers: [Access] = []
  /// Versions that a merge put under the unsaved changes of a context.
  private(set) var merges: [Access] = []
  /// Commits and what children's saves changed in their parents, in order.
  private(set) var writes: [Access] = []

  /// Reads a trace once.
  ///
  /// What a save writes counts from its commit on; without a commit it never counts.
  init(_ trace: Trace) {
    self.trace = trace
    for party in trace.parties {
      if let known = lanes.firstIndex(where: { $0.name == party.lane }) {
        laneOfParty.append(known)
      } else {
        laneOfParty.append(lanes.count)
        let isQueue = party.lane.hasPrefix("queue \"")
        let letter = isQueue ? Self.letter(lanes.count { $0.letter != nil }) : nil
        lanes.append(Lane(name: party.lane, letter: letter))
      }
    }
    readWrittenNames()
    for (index, step) in trace.steps.enumerated() where firstStep[step.party] == nil {
      firstStep[step.party] = index
    }
    readTouches()
  }

  private var firstStep: [Int: Int] = [:]
  private var writers: Set<Substring> = []

  /// Whether a thread or task makes its first step here.
  func isFirst(_ step: Int) -> Bool { firstStep[trace.steps[step].party] == step }

  // MARK: Values

  /// For each entity the properties that some step changes.
  private var written: [Substring: Set<String>] = [:]

  private static func entity(_ thing: String) -> Substring {
    let parts = thing.split(separator: " ", maxSplits: 2)
    return parts.count > 1 ? parts[1] : parts.first ?? ""
  }

  private mutating func readWrittenNames() {
    for step in trace.steps {
      if step.point == "coordinator" { writers.insert(step.subject[...]) }
      for touch in step.touches where touch.isRow && touch.isWrite && touch.version ?? 1 > 1 {
        written[Self.entity(touch.thing), default: []].formUnion((touch.values ?? []).map(\.name))
      }
      for change in step.changes ?? [] where change.kind == "updated" {
        let names = change.fields.map(\.name)
        written[Self.entity("row \(change.row)"), default: []].formUnion(names)
      }
    }
  }

  /// The values of a row that matter: those that some step changes, and all of a small row of which
  /// none is changed.
  func values(of touch: Trace.Touch) -> [Trace.Value] {
    guard let values = touch.values else { return [] }
    guard let names = written[Self.entity(touch.thing)], !names.isEmpty else {
      let known = values.filter { $0.value != "nil" }
      return values.count <= Self.smallRow ? values : Array(known.prefix(Self.smallRow))
    }
    return values.filter { names.contains($0.name) }
  }

  private static let smallRow = 3

  /// A value of a row that some step changes, as a cell shows it: `views=6`; a number is shorter
  /// than a text.
  func cell(_ thing: String, _ values: [Trace.Value]) -> String? {
    guard let names = written[Self.entity(thing)] else { return nil }
    let own = values.filter { names.contains($0.name) }
    let value = own.first { !$0.value.hasPrefix("\"") } ?? own.first
    return value.map { "\($0.name)=\($0.value)" }
  }

  /// Whether a queue is the one on which a store writes.
  func hasTransaction(on queue: Substring) -> Bool { writers.contains(queue) }

  /// Values as they stand behind a row: `views = 6, name = "Swift"`.
  func words(_ values: [Trace.Value]) -> String {
    let told = values.prefix(Self.smallRow).map { "\($0.name) = \($0.value)" }
    return told.joined(separator: ", ") + (values.count > Self.smallRow ? ", …" : "")
  }

  // MARK: Reads and writes

  private mutating func readTouches() {
    var written: [Int: [Access]] = [:]
    var saves = SavesIntoParents()
    for (index, step) in trace.steps.enumerated() {
      let lane = laneOfParty[step.party]
      let asker = step.asker ?? step.party
      saves.add(step, of: asker)
      let objects = step.touches.filter { $0.object != nil }
      for touch in objects { readObject(touch, index, asker, saves.saver[asker]) }
      // A parent that answers a child reads for the thread that waits for the answer.
      let reader = step.point == "block begins" ? laneOfParty[asker] : lane
      if step.point == "save" || step.point == "save: begin" {
        attempts += written.removeValue(forKey: step.party) ?? []
      }
      let isSaving = step.point.hasPrefix("save")
      for touch in step.touches where touch.isRow || touch.isTable {
        // For the search, rows that come into the row cache are written; for a reader they are not.
        let isWrite = touch.isWrite && (touch.isRow || isSaving)
        if touch.isWrite, !isWrite, step.point == "block ends" { continue }
        let access = Access(
          step: index, lane: lane, thing: touch.thing, version: touch.version,
          values: values(of: touch),
          keepsValues: step.point == "save: row" && touch.version ?? 1 > 1 && touch.values == nil)
        switch (isWrite, isSaving) {
        case (false, false):
          let isForChild = objects.contains { $0.object?.row == touch.thing }
          if isForChild || saves.saver[asker] != nil { continue }
          var access = access
          access.lane = reader
          reads.append(access)
        case (false, true): break
        case (true, true) where step.point != Self.commit:
          written[step.party, default: []].append(access)
        case (true, _): add(access)
        }
      }
      let decided = Set(step.decided.map { "row \($0.row)" })
      conflicts += written[step.party, default: []].filter { decided.contains($0.thing) }
      if step.point == Self.commit {
        for var access in written.removeValue(forKey: step.party) ?? [] {
          access.step = index
          add(access)
        }
      }
    }
    attempts += written.values.joined()
    attempts.sort { $0.step < $1.step }
    conflicts.sort { $0.step < $1.step }
    writes = commits.filter { $0.thing.hasPrefix("row ") } + handovers
    writes.sort { $0.step < $1.step }
    commitsOfStep = Dictionary(grouping: commits, by: \.step)
    attemptsOfStep = Dictionary(grouping: attempts, by: \.step)
  }

  /// Takes in an object that a child has read, or that a child's save or a merge has changed.
  private mutating func readObject(
    _ touch: Trace.Touch, _ index: Int, _ asker: Int, _ saver: String?
  ) {
    guard let object = touch.object else { return }
    var access = Access(
      step: index, lane: laneOfParty[asker], thing: object.row, version: touch.version,
      parent: object.context, values: values(of: touch))
    if !touch.isWrite {
      if saver == nil { reads.append(access) }
    } else if let saver {
      access.lane = lane(ofQueue: saver) ?? access.lane
      handovers.append(access)
    } else if touch.version != nil {
      access.lane = lane(ofQueue: object.context) ?? access.lane
      access.parent = nil
      merges.append(access)
    }
  }

  /// The switch point at which a transaction ends.
  static let commit = "save: commit"

  private mutating func add(_ access: Access) {
    if known.insert(access).inserted { commits.append(access) }
  }
  private var known: Set<Access> = []

  /// What became visible with a step.
  func commits(of step: Int) -> [Access] { commitsOfStep[step] ?? [] }
  private var commitsOfStep: [Int: [Access]] = [:]

  /// What a step tried to write in vain.
  func attempts(of step: Int) -> [Access] { attemptsOfStep[step] ?? [] }
  private var attemptsOfStep: [Int: [Access]] = [:]

  /// What of it met a conflict.
  func conflicts(of step: Int) -> [Access] { conflicts.filter { $0.step == step } }

  private static func letter(_ number: Int) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return String(letters[number % 26]) + (number < 26 ? "" : String(number / 26 + 1))
  }

  /// The switch point of using a context or an object outside its queue.
  static let trespass = "outside its queue"

  /// The lane of a step.
  func lane(ofStep index: Int) -> Int { laneOfParty[trace.steps[index].party] }

  /// The lane that a queue's blocks are drawn in, if it has any.
  func lane(ofQueue label: String) -> Int? {
    lanes.firstIndex { $0.name == label || $0.name == "queue \"\(label)\"" }
  }

  /// A queue by its lane's letter, or by its label.
  func word(forQueue label: String) -> String {
    lane(ofQueue: label).map { lanes[$0].word } ?? "queue \"\(label)\""
  }

  /// A queue as a sentence names it: `queue "shelves"`, or `the main queue`.
  static func named(queue label: String) -> String {
    label == "main" ? "the main queue" : "queue \"\(label)\""
  }

  /// The first read of a row before the first commit of it.
  func readAtFirst(of thing: String) -> Access? {
    let first = commits.first { $0.thing == thing }
    return reads.first { $0.thing == thing && $0.step < first?.step ?? .max }
  }

  /// The version of a row before the first commit of it: nil if there was no such row, or if no
  /// step read it.
  func versionAtFirst(of thing: String) -> Int? {
    let first = commits.first { $0.thing == thing }
    if let read = readAtFirst(of: thing) { return read.version }
    return first?.version.flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}

/// The contexts that are changing their parents at the moment.
///
/// A save that is validated and then asks for another queue goes into a parent; when it comes to
/// its committed phase it is over. Meanwhile the parent reads for itself alone.
private struct SavesIntoParents {
  /// The queue of the saving context, by the party that saves.
  private(set) var saver: [Int: String] = [:]
  private var validated: [Int: String] = [:]

  mutating func add(_ step: Trace.Step, of party: Int) {
    switch step.point {
    case "save: validated":
      validated[party] = step.queue
    case "enter queue", "block begins":
      if let queue = validated.removeValue(forKey: party) { saver[party] = queue }
    case "save: committed":
      saver[party] = nil
      validated[party] = nil
    default: validated[party] = nil
    }
  }
}

extension Trace.Touch {
  /// The row, or `new` and the entity, and the context, if it is an object of a context.
  var object: (row: String, context: String)? {
    guard thing.hasPrefix("object "), let place = thing.range(of: " in ") else { return nil }
    let name = thing[..<place.lowerBound].dropFirst("object ".count)
    let row = name.hasPrefix("new ") ? String(name) : "row \(name)"
    return (row, String(thing[place.upperBound...]))
  }
  /// Whether it is one row.
  var isRow: Bool { thing.hasPrefix("row ") }
  /// Whether it is all rows of an entity.
  var isTable: Bool { thing.hasPrefix("rows of ") }
  /// Whether it is a queue.
  var isQueue: Bool { thing.hasPrefix("queue \"") || thing == "main" }
}
