import Faultline
import Foundation

/// The file `progress.json` in a learner's folder of exercises.
///
/// It is written whole or not at all, and two commands that run at the same time both have their
/// say: each locks the folder while it reads and writes. A damaged file is put aside under a
/// numbered name, never removed.
public struct ProgressFile: Sendable {
  /// The name of the file.
  public static let name = "progress.json"
  private static let bytesMax = 1 << 20

  /// The path of the file, as the learner would type it.
  public let path: String
  private let folder: String
  private let version: String
  private let tell: @Sendable (String) -> Void

  /// Names the file in a folder of exercises.
  ///
  /// - Parameters:
  ///   - version: the version of the tool, which the file says.
  ///   - tell: takes the sentence that a damaged file was put aside.
  public init(
    in folder: String, version: String, tell: @escaping @Sendable (String) -> Void
  ) {
    (self.folder, self.version, self.tell) = (folder, version, tell)
    path = folder == "." ? Self.name : "\(folder)/\(Self.name)"
  }

  /// What the file says; nothing if there is none.
  ///
  /// - Throws: `Complaint` when it cannot be read, or a newer version wrote it.
  public func read() throws(Complaint) -> ProgressRecord {
    try whileLocked { () throws(Complaint) in try current() }
  }

  /// Changes what the file says.
  ///
  /// - Throws: `Complaint` when it cannot be read or written, or a newer version wrote it.
  @discardableResult
  public func update<R>(
    _ change: (inout ProgressRecord) throws(Complaint) -> R
  ) throws(Complaint) -> R {
    try whileLocked { () throws(Complaint) in
      var record = try current()
      let result = try change(&record)
      record.format = ProgressRecord.currentFormat
      record.faultline = version
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      guard let data = try? encoder.encode(record) else {
        throw Complaint(.ourBug, "\(path) cannot be encoded.")
      }
      try WholeFile(path, advice: "move your exercises to another folder")
        .write(String(decoding: data, as: UTF8.self) + "\n")
      return result
    }
  }

  /// Holds the lock of the folder, which is there without a file of its own; where there can be no
  /// lock, two commands may overwrite each other's record.
  private func whileLocked<R>(_ body: () throws(Complaint) -> R) throws(Complaint) -> R {
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if lock >= 0 { close(lock) } }
    while lock >= 0, flock(lock, LOCK_EX) != 0, errno == EINTR {}
    return try body()
  }

  private func current() throws(Complaint) -> ProgressRecord {
    let data: Data
    do throws(GivenFile.Refusal) {
      guard let found = try GivenFile.data(at: path, bytesMax: Self.bytesMax) else {
        return ProgressRecord(version: version)
      }
      data = found
    } catch {
      if error.isTooLarge { return try putAside() }
      throw Complaint(.input, "\(path) \(error.words): \(error.advice).")
    }
    let decoder = JSONDecoder()
    guard let head = try? decoder.decode(Head.self, from: data) else { return try putAside() }
    guard head.format <= ProgressRecord.currentFormat else {
      throw Complaint(
        .input,
        "\(path) was written by faultline \(head.faultline ?? "of an unknown version") in format"
          + " \(head.format), and \(version) reads format \(ProgressRecord.currentFormat): use the"
          + " newer faultline.")
    }
    guard let record = try? decoder.decode(ProgressRecord.self, from: data), record.isSound else {
      return try putAside()
    }
    return record
  }

  /// What every version of the format says.
  private struct Head: Decodable {
    var format: Int
    var faultline: String?
  }

  private func putAside() throws(Complaint) -> ProgressRecord {
    let file = URL(fileURLWithPath: path)
    guard let aside = ExerciseDesk.unused(beside: file), rename(path, aside.path) == 0 else {
      let reason = String(cString: strerror(errno)).lowercased()
      throw Complaint(
        .input, "\(path) is damaged and cannot be renamed (\(reason)): move it out of the way.")
    }
    tell(
      "\(path) is damaged and is now called \(aside.lastPathComponent): progress starts anew, and"
        + " each check adds to it.")
    return ProgressRecord(version: version)
  }

}
