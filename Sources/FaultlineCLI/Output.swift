import Foundation
import PlaygroundKit

/// Where data goes: standard output, or a file.
final class Output {
  /// Standard output.
  static var standard: Output { Output(descriptor: STDOUT_FILENO, name: "standard output") }

  private let descriptor: Int32
  private let name: String

  private init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// A file, emptied if it exists.
  convenience init(path: String) throws(Complaint) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno)).lowercased()
      throw Complaint(.input, "\(path) cannot be written (\(reason)): give -o another path.")
    }
    self.init(descriptor: descriptor, name: path)
  }

  /// Writes all of it, or what the reader wants of it if that goes away.
  func write(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        // `faultline list | head -1` has what it wanted.
        return
      } else if errno == ENOSPC || errno == EFBIG {
        throw Complaint(.limit, "There is no room for \(name) on the disk: write somewhere else.")
      } else if errno != EINTR {
        let reason = String(cString: strerror(errno)).lowercased()
        throw Complaint(.input, "Nothing can be written to \(name): \(reason).")
      }
    }
  }

  /// A value as JSON, keys in order, ending with a line break.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Keeps orders that were named, so that their digests can be replayed; what was said stands.
  static func keep(_ ids: [ScheduleID]) {
    do { try ScheduleShelf().keep(ids) } catch { complain(error.description) }
  }

  /// Says a sentence on standard error.
  static func complain(_ sentence: String) {
    FileHandle.standardError.write(Data("faultline: \(sentence)\n".utf8))
  }
}
