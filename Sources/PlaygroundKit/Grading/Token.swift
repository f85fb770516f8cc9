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
      var rest = Substring(line)
      var follows = false
      while let first = rest.first {
        if first.isWhitespace {
          rest.removeFirst()
          follows = false
          continue
        }
        var text = String(rest.removeFirst())
        if first.isWordCharacter || first == "@" || first == "`" {
          while let next = rest.first, next.isWordCharacter || next == "`" {
            text.append(rest.removeFirst())
          }
        }
        tokens.append(Token(text: text, line: number, followsDirectly: follows))
        follows = true
      }
    }
    return tokens
  }
}

extension Character {
  fileprivate var isWordCharacter: Bool { isLetter || isNumber || self == "_" }
}
