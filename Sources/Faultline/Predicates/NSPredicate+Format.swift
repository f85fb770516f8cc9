import Foundation

/// A predicate that can say what it is, reached past Foundation's advice not to ask.
///
/// Of Foundation's own predicates the text tells only the constant ones from those made of a block,
/// which is all the engine asks of it.
protocol TextualPredicate {
  /// The predicate as text.
  var predicateFormat: String { get }
}

extension NSPredicate: TextualPredicate {}

/// Lets `NSPredicate(format:)` make a predicate, which Foundation on Linux cannot.
public protocol PredicateByFormat {}

extension PredicateByFormat where Self: NSPredicate {
  /// Makes a predicate from a format string with `%@`, `%K` and number arguments.
  public init(format: String, _ arguments: Any?...) {
    self = Self.parsed(format, arguments)
  }

  /// Makes a predicate from a format string and its arguments.
  public init(format: String, argumentArray: [Any]?) {
    self = Self.parsed(format, argumentArray ?? [])
  }

  private static func parsed(_ format: String, _ arguments: [Any?]) -> Self {
    do {
      var parser = try PredicateParser(format, arguments)
      let predicate = try parser.wholePredicate()
      guard let own = predicate as? Self else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: the format string \"\(format)\" makes a "
            + "\(type(of: predicate)), not a \(Self.self); use NSPredicate(format:).")
      }
      return own
    } catch { error.stop() }
  }

  /// The predicate with values in place of variables; a variable without a value stops.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    guard let own = Substitution(variables).predicate(self) as? Self else {
      ProgrammerError.impossible("a substitution changed the class of \(self)")
    }
    return own
  }
}

extension NSPredicate: PredicateByFormat {}

/// A compound predicate that can print and copy itself, as Foundation's own cannot.
final class CompoundPredicate: NSCompoundPredicate {
  override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    Evaluation(object, bindings).holds(self)
  }

  override func evaluate(with object: Any?) -> Bool { Evaluation(object).holds(self) }
  override func copy(with zone: NSZone? = nil) -> Any { self }
  override var predicateFormat: String { PredicateText.text(self) }
  override var description: String { PredicateText.text(self) }
  override func isEqual(_ object: Any?) -> Bool { PredicateText.isSame(self, object) }
  override var hash: Int { description.hashValue }
}

/// Puts values in place of variables, and other constants in place of constants.
struct Substitution {
  private let values: [String: Any]
  private let constant: (Any?) -> Any?

  init(_ values: [String: Any], constant: @escaping (Any?) -> Any? = { $0 }) {
    self.values = values
    self.constant = constant
  }

  /// A predicate with the values in it.
  func predicate(_ predicate: NSPredicate) -> NSPredicate {
    switch predicate {
    case let comparison as NSComparisonPredicate:
      return NSComparisonPredicate(
        leftExpression: expression(comparison.leftExpression),
        rightExpression: expression(comparison.rightExpression),
        modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
        options: comparison.options)
    case let compound as NSCompoundPredicate:
      return CompoundPredicate(
        type: compound.compoundPredicateType,
        subpredicates: compound.subpredicates.map(self.predicate))
    default: return predicate
    }
  }

  private func expression(_ expression: NSExpression) -> NSExpression {
    switch expression.node {
    case .variable(let name):
      guard let value = values[name] else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: Can't get value for '\(name)' in bindings "
            + "\(values.keys.sorted()); give every variable of the predicate a value.")
      }
      return (value as? NSExpression) ?? NSExpression(forConstantValue: value)
    case .keyPath(let base?, let names):
      // What a value has is known as soon as the value is, and only as long as it is the value.
      let own = self.expression(base)
      guard case .constant = own.node else {
        return NSExpression(.keyPath(base: own, names: names))
      }
      let path = NSExpression(.keyPath(base: Substitution(values).expression(base), names: names))
      return NSExpression(.constant(constant(Evaluation(nil).result(of: path).flattened)))
    case .function(let function, let arguments):
      return NSExpression(.function(function, arguments.map(self.expression)))
    case .method(let target, let name, let arguments):
      return NSExpression(
        .method(self.expression(target), name, arguments.map(self.expression)))
    case .set(let operation, let left, let right):
      return NSExpression(.set(operation, self.expression(left), self.expression(right)))
    case .subquery(let collection, let variable, let predicate):
      // The subquery's own variable stands for its members.
      var inner = values
      inner[variable] = NSExpression(forVariable: variable)
      return NSExpression(
        .subquery(
          self.expression(collection), variable: variable,
          Substitution(inner, constant: constant).predicate(predicate)))
    case .aggregate(let members): return NSExpression(.aggregate(members.map(self.expression)))
    case .block(let block, let arguments):
      return NSExpression(.block(block, arguments.map(self.expression)))
    case .conditional(let predicate, let yes, let no):
      return NSExpression(
        .conditional(self.predicate(predicate), self.expression(yes), self.expression(no)))
    case .constant(let value): return NSExpression(.constant(constant(value)))
    case .evaluatedObject, .anyKey, .keyPath: return expression
    }
  }
}
