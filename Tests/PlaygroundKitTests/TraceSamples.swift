@testable import PlaygroundKit

/// Traces made by hand, so that tests of pictures need no scheduler.
enum TraceSamples {
  /// All of them by the name of their golden files.
  static var all: [(name: String, drawing: Drawing)] {
    [
      (
        "lost-update",
        Drawing(
          lostUpdate, id: "s3-27-1C-9",
          title: "27  The lost update that no built-in merge stops · wrong", needed: [3])
      ),
      (
        "deadlock",
        Drawing(
          deadlock, id: "s3-09-0A-3", title: "09  Two queues waiting for each other · wrong",
          needed: [2])
      ),
      (
        "three",
        Drawing(three, id: "s3-29-2F1-7", title: "29  Three that find or create", needed: [4, 7])
      ),
    ]
  }

  /// Two contexts read version 5 with 5 views, and both add one.
  static var lostUpdate: Trace {
    var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
    run.step(0, "enqueue", touches: [.queue("left")])
    run.step(0, "enqueue", touches: [.queue("right")], stop: .ended)
    run.step(1, "block begins", queue: "left", options: [1, 2])
    run.step(
      1, "fetch", "Article", queue: "left", touches: .read("Article", 1, 5, ["views": "5"]),
      options: [1, 2])
    run.step(1, "save", "left", queue: "left", options: [1, 2])
    run.step(2, "block begins", queue: "right", options: [1, 2], chosen: 1)
    run.step(
      2, "fetch", "Article", queue: "right", touches: .read("Article", 1, 5, ["views": "5"]),
      options: [2, 1])
    run.step(2, "save", "right", queue: "right", options: [2, 1])
    run.step(
      2, "save: row", "Article", queue: "right", touches: .write("Article", 1, 6, ["views": "6"]),
      options: [2, 1])
    run.step(
      2, "save: commit", "file", queue: "right", touches: [.table("Article", true)],
      options: [2, 1])
    run.step(2, "block ends", queue: "right", options: [2, 1], stop: .ended)
    run.step(1, "save: begin", "file", queue: "left")
    run.step(1, "save: row", "Article", queue: "left", touches: .read("Article", 1, 6))
    run.step(
      1, "save: row", "Article", queue: "left", touches: .write("Article", 1, 7, ["views": "6"]))
    run.step(1, "save: commit", "file", queue: "left", touches: [.table("Article", true)])
    run.step(1, "block ends", queue: "left", stop: .ended)
    run.step(0, "goes on", queue: "main", notes: ["counted again 0"], stop: .ended)
    return run.trace(
      "LOST", .forbidden,
      metrics: [
        Metric("readers counted", 1, of: 2, section: "the number in the file"),
        Metric("lost", 1, good: false, section: "the number in the file"),
      ])
  }

  /// Two queues whose blocks wait for each other.
  static var deadlock: Trace {
    var run = TraceMaker(lanes: ["main", #"queue "articles""#, #"queue "shelves""#])
    run.step(0, "enqueue", touches: [.queue("articles")])
    run.step(0, "enqueue", touches: [.queue("shelves")], stop: .ended)
    run.step(1, "block begins", queue: "articles", options: [1, 2])
    run.step(
      1, "fetch", "Article", queue: "articles", touches: .read("Article", 1, 1), options: [1, 2])
    run.step(2, "block begins", queue: "shelves", options: [1, 2], chosen: 1)
    run.step(
      2, "fetch", "Category", queue: "shelves", touches: .read("Category", 1, 1), options: [2, 1])
    run.step(
      2, "enter queue", "articles", queue: "shelves", touches: [.queue("articles")],
      options: [2, 1], stop: .waits(queue: "articles"))
    run.step(
      1, "enter queue", "shelves", queue: "articles", touches: [.queue("shelves")],
      stop: .waits(queue: "shelves"))
    return run.trace(
      "DEADLOCK", .forbidden,
      ending: Ending(.deadlock, "two queues"),
      waits: [
        #"queue "articles" waits for queue "shelves""#,
        #"queue "shelves" waits for queue "articles""#,
      ])
  }

  /// Three contexts look for a tag and make one, the second switch leaping over a lane.
  static var three: Trace {
    let labels = ["context 1", "context 2", "a context with a long name"]
    var run = TraceMaker(lanes: ["main"] + labels.map { "queue \"\($0)\"" })
    for label in labels { run.step(0, "enqueue", touches: [.queue(label)]) }
    run.step(0, "goes on", stop: .ended)
    func look(_ party: Int, options: [Int], chosen: Int = 0) {
      let label = labels[party - 1]
      run.step(party, "block begins", queue: label, options: options, chosen: chosen)
      run.step(
        party, "fetch", "Tag", queue: label, touches: [.table("Tag", false)],
        options: [party] + options.filter { $0 != party })
    }
    func add(_ party: Int, options: [Int], chosen: Int = 0) {
      let label = labels[party - 1]
      run.step(party, "save", label, queue: label, options: options, chosen: chosen)
      run.step(party, "save: row", "Tag", queue: label, touches: .write("Tag", party, 1))
      run.step(party, "save: commit", "file", queue: label, touches: [.table("Tag", true)])
      run.step(
        party, "block ends", queue: label, notes: ["tag \(party) made"], stop: .ended)
    }
    look(1, options: [1, 2, 3])
    look(3, options: [1, 2, 3], chosen: 2)
    look(2, options: [3, 1, 2], chosen: 2)
    add(2, options: [2, 3, 1])
    add(1, options: [3, 1], chosen: 1)
    add(3, options: [3])
    run.step(0, "goes on", notes: ["there are 3 tags"], stop: .ended)
    return run.trace(
      "DUPLICATES", .forbidden, metrics: [Metric("tags", 3, of: 1, good: false)])
  }
}

/// Puts steps one after the other, each with the choice before it.
struct TraceMaker {
  private var parties: [Trace.Party]
  private var steps: [Trace.Step] = []
  private var choices: [Trace.Choice] = []
  private var clocks: [Int]

  /// Begins with one party in each lane.
  init(lanes: [String]) {
    parties = lanes.map { Trace.Party(name: $0, lane: $0) }
    clocks = lanes.map { _ in 0 }
  }

  /// Adds a party to a lane that there is already, and returns its number.
  mutating func party(_ lane: String) -> Int {
    parties.append(Trace.Party(name: lane, lane: lane))
    clocks.append(clocks.max()!)
    return parties.count - 1
  }

  /// Adds a step; `options` are the parties of the choice before it, `chosen` the place of its own.
  mutating func step(
    _ party: Int, _ point: String, _ subject: String = "", queue: String? = nil,
    touches: [Trace.Touch] = [], notes: [String] = [], options: [Int] = [], chosen: Int = 0,
    stop: Trace.Stop? = nil, asker: Int? = nil, changes: [Trace.Change]? = nil,
    place: String? = nil
  ) {
    var choice: Int?
    var isSwitch = false
    if options.count > 1 {
      let wasRunning = steps.last.map { $0.stop == nil && $0.party == options[0] } ?? false
      choice = choices.count
      isSwitch = wasRunning && chosen > 0
      choices.append(
        Trace.Choice(
          options: options, chosen: chosen, isSwitchPoint: wasRunning, step: steps.count))
    }
    let cost = point == "save: commit" ? 2_000_000 : 5_000
    steps.append(
      Trace.Step(
        party: party, queue: queue, point: point, subject: subject, touches: touches,
        notes: notes, start: clocks[party], end: clocks[party] + cost, choice: choice,
        isSwitch: isSwitch, stop: stop, asker: asker, changes: changes, place: place))
    clocks[party] += cost
  }

  /// The finished trace.
  func trace(
    _ outcome: String, _ grade: Grade?, ending: Ending = Ending(.finished),
    metrics: [Metric] = [], waits: [String] = []
  ) -> Trace {
    Trace(
      parties: parties, steps: steps, choices: choices, ending: ending, outcome: outcome,
      grade: grade, metrics: metrics, waits: waits, marks: [])
  }
}

extension Trace.Change {
  /// What a policy made of a conflict about a row that has a newer version, or is gone.
  static func conflict(_ row: String, _ result: String = "merged", over stored: Int?) -> Self {
    Self(
      row: row, kind: "updated", fields: [],
      decision: Decision(policy: "error", read: 1, stored: stored, result: result))
  }
}

extension Trace.Touch {
  /// The line of a queue.
  static func queue(_ label: String) -> Self { Self(thing: "queue \"\(label)\"", isWrite: true) }
  /// The rows of an entity.
  static func table(_ entity: String, _ isWrite: Bool) -> Self {
    Self(thing: "rows of \(entity)", isWrite: isWrite)
  }
}

extension [Trace.Touch] {
  /// A row read, and with it its entity.
  static func read(
    _ entity: String, _ key: Int, _ version: Int, _ values: [String: String] = [:]
  ) -> Self {
    [
      .table(entity, false),
      Trace.Touch(
        thing: "row \(entity) \(key)", isWrite: false, version: version, values: told(values)),
    ]
  }
  private static func told(_ values: [String: String]) -> [Trace.Value]? {
    values.isEmpty
      ? nil : values.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
  }
  /// An object of a context, read by a child or changed from outside.
  static func object(_ name: String, _ context: String, _ isWrite: Bool, _ version: Int? = nil)
    -> Self
  {
    [Trace.Touch(thing: "object \(name) in \(context)", isWrite: isWrite, version: version)]
  }
  /// A row written.
  static func write(
    _ entity: String, _ key: Int, _ version: Int?, _ values: [String: String] = [:]
  ) -> Self {
    [
      Trace.Touch(
        thing: "row \(entity) \(key)", isWrite: true, version: version, values: told(values))
    ]
  }
}
