import Foundation

/// What a process that makes controlled runs is asked to do: one side, one run after the other.
struct ControlledTask: Codable, Equatable {
  var scenario: String
  var side: String
  var parameters: [String: Int]
  var checker: Side.Checker
  /// The file of the filled store, if the process does not fill one itself.
  var given: String?

  /// The files of such a process, in one folder; those that it writes are in a folder of its own.
  struct Folder {
    let url: URL

    /// Where the process starts and writes.
    var own: URL { url.appendingPathComponent("own") }
    /// The task, written by the parent.
    var task: String { url.appendingPathComponent("task.json").path }
    /// The filled store, if the process does not fill one itself.
    var given: URL { url.appendingPathComponent("Given.sqlite") }
    /// What the process prints.
    var output: String { url.appendingPathComponent("output.txt").path }
    /// The trace of the last run that was to be traced.
    var trace: String { own.appendingPathComponent("trace").path }
    /// What the last run noted and how it ended, if the process does not name the outcome itself.
    var notes: String { own.appendingPathComponent("notes.json").path }
    /// The database that this run left.
    var database: URL { own.appendingPathComponent("Left.sqlite") }
  }

  /// One run that is asked for.
  struct Request: Equatable {
    var plan: Plan
    /// Whether a trace is to be left behind.
    var isDetailed = false
    /// Whether what a queue guards is shared, because some party uses it outside the queue.
    var hasTrespass = false
    /// The most steps of the run.
    var stepsMax = 10_000

    init(
      plan: Plan, isDetailed: Bool = false, hasTrespass: Bool = false, stepsMax: Int = 10_000
    ) {
      self.plan = plan
      self.isDetailed = isDetailed
      self.hasTrespass = hasTrespass
      self.stepsMax = stepsMax
    }

    /// Reads a line; JSON would take a tenth of the time of a short run.
    init(line: String) throws(Complaint) {
      let words = line.split(separator: " ")
      guard words.count >= 4, let stepsMax = Int(words[2]), let plan = Plan(words: words[3...])
      else { throw Complaint(.ourBug, "no request: \(line)") }
      self.init(
        plan: plan, isDetailed: words[0] == "1", hasTrespass: words[1] == "1", stepsMax: stepsMax)
    }

    /// The request as a line.
    var line: String {
      "\(isDetailed ? 1 : 0) \(hasTrespass ? 1 : 0) \(stepsMax) \(plan.words)"
    }
  }

  /// What came of a run, in few words.
  struct Words: Equatable {
    var outcome: String
    var grade: Grade?
    var ending: Ending

    /// The words as a line, with tabs between them.
    var line: String {
      "\(outcome)\t\(grade?.rawValue ?? "")\t\(ending.kind.rawValue)\t\(ending.detail)"
    }
  }
}

extension ControlledTask.Words {
  /// Reads a line.
  init?(line: String) {
    let parts = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let kind = Ending.Kind(rawValue: String(parts[2])) else { return nil }
    self.init(
      outcome: String(parts[0]), grade: Grade(rawValue: String(parts[1])),
      ending: Ending(kind, String(parts[3])))
  }
}

extension Plan {
  /// The plan in words with spaces between them.
  fileprivate var words: String {
    switch self {
    case .replay(let schedule):
      "replay" + schedule.turns.map { " \($0.choice):\($0.option)" }.joined()
    case .random(let seed): "random \(seed)"
    case .pct(let seed, let depth, let length): "pct \(seed) \(depth) \(length)"
    case .starveMain(let seed): "starve \(seed)"
    }
  }

  fileprivate init?(words: ArraySlice<Substring>) {
    let rest = Array(words.dropFirst())
    let numbers = rest.compactMap { UInt64($0) }
    switch (words.first, numbers.count) {
    case ("replay", _):
      self = .replay(
        Schedule(
          rest.compactMap { turn in
            let parts = turn.split(separator: ":").compactMap { Int($0) }
            return parts.count == 2 ? Schedule.Turn(choice: parts[0], option: parts[1]) : nil
          }))
    case ("random", 1): self = .random(seed: numbers[0])
    case ("pct", 3): self = .pct(seed: numbers[0], depth: Int(numbers[1]), length: Int(numbers[2]))
    case ("starve", 1): self = .starveMain(seed: numbers[0])
    default: return nil
    }
  }
}
