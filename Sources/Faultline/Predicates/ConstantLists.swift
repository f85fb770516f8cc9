import Foundation

/// The lists of a predicate that is held against one object after another: each is converted once,
/// and what is in it is found by its hash, even if it could change (`KeptList`).
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

/// The list of an `IN`, kept by its predicate from the first evaluation to the last, if nobody can
/// change what is in it.
///
/// States, in this order only:
/// - unread: nobody has evaluated the predicate yet.
/// - lasting or changing: what the first evaluation found (`list(_:)`); it is true for ever.
final class KeptList {
  private enum State {
    case unread
    case lasting(HashedList)
    /// The list must be looked through each time, because it may have changed.
    case changing
  }

  private let state = Lock(State.unread)

  /// The list of the predicate that keeps this; nil if it may change.
  func list(_ comparison: NSComparisonPredicate) -> HashedList? {
    switch state.withLock({ $0 }) {
    case .lasting(let list): return list
    case .changing: return nil
    case .unread: break
    }
    // Without the lock, because it runs the application's code; two threads make the same.
    let list = Self.lasting(comparison.rightExpression).map {
      HashedList($0, ComparisonRule(comparison))
    }
    state.withLock { $0 = list.map(State.lasting) ?? .changing }
    return list
  }

  /// The members of a constant collection, if neither it nor one of them can change.
  private static func lasting(_ expression: NSExpression) -> [Operand]? {
    guard case .constant(let value?) = expression.node else { return nil }
    // Foundation's collections give away copies of their members, which tell nothing.
    if type(of: value) is AnyClass { return nil }
    let members: [Any?]
    switch value {
    case let set as Set<AnyHashable>: members = set.map(\.base)
    case let list as [Any?]: members = list
    default: return nil
    }
    return members.allSatisfy(isLasting) ? members.map { Operand($0) } : nil
  }

  /// The structures that predicates compare and that hold no object.
  private static let structures = Set(
    [
      String.self, Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self,
      UInt8.self, UInt16.self, UInt32.self, UInt64.self, Double.self, Float.self, Decimal.self,
      Date.self, UUID.self, URL.self, Data.self,
    ].map { (type: Any.Type) in ObjectIdentifier(type) })

  private static func isLasting(_ member: Any?) -> Bool {
    guard let value = member.flattened else { return true }
    let type = type(of: value)
    if !(type is AnyClass) { return structures.contains(ObjectIdentifier(type)) }
    switch value {
    case is NSNumber, is NSDate, is NSUUID, is NSURL, is NSNull: return true
    case let record as any PredicateValue:
      // An id is what it is equal by; an object has another one when it has been saved.
      if case .record(let id, nil) = record.operand { return id === value as AnyObject }
      return false
    // It has a subclass that can change.
    default: return type == NSString.self
    }
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
    func isSame(_ member: Operand) -> Bool { rule.isSame(value, member.fitted(to: value)) }
    return alike.contains(where: isSame) || others.contains(where: isSame)
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
