import Foundation

extension PredicateExpressions.Variable: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.variable(key)
  }
}

extension PredicateExpressions.Value: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    .expression(NSExpression(forConstantValue: value))
  }
}

extension PredicateExpressions.NilLiteral: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    .expression(NSExpression(.constant(nil)))
  }
}

extension PredicateExpressions.KeyPath: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    let base = try converter.value(root)
    let isText = Root.Output.self == String.self
    switch kind {
    case .collectionCount where isText:
      return .expression(NSExpression(.function(.length, [base])))
    case .collectionIsEmpty where isText:
      return .condition(SwiftPredicate.compare(base, .equalTo, NSExpression(.constant(""))))
    case .collectionCount: return .expression(SwiftPredicate.count(base))
    case .collectionIsEmpty: return .condition(SwiftPredicate.count(base, .equalTo, 0))
    case .collectionFirst: return .expression(NSExpression(.function(.first, [base])))
    case .bidirectionalCollectionLast: return .expression(NSExpression(.function(.last, [base])))
    case nil:
      return .expression(try SwiftPredicate.follow(keyPath, of: Root.Output.self, from: base))
    @unknown default: throw SwiftPredicate.Unsupported(what: "\(keyPath)")
    }
  }
}

extension PredicateExpressions.Equal: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.comparison(lhs, .equalTo, rhs)
  }
}

extension PredicateExpressions.NotEqual: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.comparison(lhs, .notEqualTo, rhs)
  }
}

extension PredicateExpressions.Comparison: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    switch op {
    case .lessThan: try converter.comparison(lhs, .lessThan, rhs)
    case .lessThanOrEqual: try converter.comparison(lhs, .lessThanOrEqualTo, rhs)
    case .greaterThan: try converter.comparison(lhs, .greaterThan, rhs)
    case .greaterThanOrEqual: try converter.comparison(lhs, .greaterThanOrEqualTo, rhs)
    @unknown default: throw SwiftPredicate.Unsupported(what: "\(op)")
    }
  }
}

extension PredicateExpressions.Conjunction: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.compound(.and, lhs, rhs)
  }
}

extension PredicateExpressions.Disjunction: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.compound(.or, lhs, rhs)
  }
}

extension PredicateExpressions.Negation: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.compound(.not, wrapped)
  }
}

extension PredicateExpressions.Conditional: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    let test = try converter.condition(self.test)
    let (yes, no) = (try converter.value(trueBranch), try converter.value(falseBranch))
    return .expression(NSExpression(.conditional(test, yes, no)))
  }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: SwiftPredicateNode, UnwrappingNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    let optional = try converter.value(wrapped)
    converter.bind(variable.key, to: optional)
    guard case .condition(let condition) = try converter.item(transform) else {
      return .expression(try value(by: &converter))
    }
    let exists = SwiftPredicate.compare(optional, .notEqualTo, NSExpression(.constant(nil)))
    return .condition(CompoundPredicate(type: .and, subpredicates: [exists, condition]))
  }

  func value(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported) -> NSExpression
  {
    let optional = try converter.value(wrapped)
    converter.bind(variable.key, to: optional)
    let value = try converter.value(transform)
    // A path that ends early is nil anyway.
    if value.isPlainPath { return value }
    let isNil = SwiftPredicate.compare(optional, .equalTo, NSExpression(.constant(nil)))
    return NSExpression(.conditional(isNil, NSExpression(.constant(nil)), value))
  }
}

extension NSExpression {
  /// Whether the expression is names to follow, without an operator that makes something of
  /// nothing.
  fileprivate var isPlainPath: Bool {
    switch node {
    case .evaluatedObject, .variable: true
    case .keyPath(let base, let names):
      base?.isPlainPath != false && !names.contains { $0.hasPrefix("@") }
    default: false
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.item(inner)
  }
}

extension PredicateExpressions.NilCoalesce: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    // A condition on what is nil is not satisfied, so "or else false" need not be said.
    if case .condition(let condition) = try converter.item(lhs),
      (rhs as? PredicateExpressions.Value<Bool>)?.value == false
    {
      return .condition(condition)
    }
    let (value, other) = (try converter.value(lhs), try converter.value(rhs))
    let isNil = SwiftPredicate.compare(value, .equalTo, NSExpression(.constant(nil)))
    return .expression(NSExpression(.conditional(isNil, other, value)))
  }
}

// MARK: Collections and texts

extension PredicateExpressions.SequenceContains: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.comparison(element, .in, sequence)
  }
}

extension PredicateExpressions.CollectionContainsCollection: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.comparison(base, .contains, other)
  }
}

extension PredicateExpressions.SequenceStartsWith: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.comparison(base, .beginsWith, prefix)
  }
}

extension PredicateExpressions.SequenceContainsWhere: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    let members = try converter.members(of: sequence, variable.key, where: test)
    return .condition(SwiftPredicate.count(members, .greaterThan, 0))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    let others = try converter.members(of: sequence, variable.key, where: test, holds: false)
    return .condition(SwiftPredicate.count(others, .equalTo, 0))
  }
}

extension PredicateExpressions.Filter: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    .expression(try converter.members(of: sequence, variable.key, where: filter))
  }
}

/// A range, of which only its bounds have counterparts.
private protocol BoundedRange {
  /// The nodes of the bounds.
  var bounds: (lower: Any, upper: Any) { get }
  /// How a value inside stands to the upper bound.
  var upperOperator: NSComparisonPredicate.Operator { get }
}

extension PredicateExpressions.ClosedRange: BoundedRange {
  fileprivate var bounds: (lower: Any, upper: Any) { (lower, upper) }
  fileprivate var upperOperator: NSComparisonPredicate.Operator { .lessThanOrEqualTo }
}

extension PredicateExpressions.Range: BoundedRange {
  fileprivate var bounds: (lower: Any, upper: Any) { (lower, upper) }
  fileprivate var upperOperator: NSComparisonPredicate.Operator { .lessThan }
}

extension PredicateExpressions.RangeExpressionContains: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    guard let range = range as? any BoundedRange else {
      throw SwiftPredicate.Unsupported(what: "\(range)")
    }
    let element = try converter.value(element)
    let (lower, upper) = (
      try converter.value(range.bounds.lower), try converter.value(range.bounds.upper)
    )
    return .condition(
      CompoundPredicate(
        type: .and,
        subpredicates: [
          SwiftPredicate.compare(element, .greaterThanOrEqualTo, lower),
          SwiftPredicate.compare(element, range.upperOperator, upper),
        ]))
  }
}

// MARK: Numbers

extension PredicateExpressions.Arithmetic: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    switch op {
    case .add: try converter.call(.add, lhs, rhs)
    case .subtract: try converter.call(.subtract, lhs, rhs)
    case .multiply: try converter.call(.multiply, lhs, rhs)
    @unknown default: throw SwiftPredicate.Unsupported(what: "\(op)")
    }
  }
}

extension PredicateExpressions.IntDivision: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.call(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.FloatDivision: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.call(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.IntRemainder: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    try converter.call(.modulus, lhs, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: SwiftPredicateNode {
  func converted(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported)
    -> PredicateParser.Item
  {
    let zero = NSExpression(.constant(0))
    return .expression(NSExpression(.function(.subtract, [zero, try converter.value(wrapped)])))
  }
}
