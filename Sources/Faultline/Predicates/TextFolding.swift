import Foundation

/// Makes texts alike that comparisons with `[c]` and `[d]` take for the same.
enum TextFolding {
  /// A text with what the options make no difference of taken away.
  static func fold(_ text: String, _ options: NSComparisonPredicate.Options) -> String {
    if options.contains(.normalized) { return text }
    let ignoresCase = options.contains(.caseInsensitive)
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return ignoresCase ? text.lowercased() : text }
    guard options.contains(.diacriticInsensitive) else {
      return ignoresCase ? text.lowercased() : text
    }
    let folded = text.folding(options: .diacriticInsensitive, locale: nil)
    return ignoresCase ? folded.lowercased() : folded
  }

  /// Whether a text has another inside, byte by byte; every text has the empty one.
  static func contains(_ text: String, _ part: String) -> Bool {
    guard let first = part.utf8.first else { return true }
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { start in
      text[start] == first && text[start..<start + part.count].elementsEqual(part)
    }
  }
}

/// A pattern of `LIKE`: `*` is any text, `?` any one character, `\` takes the meaning off the next.
struct LikePattern {
  private enum Part: Equatable {
    case any
    case one
    case scalar(Unicode.Scalar)
  }

  private let parts: [Part]

  init(_ pattern: String) {
    var parts: [Part] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.scalar(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "*": if parts.last != .any { parts.append(.any) }
      case "?": parts.append(.one)
      default: parts.append(.scalar(scalar))
      }
    }
    if isEscaped { parts.append(.scalar("\\")) }
    self.parts = parts
  }

  /// Whether a text fits the pattern from end to end.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var (at, part) = (0, 0)
    var retry: (at: Int, part: Int)?
    while at < scalars.count {
      if part < parts.count, parts[part] == .any {
        part += 1
        retry = (at, part)
      } else if part < parts.count, parts[part] == .one || parts[part] == .scalar(scalars[at]) {
        part += 1
        at += 1
      } else if let last = retry {
        // The last star takes one more character.
        retry = (last.at + 1, last.part)
        (at, part) = (last.at + 1, last.part)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .any }
  }

  /// The pattern as SQLite's `GLOB` has it, whose signs are put in brackets.
  var glob: String {
    var glob = ""
    for part in parts {
      switch part {
      case .any: glob += "*"
      case .one: glob += "?"
      case .scalar(let scalar): glob += Self.literal(scalar)
      }
    }
    return glob
  }

  /// A text that `GLOB` takes literally.
  static func literal(_ text: String) -> String {
    text.unicodeScalars.map(literal).joined()
  }

  private static func literal(_ scalar: Unicode.Scalar) -> String {
    "*?[".unicodeScalars.contains(scalar) ? "[\(scalar)]" : "\(scalar)"
  }
}

/// The pattern of `MATCHES`, as ICU understands it.
struct RegularPattern: @unchecked Sendable {
  private let expression: NSRegularExpression

  /// Compiles a pattern; nil if it is none.
  init?(_ pattern: String, _ options: NSComparisonPredicate.Options) {
    let options: NSRegularExpression.Options =
      options.contains(.caseInsensitive) ? .caseInsensitive : []
    // Closed in other ways, a pattern that is none could become one.
    guard (try? NSRegularExpression(pattern: pattern, options: options)) != nil else { return nil }
    // A comment ends with its line only, and a quotation with `\E`.
    for end in ["", "\n", "\\E"] {
      let whole = "\\A(?:\(pattern)\(end))\\z"
      guard let expression = try? NSRegularExpression(pattern: whole, options: options) else {
        continue
      }
      self.expression = expression
      return
    }
    return nil
  }

  /// Compiles a pattern; one that is none stops, as Core Data raises.
  static func compiled(
    _ pattern: String, _ options: NSComparisonPredicate.Options
  ) -> RegularPattern {
    let key = "\(options.contains(.caseInsensitive) ? 1 : 0)\(pattern)"
    if let known = latest.withLock({ $0[key] }) { return known }
    let made = made(pattern, options)
    latest.withLock {
      if $0.count >= 32 { $0.removeAll() }
      $0[key] = made
    }
    return made
  }

  /// The patterns compiled last, because one is mostly held against many texts.
  private static let latest = Lock<[String: RegularPattern]>([:])

  private static func made(
    _ pattern: String, _ options: NSComparisonPredicate.Options
  ) -> RegularPattern {
    guard let compiled = RegularPattern(pattern, options) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Can't do regex matching: \(pattern) is no regular expression.")
    }
    return compiled
  }

  /// Whether the expression fits a whole text.
  func matches(_ text: String) -> Bool {
    let whole = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, range: whole)?.range == whole
  }
}

// Safe to share: a regular expression does not change, and Foundation lets several threads match.
