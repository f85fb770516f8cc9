import Faultline
import Foundation

/// A file that is written whole or not at all.
///
/// The new text is written beside the file and then renamed. A full disk, an error or Ctrl-C leaves
/// the old file, or none where there was none; it never leaves an empty one.
public struct WholeFile: Sendable {
  /// The path as it was given.
  private let path: String
  /// What to do when the file cannot be written: "give -o another path".
  private let advice: String
  /// The path where the file is, if `path` is a symbolic link.
  private let target: String

  /// Names a file, and checks that it can be written; nothing is changed yet.
  public init(_ path: String, advice: String) throws(Complaint) {
    self.path = path
    self.advice = advice
    target = Self.target(of: path)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: target, isDirectory: &isFolder) {
      if isFolder.boolValue { throw Complaint(.input, "\(path) is a folder: \(advice).") }
      guard access(target, W_OK) == 0 else { throw refusal() }
    }
    let (file, name) = try open()
    close(file)
    unlink(name)
  }

  /// Whether a path leads to a pipe, a device or an open stream, which are written to directly.
  public static func isStream(_ path: String) -> Bool {
    var information = stat()
    guard stat(path, &information) == 0 else { return false }
    let kind = information.st_mode & S_IFMT
    return kind != S_IFREG && kind != S_IFDIR
      || streams.contains { path.hasPrefix($0) }
  }

  /// Replaces the file.
  public func write(_ text: String) throws(Complaint) {
    let (file, beside) = try open()
    let isWritten = Interruption.cleaningUp(
      after: {
        let isWhole = Self.write(text, to: file)
        let code = errno
        guard close(file) == 0, isWhole, rename(beside, target) == 0 else {
          if !isWhole { errno = code }
          return false
        }
        return true
      }, with: { unlink(beside) })
    guard isWritten else {
      let code = errno
      unlink(beside)
      errno = code
      throw refusal()
    }
  }

  /// Reads a file of text; nil if there is none.
  ///
  /// - Parameters:
  ///   - bytesMax: the most bytes that are read.
  ///   - mayBeStream: whether a path such as `/dev/stdin` is read to its end.
  /// - Throws: `Complaint` that says what is at the path, when it is no text.
  public static func text(
    of path: String, bytesMax: Int = 16 << 20, mayBeStream: Bool = false
  ) throws(Complaint) -> String? {
    let data: Data?
    do throws(GivenFile.Refusal) {
      data = try GivenFile.data(
        at: path, bytesMax: bytesMax,
        isStreamRead: mayBeStream && streams.contains { path.hasPrefix($0) })
    } catch { throw Complaint(.input, "\(path) \(error.words): \(error.advice).") }
    guard let data else { return nil }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw Complaint(.input, "\(path) is not UTF-8 text: save it as UTF-8.")
    }
    guard !data.contains(0) else {
      throw Complaint(.input, "\(path) contains a NUL byte: save it as text.")
    }
    return text
  }

  /// How the paths of open streams begin.
  private static let streams = ["/dev/std", "/dev/fd/", "/proc/"]

  /// Follows symbolic links, of which the last may lead to a file that is not there yet.
  private static func target(of path: String) -> String {
    var url = URL(fileURLWithPath: path)
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)
      else { break }
      url = URL(fileURLWithPath: next, relativeTo: url.deletingLastPathComponent())
    }
    return url.path
  }

  /// Opens a new file beside the target, with the target's owner and permissions.
  private func open() throws(Complaint) -> (file: Int32, name: String) {
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent()
    let number = String(UInt32.random(in: .min ... .max), radix: 36)
    let name = folder.appendingPathComponent(".faultline-\(getpid())-\(number)").path
    let file = Foundation.open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw refusal() }
    var information = stat()
    if stat(target, &information) == 0 {
      _ = fchown(file, information.st_uid, information.st_gid)
      fchmod(file, information.st_mode & 0o777)
    }
    return (file, name)
  }

  private static func write(_ text: String, to file: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
  }

  private func refusal() -> Complaint { Self.refusal(of: path, advice: advice) }

  /// Says why the last call could not write.
  public static func refusal(of name: String, advice: String) -> Complaint {
    if [ENOSPC, EDQUOT, EFBIG].contains(errno) {
      return Complaint(.limit, "The disk has no room for \(name): make room, or \(advice).")
    }
    let reason = String(cString: strerror(errno)).lowercased()
    return Complaint(.input, "\(name) cannot be written (\(reason)): \(advice).")
  }
}
