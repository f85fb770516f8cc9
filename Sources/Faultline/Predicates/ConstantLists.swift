import Foundation

/// The lists of a predicate that is held against one object after another: each is converted once,
/// and what is in it is found by its hash.
///
/// It must not outlive the fetch, because the application may change an array that it gave.
final class ConstantLists {
  private var lists: [ObjectIdentifier: HashedList] = [:]

  /// The list that is the right side of an `IN`; nil if that is no list, or one that must be
  /// computed.
  func list(_ comparison: NSComparisonPredicate) -> HashedList? {
    guard comparison.predicateOperatorType == .in,
      case .constant(let value) = comparison.rightExpression.node
    else { return nil }
    if let known = lists[ObjectIdentifier(comparison)] { return known }
    guard case .list(let members) = Operand(value) else { return nil }
    let list = HashedList(members, ComparisonRule(comparison))
    lists[ObjectIdentifier(comparison)] = list
    return list
  }
}

/// A list in which a value is found without comparing it with all of them.
struct HashedList {
  /// What is equal for two values that are the same; the contrary need not be so.
  private enum Key: Hashable {
    case number(Double)
    case text(String)
    case data(Data)
    case record(NSObject)
  }

  private let rule: ComparisonRule
  private var members: [Key: [Operand]] = [:]
  /// Members that can only be compared.
  private var others: [Operand] = []

  init(_ list: [Operand], _ rule: ComparisonRule) {
    self.rule = rule
    for member in list {
      if let key = key(member) {
        members[key, default: []].append(member)
      } else {
        others.append(member)
      }
    }
  }

  /// Whether a value is the same as a member.
  func contains(_ value: Operand) -> Bool {
    if value.isNull { return false }
    let alike = key(value).map { members[$0] ?? [] } ?? members.values.flatMap { $0 }
    return alike.contains { rule.isSame(value, $0) } || others.contains { rule.isSame(value, $0) }
  }

  private func key(_ value: Operand) -> Key? {
    switch value {
    case .integer, .double: return value.real.map(Key.number)
    case .text(let text):
      let folded = rule.fold(text)
      // A text that is nothing but a number is the same as that number.
      return Operand.text(folded).real.map(Key.number) ?? .text(folded)
    case .data(let data): return .data(data)
    case .record(let id, _): return .record(id)
    case .null, .list, .other: return nil
    }
  }
}
