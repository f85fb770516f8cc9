import Foundation

/// Turns a `#Predicate` into the tree that format strings make.
///
/// Every node of Foundation's tree is public, so each kind gets an extension that says what it is
/// among ours. What has no counterpart makes the whole conversion fail.
struct SwiftPredicate {
  /// Why a predicate cannot be converted.
  struct Unsupported: Error {
    /// The node or key path that has no counterpart.
    let what: String
  }

  /// What the variables of the closures stand for.
  private var variables: [PredicateExpressions.VariableID: NSExpression] = [:]
  private var variableCount = 0

  /// The predicate that a closure about objects of a class makes.
  static func predicate<Root: NSManagedObject>(
    _ predicate: Predicate<Root>
  ) throws(Unsupported) -> NSPredicate {
    var converter = SwiftPredicate()
    converter.variables[predicate.variable.key] = .expressionForEvaluatedObject()
    return try converter.condition(predicate.expression)
  }

  // MARK: Parts

  /// What a node is among ours.
  mutating func item(_ node: Any) throws(Unsupported) -> PredicateParser.Item {
    guard let node = node as? any SwiftPredicateNode else {
      throw Unsupported(what: "\(type(of: node))")
    }
    return try node.converted(by: &self)
  }

  /// A node as a condition; a truth value of an object is compared with yes.
  mutating func condition(_ node: Any) throws(Unsupported) -> NSPredicate {
    switch try item(node) {
    case .condition(let predicate): return predicate
    case .expression(let expression):
      if case .constant(let value as Bool) = expression.node { return NSPredicate(value: value) }
      return Self.compare(expression, .equalTo, NSExpression(.constant(true)))
    }
  }

  /// A node as a value; a condition is yes or no.
  mutating func value(_ node: Any) throws(Unsupported) -> NSExpression {
    if let node = node as? any UnwrappingNode { return try node.value(by: &self) }
    switch try item(node) {
    case .expression(let expression): return expression
    case .condition(let predicate):
      return NSExpression(
        .conditional(predicate, NSExpression(.constant(true)), NSExpression(.constant(false))))
    }
  }

  /// Two of our values compared.
  static func compare(
    _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression
  ) -> NSPredicate {
    NSComparisonPredicate(leftExpression: left, rightExpression: right, type: type)
  }

  /// Two values compared.
  mutating func comparison(
    _ left: Any, _ type: NSComparisonPredicate.Operator, _ right: Any
  ) throws(Unsupported) -> PredicateParser.Item {
    .condition(Self.compare(try value(left), type, try value(right)))
  }

  /// A function of values.
  mutating func call(
    _ function: PredicateFunction, _ arguments: Any...
  ) throws(Unsupported) -> PredicateParser.Item {
    var values: [NSExpression] = []
    for argument in arguments { values.append(try value(argument)) }
    return .expression(NSExpression(.function(function, values)))
  }

  /// Conditions joined.
  mutating func compound(
    _ type: NSCompoundPredicate.LogicalType, _ parts: Any...
  ) throws(Unsupported) -> PredicateParser.Item {
    var predicates: [NSPredicate] = []
    for part in parts { predicates.append(try condition(part)) }
    return .condition(CompoundPredicate(type: type, subpredicates: predicates))
  }

  /// What a variable stands for.
  func variable(
    _ id: PredicateExpressions.VariableID
  ) throws(Unsupported) -> PredicateParser.Item {
    guard let expression = variables[id] else { throw Unsupported(what: "a free variable") }
    return .expression(expression)
  }

  /// Gives a variable a meaning, as far as the rest of the tree goes.
  mutating func bind(
    _ id: PredicateExpressions.VariableID, to expression: NSExpression
  ) {
    variables[id] = expression
  }

  /// The members of a collection that satisfy a closure, or that do not.
  mutating func members(
    of collection: Any, _ id: PredicateExpressions.VariableID, where test: Any, holds: Bool = true
  ) throws(Unsupported) -> NSExpression {
    let collection = try value(collection)
    variableCount += 1
    let name = "member\(variableCount)"
    variables[id] = NSExpression(.variable(name))
    let predicate = try condition(test)
    let wanted = holds ? predicate : CompoundPredicate(type: .not, subpredicates: [predicate])
    return NSExpression(.subquery(collection, variable: name, wanted))
  }

  /// Whether so many are in a collection.
  static func count(
    _ collection: NSExpression, _ type: NSComparisonPredicate.Operator, _ number: Int
  ) -> NSPredicate {
    compare(count(collection), type, NSExpression(.constant(number)))
  }

  /// How many are in a collection.
  static func count(_ collection: NSExpression) -> NSExpression {
    follow(["@count"], from: collection)
  }

  /// What names lead to from a value.
  static func follow(_ names: [String], from base: NSExpression) -> NSExpression {
    switch base.node {
    case .evaluatedObject: NSExpression(.keyPath(base: nil, names: names))
    case .keyPath(let root, let before): NSExpression(.keyPath(base: root, names: before + names))
    default: NSExpression(.keyPath(base: base, names: names))
    }
  }

  /// What a Swift key path reads of an object.
  static func follow(
    _ path: AnyKeyPath, of type: Any.Type, from base: NSExpression
  ) throws(Unsupported) -> NSExpression {
    guard let type = type as? NSManagedObject.Type,
      let entity = LivingModels.entities(for: type).first
    else { throw Unsupported(what: "\(path), whose class no model in use names") }
    let names = KeyPathProbe.names(of: path, type: type, layout: entity.layout)
    if names.isEmpty { throw Unsupported(what: "\(path), which is no property of the model") }
    return follow(names, from: base)
  }
}

/// A node that goes on with what an optional holds, and is nil where that is.
protocol UnwrappingNode {
  /// The node as a value.
  func value(by converter: inout SwiftPredicate) throws(SwiftPredicate.Unsupported) -> NSExpression
}

/// A node of Foundation's tree that has a counterpart among ours.
protocol SwiftPredicateNode {
  /// The node as a condition or a value.
  func converted(
    by converter: inout SwiftPredicate
  ) throws(SwiftPredicate.Unsupported) -> PredicateParser.Item
}

extension PredicateByFormat where Self: NSPredicate {
  /// Makes the predicate that a `#Predicate` about managed objects states; nil if it says something
  /// that stores cannot be asked.
  public init?<Root: NSManagedObject>(_ predicate: Predicate<Root>) {
    guard let made = try? SwiftPredicate.predicate(predicate), let own = made as? Self else {
      return nil
    }
    self = own
  }
}
