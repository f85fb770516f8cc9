import Foundation

/// A predicate made from a format string, which Foundation on Linux cannot make.
final class FormatPredicate: NSPredicate {
  /// The condition.
  let filter: Filter
  private let format: String

  init(_ format: String, _ arguments: [Any?]) {
    var parser = PredicateParser(format, arguments)
    filter = parser.parse()
    self.format = format
    super.init { _, _ in false }
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override var predicateFormat: String { format }
  override var description: String { format }

  override func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
    (object as? NSManagedObject).map { filter.matches($0) } ?? filter.matches(value: object)
  }

  override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }
}

/// A predicate that can say what it is, reached past Foundation's advice not to ask.
///
/// On Linux the text tells only the constant predicates from those made of a block, which is all
/// the engine asks of it.
protocol TextualPredicate {
  /// The predicate as text.
  var predicateFormat: String { get }
}

extension NSPredicate: TextualPredicate {}

/// Lets `NSPredicate(format:)` make a `FormatPredicate`.
public protocol PredicateByFormat {}

extension PredicateByFormat where Self: NSPredicate {
  /// Makes a predicate from a format string with `%@`, `%K` and number arguments.
  public init(format: String, _ arguments: Any?...) {
    self = unsafeDowncast(FormatPredicate(format, arguments), to: Self.self)
  }

  /// Makes a predicate from a format string and its arguments.
  public init(format: String, argumentArray: [Any]?) {
    self = unsafeDowncast(FormatPredicate(format, argumentArray ?? []), to: Self.self)
  }
}

extension NSPredicate: PredicateByFormat {}
