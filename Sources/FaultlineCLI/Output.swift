import Foundation
import PlaygroundKit
import Synchronization

/// Where data goes: standard output, or a file.
///
/// Text for a file is held until `finish`, which replaces the file. A command that is refused or
/// interrupted leaves the old one.
final class Output: Sendable {
  /// Standard output.
  static var standard: Output { Output(descriptor: STDOUT_FILENO, name: "standard output") }

  private static let advice = "give -o another path"

  private let descriptor: Int32
  private let name: String
  private let file: WholeFile?
  private let held = Mutex("")
  private let isReaderGone = Mutex(false)

  private init(descriptor: Int32, name: String, file: WholeFile? = nil) {
    self.descriptor = descriptor
    self.name = name
    self.file = file
  }

  /// A file, which `finish` writes, or a pipe or a device, which is written at once.
  convenience init(path: String) throws(Complaint) {
    if WholeFile.isStream(path) {
      let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      guard descriptor >= 0 else { throw WholeFile.refusal(of: path, advice: Self.advice) }
      self.init(descriptor: descriptor, name: path)
    } else {
      self.init(descriptor: -1, name: path, file: try WholeFile(path, advice: Self.advice))
      Self.unfinished.withLock { $0.append(self) }
    }
  }

  private static let unfinished = Mutex<[Output]>([])

  /// Writes the files whose text is complete.
  static func finish() throws(Complaint) {
    for output in unfinished.withLock({ $0 }) {
      try output.file?.write(output.held.withLock { $0 })
    }
    for line in done.withLock({ $0 }) { StandardStreams.complain(line.visible + "\n") }
  }

  private static let done = Mutex<[String]>([])

  /// Says on standard error, once the files are written, what was done.
  static func tellWhenDone(_ line: String) { done.withLock { $0.append(line) } }

  /// Writes all of it. If the reader goes away, the first write after that is skipped, and the
  /// second ends the program.
  func write(_ text: String) throws {
    // A page spells out what is not ours as it is made, so that columns stay; this is for the rest.
    let text =
      descriptor == STDOUT_FILENO && Terminal.isOutput
      ? PageStyle.safeForTerminal(text) : text.visible
    if file != nil { return held.withLock { $0 += text } }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        // `faultline list | head -1` has all that it wants. The verdict may still be the exit code.
        let wasGone = isReaderGone.withLock { isGone in
          defer { isGone = true }
          return isGone
        }
        if wasGone { throw Leave(status: .done) }
        return
      } else if errno != EINTR {
        throw WholeFile.refusal(of: name, advice: "send it somewhere else")
      }
    }
  }

  /// A value as JSON, keys in order, ending with a line break.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self).visibleInJSON + "\n"
  }

  /// Stores the ids that were printed as digests, so that they can be replayed; if that fails, what
  /// was printed still holds.
  static func keep(_ ids: [ScheduleID]) {
    do { try ScheduleShelf().keep(ids) } catch { complain(error.description) }
  }

  /// Prints a sentence on standard error, without the middle of words that are too long to read.
  static func complain(_ sentence: String) {
    let words = sentence.visible.split(separator: " ", omittingEmptySubsequences: false)
    let text = words.map { shortened($0, 300) }.joined(separator: " ")
    StandardStreams.complain("faultline: \(cut(text))\n")
  }

  private static let charactersMax = 12_000

  /// The first lines of a text, as many as a person may read; a sentence without its middle.
  private static func cut(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var room = lines.count > 1 ? charactersMax : charactersMax / 4
    let told = lines.prefix { line in
      room -= line.count
      return room >= 0
    }
    guard told.count < lines.count else { return text }
    guard !told.isEmpty else { return shortened(text[...], charactersMax / 4) }
    return told.joined(separator: "\n") + "\n… \(lines.count - told.count) more lines"
  }

  private static func shortened(_ text: Substring, _ most: Int) -> String {
    let count = text.count
    guard count > most else { return String(text) }
    return "\(text.prefix(most / 3))… (\(count) characters) …\(text.suffix(most / 3))"
  }
}
