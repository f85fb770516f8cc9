import Foundation

/// How a page looks.
public struct PageStyle: Sendable {
  /// The most characters of a line.
  public var width = 100
  /// Whether the page has ASCII characters only.
  public var ascii = false
  /// Whether colour repeats the symbols.
  public var colour = false

  /// A page of 100 columns without colour.
  public init(width: Int = 100, ascii: Bool = false, colour: Bool = false) {
    self.width = width
    self.ascii = ascii
    self.colour = colour
  }

  /// The widths a page can be printed in.
  public static let widths = 60...400

  /// Text with a heading before its first line and the rest indented under it.
  public func hanging(_ heading: String, _ text: String) -> [String] {
    Wrapping.hanging(heading, text, width: width)
  }

  /// One line with something at its right edge; two if both do not fit into one.
  public func justified(_ left: String, _ right: String) -> [String] {
    Wrapping.justified(left, right, width: width)
  }

  /// A line of code, whose rest is indented further.
  public func code(_ line: String) -> [String] { Wrapping.code(line, width: width) }

  /// A line as it is printed.
  public func finished(_ line: String) -> String {
    let line = ascii ? Self.ascii(line.visible) : line.visible
    return colour ? Self.painted(line) : line
  }

  /// Replaces each other character with one ASCII character, so that columns stay in place.
  static func ascii(_ text: String) -> String {
    String(
      text.map { character in
        if character.isASCII { return character }
        if let plain = replacements[character] { return plain }
        let bare = String(character).decomposedStringWithCanonicalMapping.unicodeScalars.first
        return bare.flatMap { $0.isASCII ? Character($0) : nil } ?? "?"
      })
  }

  /// Text as a terminal may get it: what is not ours is spelt out, and our colours stay.
  public static func safeForTerminal(_ text: String) -> String {
    let parts = text.split(
      separator: #/\u{1B}\[(?:31|32|35|2|0)m/#, omittingEmptySubsequences: false)
    let codes = text.matches(of: #/\u{1B}\[(?:31|32|35|2|0)m/#).map { String($0.output) } + [""]
    return zip(parts, codes).map { String($0).visible + $1 }.joined()
  }

  private static let replacements: [Character: Character] = [
    "─": "-", "·": ".", "–": "-", "−": "-", "…": "~", "✗": "x", "✓": "+", "×": "x", "µ": "u",
    "“": "\"", "”": "\"", "’": "'", "‘": "'", "→": ">", "▓": "#", "▁": "_", "▂": ".", "▃": ":",
    "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#", "▒": ":", "●": "@", "○": "o", "│": "|",
    "┌": "+", "┐": "+", "└": "+", "┘": "+",
  ]

  /// Colours words and symbols; nothing is said by colour alone.
  static func painted(_ line: String) -> String {
    var line = line
    for (token, code) in [
      ("✗", 31), ("✓", 32), ("WRONG", 31), ("RIGHT", 32), ("forbidden", 31), ("accepted", 32),
      ("undeclared", 35), ("●", 31),
    ] {
      line = line.replacingOccurrences(of: token, with: "\u{1B}[\(code)m\(token)\u{1B}[0m")
    }
    // Where it fills a column; in a sentence it is a word.
    line.replace(#/  same(?=  |$)/#) { "\u{1B}[2m\($0.output)\u{1B}[0m" }
    // A sentence that there is no forbidden outcome is no warning.
    return line.replacingOccurrences(
      of: "\u{1B}[31mforbidden\u{1B}[0m outcome", with: "forbidden outcome")
  }
}
