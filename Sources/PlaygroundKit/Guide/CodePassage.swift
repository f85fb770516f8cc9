import Foundation

/// A passage of a source file, between `// anchor: NAME` and `// end: NAME`.
enum CodePassage {
  /// Cuts the passage out, without the indentation that all its lines share; nil if it is not
  /// there.
  static func cut(_ anchor: String, from text: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    func mark(_ word: String) -> Int? {
      lines.firstIndex { $0.trimmingCharacters(in: .whitespaces) == "// \(word): \(anchor)" }
    }
    guard let first = mark("anchor"), let last = mark("end"), first < last else { return nil }
    let passage = lines[(first + 1)..<last]
    let indents = passage.filter { !$0.allSatisfy { $0 == " " } }.map {
      $0.prefix { $0 == " " }.count
    }
    let indent = indents.min() ?? 0
    return passage.map { $0.dropFirst(min(indent, $0.count)) }.joined(separator: "\n")
  }

  /// Every passage with its name, in the order of the file; one without an end is none.
  static func all(in text: String) -> [(name: String, text: String)] {
    text.split(separator: "\n").compactMap { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      guard line.hasPrefix("// anchor: ") else { return nil }
      let name = String(line.dropFirst("// anchor: ".count))
      return cut(name, from: text).map { (name, $0) }
    }
  }
}
