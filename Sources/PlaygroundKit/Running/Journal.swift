import Faultline
import Foundation

/// What a side's process tells its parent: one JSON line for each thing it saw, written as soon as
/// it is seen.
///
/// A line that reached the kernel outlives the process, so a crash, a trap or a kill loses nothing
/// that was noted before it. Only the two processes of one version ever read it: its format is
/// nobody else's business.
final class Journal: Sendable {
  /// One line.
  enum Entry: Codable {
    /// The store is filled, the clock starts.
    case began
    case metric(Metric)
    case sample(series: String, value: Double)
    case series(Series)
    case mark(Mark)
    case violation(ViolationRecord)
    /// The highest resident size the operating system has seen since the clock started.
    case memoryPeak(bytes: Int)
    /// The process is about to kill itself on purpose.
    case killsItself
    /// The process knows its own end; nothing follows.
    case ended(Ending)
  }

  /// The exit code of a process that could not write its journal.
  static let exitCodeWhenUnwritable: Int32 = 74

  /// The most that is read; a run writes some kilobytes, and a line takes some time to read.
  private static let bytesMax = 1 << 23

  private let file: Int32
  private let encoder = Lock(JSONEncoder())
  private let sink: (@Sendable (Entry) -> Void)?

  /// Opens a journal for writing.
  init(writingTo path: String) throws {
    sink = nil
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw Complaint(.ourBug, "cannot write \(path): \(String(cString: strerror(errno)))")
    }
  }

  /// Makes a journal that is not written but handed on, line by line.
  init(handingOn sink: @escaping @Sendable (Entry) -> Void) {
    file = -1
    self.sink = sink
  }

  deinit { if file >= 0 { close(file) } }

  /// Adds one line; a side that cannot note what it sees ends at once.
  func write(_ entry: Entry) {
    if let sink { return sink(entry) }
    encoder.withLock { encoder in
      guard var line = try? encoder.encode(entry) else { return }
      line.append(UInt8(ascii: "\n"))
      let written = line.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if written != line.count { _exit(Self.exitCodeWhenUnwritable) }
    }
  }

  /// Reads what was written, up to the first line that is not whole.
  static func read(_ path: String) -> [Entry] {
    guard let data = LeftFile.data(of: path, bytesMax: bytesMax) else { return [] }
    let decoder = JSONDecoder()
    var entries: [Entry] = []
    for line in data.split(separator: UInt8(ascii: "\n")) {
      guard let entry = try? decoder.decode(Entry.self, from: line) else { break }
      entries.append(entry)
    }
    return entries
  }
}
