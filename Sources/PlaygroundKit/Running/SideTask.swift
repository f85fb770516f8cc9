import Foundation

/// What a side's process is asked to do, and where it finds and leaves everything: one folder, one
/// task, one side, one repeat.
struct SideTask: Codable, Equatable {
  var scenario: String
  var side: String
  var trial: Int
  var seed: UInt64
  var parameters: [String: Int]
  var limitNanoseconds: Int
  /// Whether the store is there and filled when the process starts.
  var isFilled = false

  /// The files in the folder of one repeat of one side; those that it writes are in a folder of its
  /// own.
  struct Folder {
    let url: URL

    /// Where the side starts and writes.
    var own: URL { url.appendingPathComponent("own") }
    /// The task, written by the parent.
    var task: String { url.appendingPathComponent("task.json").path }
    /// What the side prints.
    var output: String { url.appendingPathComponent("stderr.txt").path }
    /// What the side notes.
    var journal: String { own.appendingPathComponent("journal.jsonl").path }
    /// The store file.
    var store: URL { own.appendingPathComponent("Store.sqlite") }
  }
}
