import Foundation

/// Work that was put off is an issue, not a comment; only exercises leave gaps on purpose.
enum LeftoverCheck {
  private static let words = ["TODO", "FIXME", "XXX", "HACK"]

  /// Looks for comments, or lines of prose, that begin with such a word.
  static func complaints(about file: TextFile) -> [Complaint] {
    if file.path.contains("/Exercise/") { return [] }
    let lines =
      file.path.hasSuffix(".swift") ? file.swift.comments : file.lines.map(String.init)
    return lines.enumerated().compactMap { number, line in
      let start = line.drop { !$0.isLetter && $0 != "`" && $0 != "\"" }
      guard let word = words.first(where: { begins(start, with: $0) }) else { return nil }
      return Complaint(
        path: file.path, line: number + 1, text: "\(word): do it now, or open an issue")
    }
  }

  private static func begins(_ line: Substring, with word: String) -> Bool {
    line.hasPrefix(word) && !(line.dropFirst(word.count).first?.isLetter ?? false)
  }
}
