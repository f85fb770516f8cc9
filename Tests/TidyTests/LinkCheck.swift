import Foundation

/// Every link in a Markdown file leads to a file of the repository, and to an anchor that it has.
enum LinkCheck {
  /// Follows the links of one file; `read` gives the text of a Markdown file by its path.
  static func complaints(
    about file: TextFile, paths: Set<String>, read: (String) -> String?
  ) -> [Complaint] {
    var complaints: [Complaint] = []
    for (number, line) in proseLines(file.text).enumerated() {
      for match in line.matches(of: #/\]\(([^)\s]+)\)/#) {
        let target = String(match.output.1)
        guard let wrong = problem(with: target, from: file, paths, read) else { continue }
        complaints.append(Complaint(path: file.path, line: number + 1, text: "\(target): \(wrong)"))
      }
    }
    return complaints
  }

  private static func problem(
    with target: String, from file: TextFile, _ paths: Set<String>, _ read: (String) -> String?
  ) -> String? {
    if target.contains("://") || target.hasPrefix("mailto:") { return nil }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].isEmpty ? file.path : resolve(String(parts[0]), from: file.path)
    guard paths.contains(path) else { return "there is no \(path)" }
    guard parts.count == 2, path.hasSuffix(".md") else { return nil }
    let text = path == file.path ? file.text : read(path) ?? ""
    return anchors(in: text).contains(String(parts[1])) ? nil : "\(path) has no anchor #\(parts[1])"
  }

  private static func resolve(_ target: String, from path: String) -> String {
    var parts = path.split(separator: "/").dropLast().map(String.init)
    for part in target.split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }

  /// The anchors a page offers: its headings, and `<a id="…">`.
  static func anchors(in text: String) -> Set<String> {
    var anchors = Set(text.matches(of: #/<a id="([^"]+)">/#).map { String($0.output.1) })
    for line in proseLines(text) where line.hasPrefix("#") {
      let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
      anchors.insert(
        String(
          title.compactMap { character -> Character? in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || "-_".contains(character)
              ? character : nil
          }))
    }
    return anchors
  }

  /// The lines of a page, with those inside fences blanked.
  private static func proseLines(_ text: String) -> [String] {
    var inside = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        inside.toggle()
        return ""
      }
      return inside ? "" : String(line)
    }
  }
}
