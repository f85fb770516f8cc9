import Foundation

/// A condition on an object: the tree that both the store and the memory evaluate.
indirect enum Filter {
  /// Always, or never.
  case constant(Bool)
  /// A property, reached by name through to-one relationships, compared with a constant.
  case comparison(Comparison)
  /// The object itself is one of these records.
  case identity([NSManagedObjectID])
  case and([Filter])
  case or([Filter])
  case not(Filter)

  /// The comparison operators.
  enum Operator {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case beginsWith, contains, endsWith, like, matches, within
  }

  /// One comparison.
  struct Comparison {
    /// The names along the way.
    let path: [String]
    let comparisonOperator: Operator
    /// Whether letters of either case are the same.
    let ignoresCase: Bool
    /// What is compared with: a value, nil, an object, an id, or a collection for `within`.
    let constant: Any?
  }
}

extension Filter {
  /// Turns a predicate into a filter; one that only code can evaluate stops, as SQLite stores
  /// raise.
  init(_ predicate: NSPredicate?) {
    guard let predicate else {
      self = .constant(true)
      return
    }
    switch predicate {
    case let format as FormatPredicate: self = format.filter
    case let compound as NSCompoundPredicate:
      let parts = compound.subpredicates.map { Filter($0) }
      switch compound.compoundPredicateType {
      case .and: self = .and(parts)
      case .or: self = .or(parts)
      case .not: self = .not(parts.first ?? .constant(true))
      }
    default:
      switch (predicate as any TextualPredicate).predicateFormat {
      case "TRUEPREDICATE": self = .constant(true)
      case "FALSEPREDICATE": self = .constant(false)
      default:
        ProgrammerError.stop(
          "NSInvalidArgumentException: Problem with predicate "
            + "\((predicate as any TextualPredicate).predicateFormat): a store "
            + "cannot run a block; write the condition with NSPredicate(format:).")
      }
    }
  }

  /// Whether an object satisfies the filter with the values it has in memory.
  func matches(_ object: NSManagedObject) -> Bool {
    switch self {
    case .constant(let result): return result
    case .identity(let ids): return ids.contains(object.objectID)
    case .and(let parts): return parts.allSatisfy { $0.matches(object) }
    case .or(let parts): return parts.contains { $0.matches(object) }
    case .not(let part): return !part.matches(object)
    case .comparison(let comparison): return comparison.matches(object, comparison.path[...])
    }
  }
}

extension Filter.Comparison {
  fileprivate func matches(_ object: NSManagedObject, _ path: ArraySlice<String>) -> Bool {
    guard let name = path.first else { return false }
    let slot = object.slot(named: name)
    if path.count > 1 {
      // As in SQL, a missing destination makes every comparison but "is not" false.
      guard let next = object.destination(slot) else { return false }
      return matches(next, path.dropFirst())
    }
    switch object.layout.slots[slot].kind {
    case .attribute(let type): return matches(object.read(slot), type)
    case .toOne: return matches(object.destination(slot))
    case .toMany: return false
    }
  }

  /// Whether a value of a type satisfies the comparison, whatever the path.
  func matches(_ value: Value, _ type: NSAttributeType) -> Bool {
    if comparisonOperator == .within {
      return constants.contains { Value($0, type: type).map { equal(value, $0) } ?? false }
    }
    guard let constant = Value(constant, type: type) else { return comparisonOperator == .notEqual }
    switch comparisonOperator {
    case .equal: return equal(value, constant)
    case .notEqual:
      return constant.isNull ? !value.isNull : !value.isNull && !equal(value, constant)
    case .less: return ordered(value, constant) { $0 == .orderedAscending }
    case .lessOrEqual: return ordered(value, constant) { $0 != .orderedDescending }
    case .greater: return ordered(value, constant) { $0 == .orderedDescending }
    case .greaterOrEqual: return ordered(value, constant) { $0 != .orderedAscending }
    case .beginsWith: return texts(value, constant) { $0.hasPrefix($1) }
    case .endsWith: return texts(value, constant) { $0.hasSuffix($1) }
    case .contains: return texts(value, constant) { $1.isEmpty || $0.contains($1) }
    case .like: return texts(value, constant) { Wildcard.matches($0, pattern: $1) }
    case .matches: return texts(value, constant, matchesExpression)
    case .within: return false
    }
  }

  private func matches(_ destination: NSManagedObject?) -> Bool {
    switch comparisonOperator {
    case .equal: return names(destination, constant)
    case .notEqual: return !names(destination, constant)
    case .within: return constants.contains { names(destination, $0) }
    default: return false
    }
  }

  private func names(_ object: NSManagedObject?, _ constant: Any?) -> Bool {
    switch constant.flattened {
    case let other as NSManagedObject: return object?.objectID == other.objectID
    case let id as NSManagedObjectID: return object?.objectID == id
    default: return object == nil
    }
  }

  /// The members of the collection on the right of `IN`.
  var constants: [Any?] {
    switch constant.flattened {
    case let array as [Any?]: return array
    case let array as NSArray: return array.map { $0 }
    case let set as NSSet: return set.allObjects
    case let set as Set<AnyHashable>: return set.map(\.base)
    case let other?: return [other]
    case nil: return []
    }
  }

  private func equal(_ a: Value, _ b: Value) -> Bool {
    if case .string(let left) = a, case .string(let right) = b, ignoresCase {
      return left.lowercased() == right.lowercased()
    }
    return a == b
  }

  private func ordered(_ a: Value, _ b: Value, _ test: (ComparisonResult) -> Bool) -> Bool {
    !a.isNull && !b.isNull && test(SortTerm.compare(a, b))
  }

  private func texts(_ a: Value, _ b: Value, _ test: (String, String) -> Bool) -> Bool {
    guard case .string(let left) = a, case .string(let right) = b else { return false }
    return ignoresCase ? test(left.lowercased(), right.lowercased()) : test(left, right)
  }
}

/// Patterns with `*` and `?`.
enum Wildcard {
  /// Whether the text fits the pattern from end to end.
  static func matches(_ text: String, pattern: String) -> Bool {
    matches(Array(text)[...], Array(pattern)[...])
  }

  private static func matches(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return matches(text, pattern.dropFirst())
        || (!text.isEmpty && matches(text.dropFirst(), pattern))
    }
    guard let letter = text.first, first == "?" || first == letter else { return false }
    return matches(text.dropFirst(), pattern.dropFirst())
  }
}
