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
    case let comparison as NSComparisonPredicate: self = Self.of(comparison)
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

  private static func of(_ comparison: NSComparisonPredicate) -> Filter {
    guard comparison.comparisonPredicateModifier == .direct,
      comparison.options.subtracting(.caseInsensitive).isEmpty,
      let path = path(comparison.leftExpression),
      let constant = constant(comparison.rightExpression),
      let kind = operators[comparison.predicateOperatorType]
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Unsupported predicate \(comparison): this version compares a "
          + "key path with a constant.")
    }
    let made = Comparison(
      path: path, comparisonOperator: kind,
      ignoresCase: comparison.options.contains(.caseInsensitive), constant: constant.value)
    guard path == ["SELF"] else { return .comparison(made) }
    let ids = made.constants.compactMap {
      ($0 as? NSManagedObject)?.objectID ?? $0 as? NSManagedObjectID
    }
    // A value that is no object is compared as such, which validation asks for.
    if ids.isEmpty, made.constants.contains(where: { $0.flattened != nil }) {
      return .comparison(made)
    }
    return kind == .notEqual ? .not(.identity(ids)) : .identity(ids)
  }

  private static let operators: [NSComparisonPredicate.Operator: Operator] = [
    .equalTo: .equal, .notEqualTo: .notEqual, .lessThan: .less, .lessThanOrEqualTo: .lessOrEqual,
    .greaterThan: .greater, .greaterThanOrEqualTo: .greaterOrEqual, .beginsWith: .beginsWith,
    .contains: .contains, .endsWith: .endsWith, .like: .like, .matches: .matches, .in: .within,
  ]

  private static func path(_ expression: NSExpression) -> [String]? {
    switch expression.node {
    case .keyPath(nil, let names): names
    case .evaluatedObject: ["SELF"]
    default: nil
    }
  }

  private static func constant(_ expression: NSExpression) -> (value: Any?, Void)? {
    switch expression.node {
    case .constant(let value): return (value, ())
    case .aggregate(let members):
      let values = members.compactMap { constant($0) }
      return values.count == members.count ? (values.map(\.value), ()) : nil
    default: return nil
    }
  }
}

extension Filter.Comparison {
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
}
