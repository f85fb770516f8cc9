import Foundation

/// A predicate that compares two expressions.
///
/// Foundation on Linux declares a class of this name that is deprecated and cannot be made, so this
/// is one of ours, as `NSExpression` is.
public final class NSComparisonPredicate: NSPredicate {
  /// How strings are compared.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Makes options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Letters of either case are the same: `[c]`.
    public static let caseInsensitive = Options(rawValue: 1)
    /// Letters with and without accents are the same: `[d]`.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// The strings have been folded beforehand and are compared as they are: `[n]`.
    public static let normalized = Options(rawValue: 4)
    /// Strings are compared as the locale has it: `[l]`.
    static let localeSensitive = Options(rawValue: 8)
  }

  /// Of how many members of a collection on the left a comparison must hold.
  public enum Modifier: UInt, Sendable {
    /// There is no collection.
    case direct
    /// Of all.
    case all
    /// Of at least one.
    case any
  }

  /// The comparison operators, by Apple's raw values.
  public enum Operator: UInt, Sendable {
    case lessThan = 0
    case lessThanOrEqualTo = 1
    case greaterThan = 2
    case greaterThanOrEqualTo = 3
    case equalTo = 4
    case notEqualTo = 5
    case matches = 6
    case like = 7
    case beginsWith = 8
    case endsWith = 9
    case `in` = 10
    case contains = 99
    case between = 100
  }

  /// The operator.
  public let predicateOperatorType: Operator
  /// Of how many members of a collection the comparison must hold.
  public let comparisonPredicateModifier: Modifier
  /// What is compared.
  public let leftExpression: NSExpression
  /// What it is compared with.
  public let rightExpression: NSExpression
  /// How strings are compared.
  public let options: Options
  private let kept: KeptList?

  /// Makes a predicate that compares two expressions.
  public init(
    leftExpression: NSExpression, rightExpression: NSExpression, modifier: Modifier = .direct,
    type: Operator, options: Options = []
  ) {
    self.leftExpression = leftExpression
    self.rightExpression = rightExpression
    comparisonPredicateModifier = modifier
    predicateOperatorType = type
    self.options = options
    kept = type == .in ? KeptList() : nil
    super.init(value: false)
  }

  /// The predicate itself, because it never changes.
  public override func copy(with zone: NSZone? = nil) -> Any { self }

  public override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    Evaluation(object, bindings).holds(self)
  }

  public override func evaluate(with object: Any?) -> Bool {
    Evaluation(object).holds(self)
  }

  /// What an `IN` looks into, if it is a constant that cannot change.
  var list: HashedList? { kept?.list(self) }

  public override var predicateFormat: String { PredicateText.text(self) }
  public override var description: String { PredicateText.text(self) }

  /// Whether the other predicate reads the same.
  public override func isEqual(_ object: Any?) -> Bool { PredicateText.isSame(self, object) }
  public override var hash: Int { description.hashValue }
}

extension NSComparisonPredicate.Operator {
  /// The operator as a format string has it.
  var sign: String {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .equalTo: "=="
    case .notEqualTo: "!="
    case .matches: "MATCHES"
    case .like: "LIKE"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .in: "IN"
    case .contains: "CONTAINS"
    case .between: "BETWEEN"
    }
  }

  /// The operators by their signs and words.
  static let bySign: [String: NSComparisonPredicate.Operator] = [
    "<": .lessThan, "<=": .lessThanOrEqualTo, "=<": .lessThanOrEqualTo, ">": .greaterThan,
    ">=": .greaterThanOrEqualTo, "=>": .greaterThanOrEqualTo, "=": .equalTo, "==": .equalTo,
    "!=": .notEqualTo, "<>": .notEqualTo, "MATCHES": .matches, "LIKE": .like,
    "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "IN": .in, "CONTAINS": .contains,
    "BETWEEN": .between,
  ]
}
