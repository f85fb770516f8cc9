import Foundation

/// A value that a predicate compares, or that a fetch computes: a constant, a key path, a function
/// of other expressions, a collection.
///
/// Foundation on Linux declares a class of this name that is deprecated and cannot be made, so this
/// is one of ours. A file that imports Foundation too and writes the name as a type says which with
/// `import class CoreData.NSExpression`.
public final class NSExpression: NSObject, NSCopying {
  /// The kinds of expressions.
  public enum ExpressionType: UInt, Sendable {
    case constantValue = 0
    case evaluatedObject = 1
    case variable = 2
    case keyPath = 3
    case function = 4
    case unionSet = 5
    case intersectSet = 6
    case minusSet = 7
    case subquery = 13
    case aggregate = 14
    case anyKey = 15
    case block = 19
    case conditional = 20
  }

  /// What an expression is made of.
  indirect enum Node {
    case constant(Any?)
    case evaluatedObject
    case variable(String)
    /// Names to follow from an expression, or from the evaluated object if that is nil.
    case keyPath(base: NSExpression?, names: [String])
    case function(PredicateFunction, [NSExpression])
    /// A method of an object, which only Objective-C could call.
    case method(NSExpression, String, [NSExpression])
    case set(SetOperation, NSExpression, NSExpression)
    case subquery(NSExpression, variable: String, NSPredicate)
    case aggregate([NSExpression])
    case anyKey
    case block((Any?, [Any], NSMutableDictionary?) -> Any, [NSExpression])
    case conditional(NSPredicate, NSExpression, NSExpression)
  }

  /// The ways to combine two collections.
  enum SetOperation: String {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
  }

  /// What the expression is made of.
  let node: Node

  init(_ node: Node) {
    self.node = node
    super.init()
  }

  /// Makes an expression from a format string with `%@`, `%K` and number arguments.
  public convenience init(format: String, _ arguments: Any?...) {
    self.init(Self.parsed(format, arguments).node)
  }

  /// Makes an expression from a format string and its arguments.
  public convenience init(format: String, argumentArray: [Any]) {
    self.init(Self.parsed(format, argumentArray).node)
  }

  private static func parsed(_ format: String, _ arguments: [Any?]) -> NSExpression {
    do { return try read(format, arguments) } catch { error.stop() }
  }

  /// The expression that a format string states.
  static func read(
    _ format: String, _ arguments: [Any?] = []
  ) throws(PredicateSyntaxError) -> NSExpression {
    var parser = try PredicateParser(format, arguments)
    return try parser.wholeExpression()
  }

  /// An expression that is always this value.
  public convenience init(forConstantValue value: Any?) { self.init(.constant(value.flattened)) }

  /// An expression that is what a binding or a substitution gives this name.
  public convenience init(forVariable name: String) { self.init(.variable(name)) }

  /// An expression that is what the evaluated object has at the end of a path of names.
  public convenience init(forKeyPath keyPath: String) {
    self.init(Self.path(from: nil, keyPath))
  }

  /// An expression that calls one of the functions that predicates know, such as `sum:`; an unknown
  /// one stops.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard let function = PredicateFunction(rawValue: name) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Unable to parse function name '\(name)' into supported "
          + "selector (\(name)); predicates know "
          + PredicateFunction.allCases.map(\.rawValue).joined(separator: " ") + ".")
    }
    let arguments = parameters.map(Self.argument)
    guard function.takes(arguments.count) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Invalid number of arguments to function \(name): it has "
          + "\(arguments.count).")
    }
    self.init(.function(function, arguments))
  }

  /// An expression that calls a method of an object; making one is possible, evaluating it is not.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    self.init(.method(target, name, (parameters ?? []).map(Self.argument)))
  }

  /// An expression that is the list of what other expressions are.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(.aggregate(subexpressions.map(Self.argument)))
  }

  /// An expression that is what either collection has.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.union, left, right))
  }

  /// An expression that is what both collections have.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.intersect, left, right))
  }

  /// An expression that is what the left collection has and the right has not.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.minus, left, right))
  }

  /// An expression that is the members of a collection which satisfy a predicate when the variable
  /// stands for them.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(.subquery(expression, variable: variable, predicate))
  }

  /// An expression that is one thing where a predicate is satisfied and another where it is not.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(.conditional(predicate, trueExpression, falseExpression))
  }

  /// An expression that is what a block returns; no store can evaluate it.
  public convenience init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
  ) {
    self.init(.block(block, arguments ?? []))
  }

  /// An expression that is the evaluated object itself.
  public static func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// An expression that stands for any key, as only text searches know it.
  public static func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  /// The node of a path that is given as one text.
  static func path(from base: NSExpression?, _ path: String) -> Node {
    let names = path.split(separator: ".").map(String.init)
    let own = base == nil && names.first?.uppercased() == "SELF" ? Array(names.dropFirst()) : names
    return own.isEmpty ? base?.node ?? .evaluatedObject : .keyPath(base: base, names: own)
  }

  private static func argument(_ any: Any) -> NSExpression {
    any as? NSExpression ?? NSExpression(forConstantValue: any)
  }

  /// What the expression is for an object; numbers come as `NSNumber`, and a date that is computed
  /// as seconds since 2001.
  public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    let bindings = context.map { context in
      Dictionary(
        uniqueKeysWithValues: context.compactMap { key, value in
          (key as? String).map { ($0, value) }
        })
    }
    return Evaluation(object, bindings).result(of: self)
  }

  /// The expression itself, because it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other expression reads the same.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { $0 === self || $0.description == description } ?? false
  }

  public override var hash: Int { description.hashValue }

  /// The expression as a format string has it.
  public override var description: String { PredicateText.text(self) }
}

extension NSExpression {
  /// Whether the value differs from record to record, where some variables may stand for records.
  func dependsOnRecords(_ isRecord: (String) -> Bool) -> Bool {
    switch node {
    case .constant: false
    case .variable(let name): isRecord(name)
    case .function(_, let arguments): arguments.contains { $0.dependsOnRecords(isRecord) }
    case .aggregate(let members): members.contains { $0.dependsOnRecords(isRecord) }
    case .set(_, let left, let right):
      left.dependsOnRecords(isRecord) || right.dependsOnRecords(isRecord)
    case .keyPath(let base?, _): base.dependsOnRecords(isRecord)
    case .evaluatedObject, .keyPath, .method, .subquery, .anyKey, .block, .conditional: true
    }
  }

  /// The kind of the expression.
  public var expressionType: ExpressionType {
    switch node {
    case .constant: .constantValue
    case .evaluatedObject: .evaluatedObject
    case .variable: .variable
    case .keyPath: .keyPath
    case .function, .method: .function
    case .set(.union, _, _): .unionSet
    case .set(.intersect, _, _): .intersectSet
    case .set(.minus, _, _): .minusSet
    case .subquery: .subquery
    case .aggregate: .aggregate
    case .anyKey: .anyKey
    case .block: .block
    case .conditional: .conditional
    }
  }

  /// The value of a constant.
  public var constantValue: Any? {
    if case .constant(let value) = node { return value }
    refuse("constantValue")
  }

  /// The names of a key path, joined by points.
  public var keyPath: String {
    if case .keyPath(_, let names) = node { return names.joined(separator: ".") }
    refuse("keyPath")
  }

  /// The name of a variable, without `$`; of a subquery, that of its variable.
  public var variable: String {
    switch node {
    case .variable(let name), .subquery(_, variable: let name, _): return name
    default: refuse("variable")
    }
  }

  /// The name of a function, such as `sum:`.
  public var function: String {
    switch node {
    case .function(let function, _): return function.rawValue
    case .method(_, let name, _): return name
    default: refuse("function")
    }
  }

  /// What a key path starts from, or whose method is called.
  public var operand: NSExpression {
    switch node {
    case .keyPath(let base, _): return base ?? .expressionForEvaluatedObject()
    case .method(let target, _, _): return target
    default: refuse("operand")
    }
  }

  /// What a function or a block is given.
  public var arguments: [NSExpression]? {
    switch node {
    case .function(_, let arguments), .method(_, _, let arguments), .block(_, let arguments):
      return arguments
    default: refuse("arguments")
    }
  }

  /// The expressions of a list, or what a subquery looks through.
  public var collection: Any {
    switch node {
    case .aggregate(let members): return members
    case .subquery(let collection, _, _): return collection
    default: refuse("collection")
    }
  }

  /// What the members of a subquery must satisfy, or what a conditional decides by.
  public var predicate: NSPredicate {
    switch node {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
    default: refuse("predicate")
    }
  }

  /// The left collection of a set expression.
  public var left: NSExpression {
    if case .set(_, let left, _) = node { return left }
    refuse("left")
  }

  /// The right collection of a set expression.
  public var right: NSExpression {
    if case .set(_, _, let right) = node { return right }
    refuse("right")
  }

  /// What a conditional is where its predicate is satisfied.
  public var `true`: NSExpression {
    if case .conditional(_, let yes, _) = node { return yes }
    refuse("true")
  }

  /// What a conditional is where its predicate is not satisfied.
  public var `false`: NSExpression {
    if case .conditional(_, _, let no) = node { return no }
    refuse("false")
  }

  private func refuse(_ property: String) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: the expression \(self) has no \(property); ask its "
        + "expressionType first.")
  }
}

@available(*, unavailable)
extension NSExpression: @unchecked Sendable {}
