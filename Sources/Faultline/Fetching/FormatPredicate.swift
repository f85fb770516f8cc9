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

  override func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
    (object as? NSManagedObject).map { filter.matches($0) } ?? false
  }

  override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }
}

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
