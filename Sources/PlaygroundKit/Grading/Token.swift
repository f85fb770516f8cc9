/// A word, an attribute, or one mark of punctuation.
package struct Token: Sendable {
  /// The characters.
  package let text: String
  /// The line, from 0.
  package let line: Int
  /// True when no space stands before it.
  package let followsDirectly: Bool

  /// All tokens of code from which comments and strings are gone.
  package static func all(in lines: [String]) -> [Token] {
    var tokens: [Token] = []
    for (number, line) in lines.enumerated() {
      let bytes = line.utf8
      var at = bytes.startIndex
      var follows = false
      while at != bytes.endIndex {
        let start = at
        let first = bytes[at]
        bytes.formIndex(after: &at)
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") || first == 13 {
          follows = false
          continue
        }
        if isWord(first) || first == UInt8(ascii: "@") {
          while at != bytes.endIndex, isWord(bytes[at]) { bytes.formIndex(after: &at) }
        }
        tokens.append(Token(text: String(line[start..<at]), line: number, followsDirectly: follows))
        follows = true
      }
    }
    return tokens
  }

  /// Letters, digits, an underscore, a backtick; every byte outside ASCII counts as a letter.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
      true
    default: false
    }
  }
}
