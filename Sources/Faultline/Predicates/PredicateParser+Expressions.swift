import Foundation

extension PredicateParser {
  private typealias Level = (inout PredicateParser) throws(PredicateSyntaxError) -> Item

  /// Collections joined by `UNION`, `INTERSECT` or `MINUS`, and everything that binds tighter.
  mutating func setOperation() throws(PredicateSyntaxError) -> Item {
    let start = place
    let before = depth
    defer { depth = before }
    var left = try bits()
    while !keyword.isEmpty, let operation = NSExpression.SetOperation(rawValue: keyword) {
      let first = try expression(left, from: start)
      advance()
      try enter()
      let start = place
      let second = try expression(bits(), from: start)
      left = .expression(NSExpression(.set(operation, first, second)))
    }
    return left
  }

  private static let bitFunctions: [String: PredicateFunction] = [
    "&": .bitAnd, "|": .bitOr, "^": .bitXor, "<<": .shiftLeft, ">>": .shiftRight,
  ]
  private static let sums: [String: PredicateFunction] = ["+": .add, "-": .subtract]
  private static let products: [String: PredicateFunction] = [
    "*": .multiply, "/": .divide, "%": .modulus,
  ]
  private static let powers: [String: PredicateFunction] = ["**": .power]

  private mutating func bits() throws(PredicateSyntaxError) -> Item {
    try chain(Self.bitFunctions) {
      parser throws(PredicateSyntaxError) in try parser.sum()
    }
  }

  private mutating func sum() throws(PredicateSyntaxError) -> Item {
    try chain(Self.sums) { parser throws(PredicateSyntaxError) in
      try parser.product()
    }
  }

  private mutating func product() throws(PredicateSyntaxError) -> Item {
    try chain(Self.products) { parser throws(PredicateSyntaxError) in try parser.power() }
  }

  private mutating func power() throws(PredicateSyntaxError) -> Item {
    try chain(Self.powers) { parser throws(PredicateSyntaxError) in try parser.signed() }
  }

  /// Operands of one level, joined from the left.
  private mutating func chain(
    _ functions: [String: PredicateFunction], _ operand: Level
  ) throws(PredicateSyntaxError) -> Item {
    let start = place
    let before = depth
    defer { depth = before }
    var left = try operand(&self)
    while case .sign(let sign) = token, let function = functions[sign] {
      let first = try expression(left, from: start)
      advance()
      try enter()
      let start = place
      let second = try expression(operand(&self), from: start)
      left = .expression(NSExpression(.function(function, [first, second])))
    }
    return left
  }

  private mutating func signed() throws(PredicateSyntaxError) -> Item {
    guard token == .sign("-") || token == .sign("~") || token == .sign("+") else {
      return try postfix()
    }
    let sign = token
    advance()
    try enter()
    defer { depth -= 1 }
    let start = place
    let value = try expression(signed(), from: start)
    switch (sign, value.node) {
    case (.sign("-"), .constant(let number as Int)):
      return .expression(NSExpression(.constant(0 &- number)))
    case (.sign("-"), .constant(let number as Double)):
      return .expression(NSExpression(.constant(-number)))
    case (.sign("-"), _):
      let zero = NSExpression(.constant(0))
      return .expression(NSExpression(.function(.subtract, [zero, value])))
    case (.sign("~"), _): return .expression(NSExpression(.function(.complement, [value])))
    default: return .expression(value)
    }
  }

  private mutating func postfix() throws(PredicateSyntaxError) -> Item {
    let start = place
    let before = depth
    defer { depth = before }
    var item = try primary()
    while true {
      if accept(sign: ".") {
        let base = try expression(item, from: start)
        item = .expression(try member(of: base))
      } else if token == .sign("["), case .expression(let base) = item {
        advance()
        try enter()
        item = .expression(try element(of: base))
        try expect("]")
      } else {
        return item
      }
    }
  }

  /// What a point and a name lead to.
  private mutating func member(of base: NSExpression) throws(PredicateSyntaxError) -> NSExpression {
    let names: [String]
    switch token {
    case .word(let name), .name(let name), .operation(let name):
      if isCall { throw fail("a function cannot be part of a path") }
      names = [name]
      advance()
    case .argument("K"): names = try keyPathArgument()
    default: throw fail("the name of a property was expected")
    }
    switch base.node {
    case .keyPath(let root, let before):
      return NSExpression(.keyPath(base: root, names: before + names))
    case .evaluatedObject: return NSExpression(.keyPath(base: nil, names: names))
    default: return NSExpression(.keyPath(base: base, names: names))
    }
  }

  /// The names that stand for `%K`.
  private mutating func keyPathArgument() throws(PredicateSyntaxError) -> [String] {
    guard case .argument("K") = token else { throw fail("%K was expected") }
    let argument = try takeArgument()
    guard let path = argument as? String else { throw fail("%K needs a String") }
    let names = path.split(separator: ".").map(String.init)
    if names.isEmpty { throw fail("%K needs the name of a property, not an empty String") }
    advance()
    return names
  }

  private mutating func element(of base: NSExpression) throws(PredicateSyntaxError) -> NSExpression
  {
    if case .word(let word) = token, let function = PredicateFunction.byIndex[word.uppercased()] {
      advance()
      return NSExpression(.function(function, [base]))
    }
    let start = place
    let index = try expression(setOperation(), from: start)
    return NSExpression(.function(.element, [base, index]))
  }

  // MARK: Values

  private mutating func primary() throws(PredicateSyntaxError) -> Item {
    switch token {
    case .sign("("): return try parenthesis()
    case .sign("{"):
      advance()
      return .expression(NSExpression(.aggregate(try list(until: "}"))))
    case .text(let text): return take(.constant(text))
    case .integer(let number): return take(.constant(number))
    case .double(let number): return take(.constant(number))
    case .variable(let name): return take(.variable(name))
    case .name(let name): return take(.keyPath(base: nil, names: [name]))
    case .operation(let name): return take(.keyPath(base: nil, names: [name]))
    case .argument("K"): return .expression(NSExpression(Self.node(of: try keyPathArgument())))
    case .argument:
      let argument = try takeArgument()
      return take((argument as? NSExpression)?.node ?? .constant(argument))
    case .word(let word): return try isCall ? call(word) : name(word)
    case .sign, .end: throw fail("a value was expected")
    }
  }

  /// The path that `%K` stands for; `SELF` at its beginning is the object itself.
  private static func node(of names: [String]) -> NSExpression.Node {
    let own = names[0].uppercased() == "SELF" ? Array(names.dropFirst()) : names
    return own.isEmpty ? .evaluatedObject : .keyPath(base: nil, names: own)
  }

  private mutating func take(_ node: NSExpression.Node) -> Item {
    advance()
    return .expression(NSExpression(node))
  }

  private mutating func parenthesis() throws(PredicateSyntaxError) -> Item {
    advance()
    try enter()
    defer { depth -= 1 }
    let inner = try disjunction()
    try expect(")")
    return inner
  }

  private mutating func list(until end: String) throws(PredicateSyntaxError) -> [NSExpression] {
    try enter()
    defer { depth -= 1 }
    var members: [NSExpression] = []
    while !accept(sign: end) {
      if !members.isEmpty { try expect(",") }
      let start = place
      members.append(try expression(setOperation(), from: start))
    }
    return members
  }

  private static let operators: Set = [
    "AND", "OR", "NOT", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN",
    "ANY", "SOME", "ALL", "NONE", "UNION", "INTERSECT", "MINUS",
  ]

  private mutating func name(_ word: String) throws(PredicateSyntaxError) -> Item {
    switch keyword {
    case "TRUEPREDICATE", "FALSEPREDICATE":
      advance()
      return .condition(NSPredicate(value: word.first == "T" || word.first == "t"))
    case "NIL", "NULL": return take(.constant(nil))
    case "TRUE", "YES": return take(.constant(true))
    case "FALSE", "NO": return take(.constant(false))
    case "SELF": return take(.evaluatedObject)
    case let keyword where Self.operators.contains(keyword):
      throw fail("a value was expected, not \(word); a property of that name is written #\(word)")
    default: return take(.keyPath(base: nil, names: [word]))
    }
  }

  // MARK: Functions

  private mutating func call(_ name: String) throws(PredicateSyntaxError) -> Item {
    let start = place
    let known = PredicateFunction.named(name)
    if known == nil, Self.operators.contains(name.uppercased()) { return try self.name(name) }
    let unknown = fail("\(name) is not a function that predicates know")
    advance()
    advance()
    switch name.uppercased() {
    case "SUBQUERY": return .expression(try subquery())
    case "TERNARY": return .expression(try conditional())
    case "FUNCTION": return .expression(try method())
    default: break
    }
    guard let known else { throw unknown }
    let arguments = try list(until: ")")
    guard known.takes(arguments.count) else {
      throw fail(
        "the function \(known.rawValue) cannot be given \(arguments.count) arguments", at: start)
    }
    if known == .cast, let date = Self.date(arguments) { return .expression(date) }
    return .expression(NSExpression(.function(known, arguments)))
  }

  /// The date that is written as a cast of its seconds, as dates are printed.
  private static func date(_ arguments: [NSExpression]) -> NSExpression? {
    guard case .constant(let type as String) = arguments[1].node, type == "NSDate",
      case .constant(let value) = arguments[0].node, let seconds = Operand(value).real
    else { return nil }
    return NSExpression(.constant(Date(timeIntervalSinceReferenceDate: seconds)))
  }

  private mutating func subquery() throws(PredicateSyntaxError) -> NSExpression {
    try enter()
    defer { depth -= 1 }
    var start = place
    let collection = try expression(setOperation(), from: start)
    try expect(",")
    guard case .variable(let variable) = token else {
      throw fail("the variable of the subquery, such as $x, was expected")
    }
    advance()
    try expect(",")
    start = place
    let predicate = try condition(disjunction(), from: start)
    try expect(")")
    return NSExpression(.subquery(collection, variable: variable, predicate))
  }

  private mutating func conditional() throws(PredicateSyntaxError) -> NSExpression {
    try enter()
    defer { depth -= 1 }
    var start = place
    let predicate = try condition(disjunction(), from: start)
    try expect(",")
    start = place
    let yes = try expression(setOperation(), from: start)
    try expect(",")
    start = place
    let no = try expression(setOperation(), from: start)
    try expect(")")
    return NSExpression(.conditional(predicate, yes, no))
  }

  private mutating func method() throws(PredicateSyntaxError) -> NSExpression {
    let arguments = try list(until: ")")
    guard arguments.count > 1, case .constant(let name as String) = arguments[1].node else {
      throw fail("FUNCTION needs a value and the name of a method in quotes")
    }
    return NSExpression(.method(arguments[0], name, Array(arguments.dropFirst(2))))
  }
}
