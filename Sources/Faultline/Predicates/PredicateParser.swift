import Foundation

/// Reads a predicate format string.
///
/// Operators bind, from the loosest to the tightest: `OR`, `AND`, `NOT`, comparisons, `UNION`
/// `INTERSECT` `MINUS`, `&` `|` `^` `<<` `>>`, `+ -`, `* / %%`, `**`, signs, and what follows a
/// value: `.name` and `[index]`.
///
/// A parenthesis may hold a condition or an expression, and which it is shows only behind it. So
/// every level returns an ``Item``, and whoever needs one kind asks for it; nothing is read twice.
struct PredicateParser {
  /// What a piece of a format string means.
  enum Item {
    case condition(NSPredicate)
    case expression(NSExpression)
  }

  /// How deep parentheses, lists and signs may be nested.
  private static let depthMax = 200
  /// The format string, for errors.
  let format: String
  /// Its pieces.
  private let pieces: [PredicateLexer.Piece]
  /// The piece to be read next.
  private var position = 0
  private var arguments: ArraySlice<Any?>
  /// How deep the piece to be read next is nested.
  var depth = 0

  init(_ format: String, _ arguments: [Any?]) throws(PredicateSyntaxError) {
    self.format = format
    self.arguments = arguments[...]
    pieces = try PredicateLexer.pieces(of: format)
  }

  /// The predicate that the whole string states.
  mutating func wholePredicate() throws(PredicateSyntaxError) -> NSPredicate {
    let item = try disjunction()
    let predicate = try condition(item, from: 0)
    try expectEnd()
    return predicate
  }

  /// The expression that the whole string is.
  mutating func wholeExpression() throws(PredicateSyntaxError) -> NSExpression {
    let expression = try expression(disjunction(), from: 0)
    try expectEnd()
    return expression
  }

  private func expectEnd() throws(PredicateSyntaxError) {
    if token != .end { throw fail("there is something after the end") }
  }

  // MARK: Conditions

  /// Conditions joined by `OR`.
  mutating func disjunction() throws(PredicateSyntaxError) -> Item {
    try joined(.or, word: "OR", sign: "||") { parser throws(PredicateSyntaxError) in
      try parser.conjunction()
    }
  }

  private mutating func conjunction() throws(PredicateSyntaxError) -> Item {
    try joined(.and, word: "AND", sign: "&&") { parser throws(PredicateSyntaxError) in
      try parser.negation()
    }
  }

  private mutating func joined(
    _ type: NSCompoundPredicate.LogicalType, word: String, sign: String,
    _ part: (inout PredicateParser) throws(PredicateSyntaxError) -> Item
  ) throws(PredicateSyntaxError) -> Item {
    let start = position
    let first = try part(&self)
    guard isNext(word: word) || isNext(sign: sign) else { return first }
    var parts = [try condition(first, from: start)]
    while accept(word: word) || accept(sign: sign) {
      let start = position
      parts.append(try condition(part(&self), from: start))
    }
    return .condition(CompoundPredicate(type: type, subpredicates: parts))
  }

  private mutating func negation() throws(PredicateSyntaxError) -> Item {
    guard isNext(word: "NOT") || isNext(sign: "!") else { return try comparison() }
    position += 1
    try enter()
    defer { depth -= 1 }
    let start = position
    let inner = try condition(negation(), from: start)
    return .condition(CompoundPredicate(type: .not, subpredicates: [inner]))
  }

  private mutating func comparison() throws(PredicateSyntaxError) -> Item {
    if let quantifier = acceptQuantifier() {
      let start = position
      let left = try expression(setOperation(), from: start)
      guard let kind = try acceptOperator() else { throw fail("an operator was expected") }
      let predicate = try compared(
        left, kind.type, kind.options, quantifier == "ALL" ? .all : .any)
      guard quantifier == "NONE" else { return .condition(predicate) }
      return .condition(CompoundPredicate(type: .not, subpredicates: [predicate]))
    }
    let start = position
    let item = try setOperation()
    guard let kind = try acceptOperator() else { return item }
    return .condition(
      try compared(expression(item, from: start), kind.type, kind.options, .direct))
  }

  private mutating func acceptQuantifier() -> String? {
    let keyword = pieces[position].keyword
    guard keyword == "ANY" || keyword == "SOME" || keyword == "ALL" || keyword == "NONE" else {
      return nil
    }
    position += 1
    return keyword
  }

  private mutating func compared(
    _ left: NSExpression, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ modifier: NSComparisonPredicate.Modifier
  ) throws(PredicateSyntaxError) -> NSPredicate {
    let start = position
    let right = try expression(setOperation(), from: start)
    return NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: modifier, type: type,
      options: options)
  }

  private mutating func acceptOperator() throws(PredicateSyntaxError) -> (
    type: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options
  )? {
    let type: NSComparisonPredicate.Operator?
    switch token {
    case .sign(let sign): type = NSComparisonPredicate.Operator.bySign[sign]
    case .word: type = NSComparisonPredicate.Operator.bySign[pieces[position].keyword]
    default: type = nil
    }
    guard let type else { return nil }
    position += 1
    guard accept(sign: "[") else { return (type, []) }
    guard case .word(let letters) = token else { throw fail("options such as [cd] were expected") }
    var options: NSComparisonPredicate.Options = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      case "l": options.insert(.localeSensitive)
      default: throw fail("[\(letters)] has an option other than c, d, n and l")
      }
    }
    position += 1
    try expect("]")
    return (type, options)
  }

  // MARK: Reading pieces

  /// The piece to be read next.
  var token: PredicateLexer.Token { pieces[position].token }

  /// Whether the next piece is a word with a parenthesis behind it.
  var isCall: Bool {
    position + 1 < pieces.count && pieces[position + 1].token == .sign("(")
  }

  /// The next piece in capitals, if it is a word.
  var keyword: String { pieces[position].keyword }

  /// Goes on to the next piece.
  mutating func advance() {
    if position < pieces.count - 1 { position += 1 }
  }

  /// Whether the next piece is a keyword.
  func isNext(word: String) -> Bool {
    pieces[position].keyword == word
  }

  private func isNext(sign: String) -> Bool { token == .sign(sign) }

  /// Takes a keyword, if it is the next piece.
  mutating func accept(word: String) -> Bool {
    guard isNext(word: word) else { return false }
    position += 1
    return true
  }

  /// Takes a sign, if it is the next piece.
  mutating func accept(sign: String) -> Bool {
    guard isNext(sign: sign) else { return false }
    position += 1
    return true
  }

  /// Takes a sign that must be the next piece.
  mutating func expect(_ sign: String) throws(PredicateSyntaxError) {
    if !accept(sign: sign) { throw fail("\(sign) was expected") }
  }

  /// The argument of the next placeholder.
  mutating func takeArgument() throws(PredicateSyntaxError) -> Any? {
    guard let argument = arguments.popFirst() else {
      throw fail("there are fewer arguments than placeholders")
    }
    return argument.flattened
  }

  /// Counts one level of nesting; whoever calls it sets `depth` back.
  mutating func enter() throws(PredicateSyntaxError) {
    depth += 1
    if depth > Self.depthMax { throw fail("it is nested more than \(Self.depthMax) deep") }
  }

  /// Where the next piece stands, for errors about what begins there.
  var place: Int { position }

  /// A mistake at the next piece.
  func fail(_ reason: String) -> PredicateSyntaxError {
    fail(reason, at: position)
  }

  /// A mistake at a piece that was read before.
  func fail(_ reason: String, at piece: Int) -> PredicateSyntaxError {
    let isEnd = pieces[piece].token == .end
    return PredicateSyntaxError(
      format: format, offset: pieces[piece].offset,
      reason: isEnd && reason.hasSuffix("expected") ? "it ends too early: \(reason)" : reason)
  }

  /// An item that must be a condition.
  func condition(_ item: Item, from start: Int) throws(PredicateSyntaxError) -> NSPredicate {
    switch item {
    case .condition(let predicate): return predicate
    case .expression(let expression):
      throw token == .end
        ? fail("an operator was expected behind \(expression)")
        : fail("\(expression) is a value where a condition was expected", at: start)
    }
  }

  /// An item that must be a value.
  func expression(_ item: Item, from start: Int) throws(PredicateSyntaxError) -> NSExpression {
    switch item {
    case .expression(let expression): return expression
    case .condition(let predicate):
      throw fail("\(predicate) is a condition where a value was expected", at: start)
    }
  }
}
