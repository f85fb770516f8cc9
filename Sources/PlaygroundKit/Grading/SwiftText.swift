/// Swift source taken apart into code and comments, each laid out on the lines where it stood.
///
/// What is inside string literals is blanked, what is interpolated into them is code.
package struct SwiftText: Sendable {
  /// The code, line by line, with comments and the insides of strings blanked.
  package let code: [String]
  /// The comments, line by line, with everything else blanked.
  package let comments: [String]

  /// Takes a source text apart.
  package init(_ text: String) {
    var reader = Reader(Array(text.utf8))
    reader.readCode(insideInterpolation: false)
    code = Self.lines(reader.code)
    comments = Self.lines(reader.comments)
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

private struct Reader {
  let bytes: [UInt8]
  var at = 0
  var code: [UInt8]
  var comments: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let blank = bytes.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
    code = blank
    comments = blank
  }

  func looking(at word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard at + count <= bytes.count, bytes[at] == word.utf8Start[0] else { return false }
    return (0..<count).allSatisfy { bytes[at + $0] == word.utf8Start[$0] }
  }

  mutating func keepAsCode() {
    code[at] = bytes[at]
    at += 1
  }

  mutating func readCode(insideInterpolation: Bool) {
    var depth = 0
    while at < bytes.count {
      if looking(at: "//") {
        readLineComment()
      } else if looking(at: "/*") {
        readBlockComment()
      } else if bytes[at] == UInt8(ascii: "\"") || starts("#", before: "\"") {
        readString()
      } else if starts("#", before: "/") {
        readExtendedRegex()
      } else if let end = endOfRegex {
        at = end
      } else {
        if bytes[at] == UInt8(ascii: "(") { depth += 1 }
        if bytes[at] == UInt8(ascii: ")") {
          depth -= 1
          if insideInterpolation, depth < 0 { return }
        }
        keepAsCode()
      }
    }
  }

  /// Whether here are some marks of one kind before another.
  func starts(_ mark: Unicode.Scalar, before other: Unicode.Scalar) -> Bool {
    var next = at
    while next < bytes.count, bytes[next] == UInt8(ascii: mark) { next += 1 }
    return next > at && next < bytes.count && bytes[next] == UInt8(ascii: other)
  }

  /// The end of a regex literal that begins here, between two slashes on one line; a quote inside
  /// it begins no string. A slash after a value is an operator.
  var endOfRegex: Int? {
    guard bytes[at] == UInt8(ascii: "/"), at + 1 < bytes.count,
      ![" ", "\t", "\n", ")"].contains(UnicodeScalar(bytes[at + 1])), !followsValue
    else { return nil }
    var next = at + 1
    while next < bytes.count, bytes[next] != UInt8(ascii: "\n") {
      if bytes[next] == UInt8(ascii: "/") { return next + 1 }
      next += bytes[next] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// Whether what stands before is the end of a value: a name, a number, a closing bracket.
  private var followsValue: Bool {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let last = code[..<at].lastIndex(where: { !isSpace($0) }) else { return false }
    let byte = code[last]
    let isWord: (UInt8) -> Bool = { byte in
      let scalar = UnicodeScalar(byte)
      return byte >= 0x80 || scalar == "_" || scalar == "`"
        || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    guard isWord(byte) else { return [")", "]", "}", "\"", "?"].contains(UnicodeScalar(byte)) }
    let start = code[...last].lastIndex { !isWord($0) }.map { $0 + 1 } ?? 0
    let word = String(decoding: code[start...last], as: UTF8.self)
    return !["return", "in", "case", "try", "await", "throw", "if", "guard", "while"].contains(word)
  }

  /// Passes over a regex literal between `#/` and `/#`, which may have several lines.
  mutating func readExtendedRegex() {
    var hashes = 0
    while bytes[at] == UInt8(ascii: "#") {
      hashes += 1
      at += 1
    }
    at += 1
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "/"), hashesFollow(at + 1, hashes) {
        at += 1 + hashes
        return
      }
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    at = min(at, bytes.count)
  }

  mutating func readLineComment() {
    while at < bytes.count, bytes[at] != UInt8(ascii: "\n") {
      comments[at] = bytes[at]
      at += 1
    }
  }

  mutating func readBlockComment() {
    var depth = 0
    repeat {
      if looking(at: "/*") { depth += 1 }
      if looking(at: "*/") { depth -= 1 }
      if bytes[at] != UInt8(ascii: "\n") { comments[at] = bytes[at] }
      at += 1
    } while at < bytes.count && depth > 0
    at = min(at + 1, bytes.count)
  }

  mutating func readString() {
    var hashes = 0
    while bytes[at] == UInt8(ascii: "#") {
      hashes += 1
      at += 1
    }
    let quotes = looking(at: "\"\"\"") ? 3 : 1
    for _ in 0..<quotes { keepAsCode() }
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "\\"), hashesFollow(at + 1, hashes) {
        at = min(at + 1 + hashes, bytes.count)
        guard at < bytes.count else { return }
        let interpolates = bytes[at] == UInt8(ascii: "(")
        at += 1
        if interpolates {
          readCode(insideInterpolation: true)
          at = min(at + 1, bytes.count)
        }
      } else if endsString(quotes: quotes, hashes: hashes) {
        for _ in 0..<quotes { keepAsCode() }
        at += hashes
        return
      } else {
        at += 1
      }
    }
  }

  func hashesFollow(_ start: Int, _ count: Int) -> Bool {
    start + count <= bytes.count
      && (0..<count).allSatisfy { bytes[start + $0] == UInt8(ascii: "#") }
  }

  func endsString(quotes: Int, hashes: Int) -> Bool {
    guard at + quotes + hashes <= bytes.count else { return false }
    return (0..<quotes).allSatisfy { bytes[at + $0] == UInt8(ascii: "\"") }
      && hashesFollow(at + quotes, hashes)
  }
}
