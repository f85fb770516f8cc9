import Foundation

/// What a process that makes controlled runs is asked to do: one side, one run after the other.
struct ControlledTask: Codable, Equatable {
  var scenario: String
  var side: String
  var parameters: [String: Int]
  var checker: Side.Checker

  /// The files of such a process, in one folder.
  struct Folder {
    let url: URL

    /// The task, written by the parent.
    var task: String { url.appendingPathComponent("task.json").path }
    /// What both share.
    var answer: String { url.appendingPathComponent("answer").path }
    /// What the process prints.
    var output: String { url.appendingPathComponent("output.txt").path }
    /// The trace of the last run that was to be traced.
    var trace: String { url.appendingPathComponent("trace.json").path }
  }

  /// One run that is asked for.
  struct Request: Codable, Equatable {
    var plan: Plan
    /// Whether a trace is to be left behind.
    var isDetailed = false
    /// Whether what a queue guards is shared, because some party uses it outside the queue.
    var hasTrespass = false
    /// The most steps of the run.
    var stepsMax = 10_000
  }

  /// What came of a run, in few words.
  struct Words: Codable, Equatable {
    var outcome: String
    var grade: Grade?
    var ending: Ending
  }
}
