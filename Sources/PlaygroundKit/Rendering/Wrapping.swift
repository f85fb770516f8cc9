/// Breaks text into lines of a given width.
enum Wrapping {
  /// Breaks at spaces, and inside a word only if the word alone is wider than a line.
  static func lines(_ text: String, width: Int) -> [String] {
    let text = text.visible
    let indent = text.prefix { $0 == " " }
    if !indent.isEmpty, indent.count < width {
      return Wrapping.lines(String(text.dropFirst(indent.count)), width: width - indent.count)
        .map { indent + $0 }
    }
    let width = max(1, width)
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in words(paragraph, width: width) {
        if !line.isEmpty, line.count + 1 + word.count <= width {
          line += " " + word
          continue
        }
        if !line.isEmpty { lines.append(line) }
        var rest = word
        // Not `rest.count`, which would be counted again for each line of a word without an end.
        while !rest.dropFirst(width).isEmpty {
          let head = head(of: rest, width: width)
          lines.append(String(head))
          rest = rest.dropFirst(head.count)
        }
        line = String(rest)
      }
      lines.append(line)
    }
    return lines
  }

  /// Splits at spaces, but not inside a command or code between backticks that fits into a line.
  private static func words(_ text: Substring, width: Int) -> [Substring] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    var joined: [Substring] = []
    var start: Substring.Index?
    for word in words {
      let isEdge = word.count { $0 == "`" } % 2 == 1
      if let first = start, isEdge {
        let whole = text[first..<word.endIndex]
        if whole.count <= width {
          while let last = joined.last, last.startIndex >= first { joined.removeLast() }
          joined.append(whole)
        } else {
          joined.append(word)
        }
        start = nil
      } else {
        if isEdge { start = word.startIndex }
        joined.append(word)
      }
    }
    return joined
  }

  /// What of a long word stands in a line: up to its last slash, if that fills enough of it.
  private static func head(of word: Substring, width: Int) -> Substring {
    let head = word.prefix(width)
    guard let slash = head.lastIndex(of: "/") else { return head }
    let part = head[...slash]
    return part.count * 3 > width ? part : head
  }

  /// The same, with a heading before the first line and the rest indented under it; a text that
  /// begins with `faultline` is a command, with what it does after three spaces.
  static func hanging(_ heading: String, _ text: String, width: Int) -> [String] {
    let indent = String(repeating: " ", count: heading.count)
    let width = width - heading.count
    let lines =
      text.hasPrefix("faultline ") ? command(text, width: width) : lines(text, width: width)
    return lines.enumerated().map { index, line in (index == 0 ? heading : indent) + line }
  }

  /// A command that can be copied: whole on a line of its own, or, where that is too short,
  /// continued as in a shell.
  private static func command(_ text: String, width: Int) -> [String] {
    guard text.count > width else { return [text] }
    let gap = text.range(of: "   ")
    let command = String(text[..<(gap?.lowerBound ?? text.endIndex)])
    let meaning = gap.map { String(text[$0.upperBound...]) } ?? ""
    var broken = [command]
    if command.count > width {
      broken = lines(command, width: width - 2)
      let isWhole = broken.joined(separator: " ") == command && !command.contains("'")
      if isWhole { broken = broken.dropLast().map { $0 + " \\" } + [broken.last!] }
    }
    return broken + (meaning.isEmpty ? [] : lines("  " + meaning, width: width))
  }

  /// A line of code, whose rest is indented further, or is a comment again.
  static func code(_ line: String, width: Int) -> [String] {
    let indent = line.prefix { $0 == " " }
    let slashes = line.dropFirst(indent.count).prefix { $0 == "/" }
    let more = slashes.count > 1 ? "\(slashes) " : "    "
    return lines(String(line.dropFirst(indent.count)), width: width - indent.count - more.count)
      .enumerated().map { index, text in indent + (index == 0 ? "" : more) + text }
  }

  /// Fills up with spaces, or cuts, to exactly the width.
  static func padded(_ text: String, _ width: Int) -> String {
    let text = text.visible
    if text.count > width { return String(text.prefix(max(0, width - 1))) + "…" }
    return text + String(repeating: " ", count: width - text.count)
  }

  /// One line with something at its right edge; if both do not fit into one, two lines, or the left
  /// one alone.
  static func justified(
    _ left: String, _ right: String, width: Int, mayDrop: Bool = false
  ) -> [String] {
    guard !right.isEmpty else { return lines(left, width: width) }
    var lines = Wrapping.lines(left, width: width)
    let last = lines.count - 1
    if lines[last].count + 1 + right.count <= width {
      let gap = width - lines[last].count - right.count
      lines[last] += String(repeating: " ", count: gap) + right
    } else if !mayDrop {
      let right = right.prefix(width)
      lines.append(String(repeating: " ", count: width - right.count) + right)
    }
    return lines
  }
}
