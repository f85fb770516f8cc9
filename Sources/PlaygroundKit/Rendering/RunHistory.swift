/// What a trace says about lanes, reads and commits, before anybody draws or explains it.
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
    /// Which version was read or made; nil if nobody said.
    var version: Int?
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
  /// What a save tried to write and has not committed, because somebody else had been there first.
  private(set) var attempts: [Access] = []

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
    readTouches()
  }

  private mutating func readTouches() {
    var written: [Int: [Access]] = [:]
    for (index, step) in trace.steps.enumerated() {
      let lane = laneOfParty[step.party]
      if step.point == "save" || step.point == "save: begin" {
        attempts += written.removeValue(forKey: step.party) ?? []
      }
      let isSaving = step.point.hasPrefix("save")
      for touch in step.touches where touch.isRow || touch.isTable {
        let access = Access(step: index, lane: lane, thing: touch.thing, version: touch.version)
        switch (touch.isWrite, isSaving) {
        case (false, false): reads.append(access)
        case (false, true): break
        case (true, true) where step.point != Self.commit:
          written[step.party, default: []].append(access)
        case (true, _): add(access)
        }
      }
      if step.point == Self.commit {
        for var access in written.removeValue(forKey: step.party) ?? [] {
          access.step = index
          add(access)
        }
      }
    }
    attempts += written.values.joined()
    attempts.sort { $0.step < $1.step }
    commitsOfStep = Dictionary(grouping: commits, by: \.step)
    attemptsOfStep = Dictionary(grouping: attempts, by: \.step)
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

  /// The version of a row before the first commit of it: nil if there was no such row, or if nobody
  /// looked.
  func versionAtFirst(of thing: String) -> Int? {
    let first = commits.first { $0.thing == thing }
    let read = reads.first { $0.thing == thing && $0.step < first?.step ?? .max }
    if let read { return read.version }
    return first?.version.flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}

extension Trace.Touch {
  /// Whether it is one row.
  var isRow: Bool { thing.hasPrefix("row ") }
  /// Whether it is all rows of an entity.
  var isTable: Bool { thing.hasPrefix("rows of ") }
  /// Whether it is a queue.
  var isQueue: Bool { thing.hasPrefix("queue \"") || thing == "main" }
}
