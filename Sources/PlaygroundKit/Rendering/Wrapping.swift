/// Breaks text into lines of a given width.
enum Wrapping {
  /// Breaks at spaces, and inside a word only if the word alone is wider than a line.
  static func lines(_ text: String, width: Int) -> [String] {
    let indent = text.prefix { $0 == " " }
    if !indent.isEmpty, indent.count < width {
      return Wrapping.lines(String(text.dropFirst(indent.count)), width: width - indent.count)
        .map { indent + $0 }
    }
    let width = max(1, width)
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
        if !line.isEmpty, line.count + 1 + word.count <= width {
          line += " " + word
          continue
        }
        if !line.isEmpty { lines.append(line) }
        var rest = word
        while rest.count > width {
          lines.append(String(rest.prefix(width)))
          rest = rest.dropFirst(width)
        }
        line = String(rest)
      }
      lines.append(line)
    }
    return lines
  }

  /// The same, with a heading before the first line and the rest indented under it.
  static func hanging(_ heading: String, _ text: String, width: Int) -> [String] {
    let indent = String(repeating: " ", count: heading.count)
    return lines(text, width: width - heading.count).enumerated().map { index, line in
      (index == 0 ? heading : indent) + line
    }
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
