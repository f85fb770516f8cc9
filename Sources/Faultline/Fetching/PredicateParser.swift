import Foundation

/// Reads a predicate format string.
///
/// This version knows: comparisons of a key path with a constant (`== = != <> < <= > >= BEGINSWITH
/// CONTAINS ENDSWITH LIKE MATCHES IN`, with `[c]`), `SELF`, `AND OR NOT && || !`, parentheses,
/// `TRUEPREDICATE`,
/// `FALSEPREDICATE`, numbers, quoted text, `nil`, `true`, `false`, and the arguments `%@ %K %d %f`.
/// Anything else stops with a sentence that points at the place.
struct PredicateParser {
  private enum Token: Equatable {
    case word(String)
    case symbol(String)
    case text(String)
    case number(String)
    case argument(Character)
  }

  private let format: String
  private var arguments: ArraySlice<Any?>
  private var tokens: [(token: Token, offset: Int)] = []
  private var position = 0

  init(_ format: String, _ arguments: [Any?]) {
    self.format = format
    self.arguments = arguments[...]
    tokenize()
  }

  /// The condition that the whole string states.
  mutating func parse() -> Filter {
    let filter = disjunction()
    if position < tokens.count { fail("there is something after the end of the condition") }
    return filter
  }

  private mutating func disjunction() -> Filter {
    var parts = [conjunction()]
    while accept(word: "OR") || accept(symbol: "||") { parts.append(conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() -> Filter {
    var parts = [negation()]
    while accept(word: "AND") || accept(symbol: "&&") { parts.append(negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() -> Filter {
    if accept(word: "NOT") || accept(symbol: "!") { return .not(negation()) }
    if accept(symbol: "(") {
      let inner = disjunction()
      if !accept(symbol: ")") { fail("a closing parenthesis is missing") }
      return inner
    }
    if accept(word: "TRUEPREDICATE") { return .constant(true) }
    if accept(word: "FALSEPREDICATE") { return .constant(false) }
    return comparison()
  }

  private mutating func comparison() -> Filter {
    let path = keyPath()
    let (kind, ignoresCase) = comparisonOperator()
    let constant = constant()
    if path.map({ $0.uppercased() }) == ["SELF"] {
      let comparison = Filter.Comparison(
        path: path, comparisonOperator: kind, ignoresCase: false, constant: constant)
      let ids = comparison.constants.compactMap {
        ($0 as? NSManagedObject)?.objectID ?? $0 as? NSManagedObjectID
      }
      // A value that is no object is compared as such, which validation asks for.
      if ids.isEmpty, comparison.constants.contains(where: { $0.flattened != nil }) {
        return .comparison(
          .init(path: path, comparisonOperator: kind, ignoresCase: ignoresCase, constant: constant))
      }
      return kind == .notEqual ? .not(.identity(ids)) : .identity(ids)
    }
    return .comparison(
      .init(path: path, comparisonOperator: kind, ignoresCase: ignoresCase, constant: constant))
  }

  private mutating func keyPath() -> [String] {
    switch next() {
    case .word(let path): return path.split(separator: ".").map(String.init)
    case .argument("K"):
      guard let path = takeArgument() as? String else { fail("%K needs a String") }
      return path.split(separator: ".").map(String.init)
    default: fail("a property name was expected")
    }
  }

  private mutating func comparisonOperator() -> (Filter.Operator, Bool) {
    let kind: Filter.Operator
    switch next() {
    case .symbol("=="), .symbol("="): kind = .equal
    case .symbol("!="), .symbol("<>"): kind = .notEqual
    case .symbol("<"): kind = .less
    case .symbol("<="), .symbol("=<"): kind = .lessOrEqual
    case .symbol(">"): kind = .greater
    case .symbol(">="), .symbol("=>"): kind = .greaterOrEqual
    case .word(let word):
      switch word.uppercased() {
      case "BEGINSWITH": kind = .beginsWith
      case "CONTAINS": kind = .contains
      case "ENDSWITH": kind = .endsWith
      case "LIKE": kind = .like
      case "MATCHES": kind = .matches
      case "IN": kind = .within
      default: fail("\(word) is not an operator this version knows")
      }
    default: fail("an operator was expected")
    }
    guard accept(symbol: "[") else { return (kind, false) }
    guard case .word(let options) = next(), accept(symbol: "]") else { fail("[c] was expected") }
    if options.contains("d") { fail("[d] is not supported in this version") }
    return (kind, options.contains("c"))
  }

  private mutating func constant() -> Any? {
    switch next() {
    case .text(let text): return text
    case .number(let digits): return Int64(digits) ?? Double(digits) as Any?
    case .argument("K"): fail("%K names a property and cannot stand on the right side")
    case .argument: return takeArgument()
    case .symbol("{"): return list()
    case .word(let word):
      switch word.uppercased() {
      case "NIL", "NULL": return nil
      case "TRUE", "YES": return true
      case "FALSE", "NO": return false
      default:
        fail("\(word) is not a constant; a property can only stand on the left in this version")
      }
    default: fail("a constant was expected")
    }
  }

  private mutating func list() -> [Any?] {
    var members: [Any?] = []
    while !accept(symbol: "}") {
      members.append(constant())
      _ = accept(symbol: ",")
    }
    return members
  }

  private mutating func takeArgument() -> Any? {
    guard let argument = arguments.popFirst() else {
      fail("there are fewer arguments than placeholders")
    }
    return argument.flattened
  }

  private mutating func next() -> Token {
    guard position < tokens.count else { fail("it ends too early") }
    defer { position += 1 }
    return tokens[position].token
  }

  private mutating func accept(symbol: String) -> Bool {
    guard position < tokens.count, tokens[position].token == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  private mutating func accept(word: String) -> Bool {
    guard position < tokens.count, case .word(let found) = tokens[position].token,
      found.uppercased() == word
    else { return false }
    position += 1
    return true
  }

  private func fail(_ reason: String) -> Never {
    let place = position < tokens.count ? tokens[max(0, position - 1)].offset : format.count
    ProgrammerError.stop(
      "NSInvalidArgumentException: Unable to parse the format string \"\(format)\" at character "
        + "\(place): "
        + "\(reason).")
  }

  private mutating func tokenize() {
    let letters = Array(format)
    var at = 0
    while at < letters.count {
      let start = at
      let letter = letters[at]
      at += 1
      if letter.isWhitespace { continue }
      var token: Token
      if letter == "\"" || letter == "'" {
        let end = letters[at...].firstIndex(of: letter) ?? letters.count
        token = .text(String(letters[at..<end]))
        at = min(end + 1, letters.count)
      } else if letter == "%" {
        while at < letters.count, letters[at] == "l" { at += 1 }
        token = .argument(at < letters.count ? letters[at] : "?")
        at += 1
      } else if letter.isNumber || (letter == "-" && at < letters.count && letters[at].isNumber) {
        while at < letters.count, letters[at].isNumber || letters[at] == "." { at += 1 }
        token = .number(String(letters[start..<at]))
      } else if letter.isLetter || letter == "_" {
        while at < letters.count,
          letters[at].isLetter || letters[at].isNumber || "._".contains(letters[at])
        {
          at += 1
        }
        token = .word(String(letters[start..<at]))
      } else {
        if at < letters.count, "=<>|&".contains(letters[at]), "=!<>|&".contains(letter) { at += 1 }
        token = .symbol(String(letters[start..<at]))
      }
      tokens.append((token, start + 1))
    }
  }
}
