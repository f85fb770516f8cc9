/// A mistake in a format string, and the place where it was noticed.
struct PredicateSyntaxError: Error {
  /// The whole format string.
  let format: String
  /// How many characters stand before the place.
  let offset: Int
  /// What is wrong there.
  let reason: String

  /// Stops the process with the mistake, as Core Data raises.
  func stop() -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: Unable to parse the format string \"\(format)\" at character "
        + "\(offset + 1): \(reason).")
  }
}

/// Takes a format string apart into words, signs, literals and placeholders.
struct PredicateLexer {
  /// One piece of a format string.
  enum Token: Equatable {
    /// A name or keyword.
    case word(String)
    /// A name after `#`, which is never a keyword.
    case name(String)
    /// The name of a variable, without `$`.
    case variable(String)
    /// A collection operator or other name that begins with `@`.
    case operation(String)
    /// One or two signs.
    case sign(String)
    /// Quoted text.
    case text(String)
    /// A number as it is written.
    case integer(Int)
    case double(Double)
    /// A placeholder, by the letter of its kind.
    case argument(Character)
    /// Behind the last piece.
    case end
  }

  /// A piece and where it begins.
  struct Piece {
    let token: Token
    let offset: Int
    /// A word in capitals, as keywords are compared; empty for anything else.
    let keyword: String
  }

  private let format: String
  private let letters: [Unicode.Scalar]
  private var at = 0

  /// The pieces of format strings that were taken apart before: programs have few of them.
  ///
  /// By their bytes: strings that differ in how an accent is encoded are equal in Swift.
  private static let known = Lock<[[UInt8]: [Piece]]>([:])
  private static let knownMax = 256

  /// The pieces of a format string, the end among them.
  static func pieces(of format: String) throws(PredicateSyntaxError) -> [Piece] {
    let bytes = Array(format.utf8)
    if let pieces = known.withLock({ $0[bytes] }) { return pieces }
    let pieces = try read(format)
    known.withLock { known in
      // Somebody who puts values into formats makes no end of them.
      if known.count >= knownMax { known = [:] }
      known[bytes] = pieces
    }
    return pieces
  }

  private static func read(_ format: String) throws(PredicateSyntaxError) -> [Piece] {
    var lexer = PredicateLexer(format)
    var pieces: [Piece] = []
    while true {
      while lexer.at < lexer.letters.count, lexer.letters[lexer.at].properties.isWhitespace {
        lexer.at += 1
      }
      let offset = lexer.at
      let token = try lexer.next()
      var keyword = ""
      if case .word(let word) = token { keyword = word.uppercased() }
      pieces.append(Piece(token: token, offset: offset, keyword: keyword))
      if token == .end { return pieces }
    }
  }

  private init(_ format: String) {
    self.format = format
    letters = Array(format.unicodeScalars)
  }

  private func fail(_ reason: String, at offset: Int) -> PredicateSyntaxError {
    PredicateSyntaxError(format: format, offset: offset, reason: reason)
  }

  private mutating func next() throws(PredicateSyntaxError) -> Token {
    guard at < letters.count else { return .end }
    let start = at
    let letter = letters[at]
    at += 1
    switch letter {
    case "\"", "'": return .text(try text(until: letter, from: start))
    case "%": return try placeholder(from: start)
    case "$": return .variable(try word(after: "$", from: start))
    case "@": return .operation("@" + (try word(after: "@", from: start)))
    case "#": return .name(try word(after: "#", from: start))
    default: break
    }
    if Self.isDigit(letter) { return try number(from: start) }
    if letter == ".", at < letters.count, Self.isDigit(letters[at]) {
      // A point after a name leads to the next name of a path, even if that is a mistake.
      return try number(from: start)
    }
    if Self.beginsWord(letter) {
      at = start
      return .word(word())
    }
    if at < letters.count, Self.isPair(letter, letters[at]) {
      at += 1
      return .sign(text(from: start))
    }
    guard "=<>!&|^~+-*/(){}[],.:".unicodeScalars.contains(letter) else {
      throw fail("the character \(letter) has no meaning here", at: start)
    }
    return .sign(String(letter))
  }

  private static func isPair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
    switch (first, second) {
    case ("=", "="), ("=", ">"), ("=", "<"), ("<", "="), (">", "="), ("<", ">"), ("!", "="),
      ("&", "&"), ("|", "|"), ("*", "*"), ("<", "<"), (">", ">"):
      true
    default: false
    }
  }

  private static func isDigit(_ letter: Unicode.Scalar) -> Bool { ("0"..."9").contains(letter) }

  private static func beginsWord(_ letter: Unicode.Scalar) -> Bool {
    if letter.isASCII {
      return ("a"..."z").contains(letter) || ("A"..."Z").contains(letter) || letter == "_"
    }
    return letter.properties.isAlphabetic || letter.properties.generalCategory == .nonspacingMark
  }

  /// What stands between a place and the next letter to be read.
  private func text(from start: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: letters[start..<at])
    return String(text)
  }

  /// A word; a colon belongs to it where a function's name has one, before `(` or another part.
  private mutating func word() -> String {
    let start = at
    while at < letters.count {
      let letter = letters[at]
      if Self.beginsWord(letter) || Self.isDigit(letter) {
        at += 1
      } else if letter == ":", at + 1 < letters.count,
        letters[at + 1] == "(" || Self.beginsWord(letters[at + 1])
      {
        at += 1
      } else {
        break
      }
    }
    return text(from: start)
  }

  private mutating func word(
    after sign: Unicode.Scalar, from start: Int
  ) throws(PredicateSyntaxError) -> String {
    guard at < letters.count, Self.beginsWord(letters[at]) else {
      throw fail("a name was expected after \(sign)", at: start)
    }
    return word()
  }

  private mutating func text(
    until quote: Unicode.Scalar, from start: Int
  ) throws(PredicateSyntaxError) -> String {
    var text = String.UnicodeScalarView()
    while at < letters.count {
      let letter = letters[at]
      at += 1
      if letter == quote { return String(text) }
      guard letter == "\\", at < letters.count else {
        text.append(letter)
        continue
      }
      let escaped = letters[at]
      at += 1
      switch escaped {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "u", "x": text.append(try code(digits: escaped == "u" ? 4 : 2, from: at - 2))
      default: text.append(escaped)
      }
    }
    throw fail("the quotation that begins here does not end", at: start)
  }

  private mutating func code(
    digits: Int, from start: Int
  ) throws(PredicateSyntaxError) -> Unicode.Scalar {
    let first = at
    at = min(at + digits, letters.count)
    guard let code = UInt32(text(from: first), radix: 16), let scalar = Unicode.Scalar(code) else {
      throw fail("\(digits) hexadecimal digits of a character were expected", at: start)
    }
    return scalar
  }

  private mutating func placeholder(from start: Int) throws(PredicateSyntaxError) -> Token {
    while at < letters.count, "hlqztjL".unicodeScalars.contains(letters[at]) { at += 1 }
    guard at < letters.count else { throw fail("a placeholder ends too early", at: start) }
    let kind = letters[at]
    at += 1
    if kind == "%" { return .sign("%") }
    guard "@KdDiuUxXoOfFeEgGaAcCsSp".unicodeScalars.contains(kind) else {
      throw fail("%\(kind) is not a placeholder; use %@, %K, %d or %f", at: start)
    }
    if at < letters.count, Self.beginsWord(letters[at]) {
      throw fail("a placeholder runs into the word that begins with \(letters[at])", at: start)
    }
    return .argument(Character(kind))
  }

  private mutating func number(from start: Int) throws(PredicateSyntaxError) -> Token {
    if letters[start] == "0", at < letters.count, "xXoObB".unicodeScalars.contains(letters[at]) {
      return try radixNumber(from: start)
    }
    at = start
    var isWhole = true
    while at < letters.count, Self.isDigit(letters[at]) { at += 1 }
    if at + 1 < letters.count, letters[at] == ".", Self.isDigit(letters[at + 1]) {
      isWhole = false
      at += 1
      while at < letters.count, Self.isDigit(letters[at]) { at += 1 }
    }
    if at < letters.count, letters[at] == "e" || letters[at] == "E" {
      var end = at + 1
      if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
      if end < letters.count, Self.isDigit(letters[end]) {
        isWhole = false
        while end < letters.count, Self.isDigit(letters[end]) { end += 1 }
        at = end
      }
    }
    if at < letters.count, Self.beginsWord(letters[at]) {
      throw fail("a number runs into the word that begins with \(letters[at])", at: start)
    }
    let digits = text(from: start)
    if isWhole, let number = Int(digits) { return .integer(number) }
    guard let number = Double(digits), number.isFinite else {
      throw fail("\(digits) is too large", at: start)
    }
    return .double(number)
  }

  private mutating func radixNumber(from start: Int) throws(PredicateSyntaxError) -> Token {
    let radix = ["x": 16, "o": 8, "b": 2][letters[at].properties.lowercaseMapping] ?? 16
    at += 1
    let first = at
    while at < letters.count, letters[at].properties.isASCIIHexDigit { at += 1 }
    guard let number = Int(text(from: first), radix: radix) else {
      throw fail("a number of radix \(radix) was expected", at: start)
    }
    return .integer(number)
  }
}
