import Foundation

/// What one comparison says of two values; what `ANY` and `ALL` make of many is not its business.
struct ComparisonRule {
  private let type: NSComparisonPredicate.Operator
  private let options: NSComparisonPredicate.Options

  init(_ comparison: NSComparisonPredicate) {
    self.init(comparison.predicateOperatorType, comparison.options)
  }

  init(_ type: NSComparisonPredicate.Operator, _ options: NSComparisonPredicate.Options) {
    self.type = type
    self.options = options
  }

  /// Whether the comparison holds; if nil is asked for, it asks whether there is a value.
  func holds(_ left: Operand, _ right: Operand, isNilAsked: Bool) -> Bool {
    switch type {
    case .equalTo where isNilAsked: return left.isNull && right.isNull
    case .notEqualTo where isNilAsked: return left.isNull != right.isNull
    case .equalTo: return isSame(left, right)
    case .notEqualTo: return !left.isNull && !right.isNull && !isSame(left, right)
    case .lessThan: return ordered(left, right) { $0 == .orderedAscending }
    case .lessThanOrEqualTo: return ordered(left, right) { $0 != .orderedDescending }
    case .greaterThan: return ordered(left, right) { $0 == .orderedDescending }
    case .greaterThanOrEqualTo: return ordered(left, right) { $0 != .orderedAscending }
    case .in: return isIn(left, right)
    case .contains: return isIn(right, left)
    case .between:
      let bounds = right.members
      guard bounds.count == 2 else { return false }
      return ordered(left, bounds[0]) { $0 != .orderedAscending }
        && ordered(left, bounds[1]) { $0 != .orderedDescending }
    case .beginsWith, .endsWith, .like, .matches:
      guard case .text(let text) = left, let pattern = right.pattern else { return false }
      return fits(text, pattern)
    }
  }

  /// Whether two values are the same to `==`.
  func isSame(_ left: Operand, _ right: Operand) -> Bool {
    if case .text(let a) = left, case .text(let b) = right {
      return Operand.order(fold(a), fold(b)) == .orderedSame
    }
    return Operand.isSame(left, right)
  }

  private func ordered(
    _ left: Operand, _ right: Operand, _ test: (ComparisonResult) -> Bool
  ) -> Bool {
    if case .text(let a) = left, case .text(let b) = right {
      return test(Operand.order(fold(a), fold(b)))
    }
    return Operand.compare(left, right).map(test) ?? false
  }

  private func isIn(_ member: Operand, _ collection: Operand) -> Bool {
    if case .text(let text) = collection, let part = member.pattern {
      return TextFolding.contains(fold(text), fold(part))
    }
    return !member.isNull && collection.members.contains { isSame(member, $0) }
  }

  /// Whether a text satisfies a pattern, as far as the operator has one.
  func fits(_ text: String, _ pattern: String) -> Bool {
    switch type {
    case .beginsWith: fold(text).utf8.starts(with: fold(pattern).utf8)
    case .endsWith: fold(text).utf8.reversed().starts(with: fold(pattern).utf8.reversed())
    case .like: LikePattern(fold(pattern)).matches(fold(text))
    case .matches: RegularPattern.compiled(accentless(pattern), options).matches(accentless(text))
    default: TextFolding.contains(fold(text), fold(pattern))
    }
  }

  /// A text without what the options make no difference of.
  func fold(_ text: String) -> String {
    options.isEmpty ? text : TextFolding.fold(text, options)
  }

  /// Regular expressions know of letters of either case themselves.
  private func accentless(_ text: String) -> String {
    TextFolding.fold(text, options.subtracting(.caseInsensitive))
  }
}

extension Operand {
  /// What a text is searched for: a text, or a whole number as it is written.
  fileprivate var pattern: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .null, .double, .data, .record, .list, .other: nil
    }
  }
}
