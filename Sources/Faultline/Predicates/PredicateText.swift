import Foundation

/// Prints predicates and expressions as Core Data prints them.
enum PredicateText {
  /// A predicate as a format string.
  static func text(_ predicate: NSPredicate) -> String {
    switch predicate {
    case let comparison as NSComparisonPredicate: return text(comparison)
    case let compound as NSCompoundPredicate: return text(compound)
    default: return (predicate as any TextualPredicate).predicateFormat
    }
  }

  /// A comparison as a format string.
  static func text(_ comparison: NSComparisonPredicate) -> String {
    let modifier =
      switch comparison.comparisonPredicateModifier {
      case .direct: ""
      case .all: "ALL "
      case .any: "ANY "
      }
    return modifier + text(comparison.leftExpression) + " "
      + comparison.predicateOperatorType.sign + text(comparison.options) + " "
      + text(comparison.rightExpression)
  }

  private static func text(_ options: NSComparisonPredicate.Options) -> String {
    let letters =
      (options.contains(.caseInsensitive) ? "c" : "")
      + (options.contains(.diacriticInsensitive) ? "d" : "")
      + (options.contains(.normalized) ? "n" : "")
      + (options.contains(.localeSensitive) ? "l" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }

  private static func text(_ compound: NSCompoundPredicate) -> String {
    let parts = compound.subpredicates.map { part in
      part is NSCompoundPredicate ? "(\(text(part)))" : text(part)
    }
    switch compound.compoundPredicateType {
    case .not: return "NOT " + (parts.first ?? "")
    case .and: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
    case .or: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
    }
  }

  /// Whether a predicate reads the same as something else.
  static func isSame(_ predicate: NSPredicate, _ other: Any?) -> Bool {
    guard let other = other as? NSPredicate else { return false }
    return predicate === other || text(predicate) == text(other)
  }

  /// An expression as a format string.
  static func text(_ expression: NSExpression) -> String {
    switch expression.node {
    case .constant(let value): return constant(value)
    case .evaluatedObject: return "SELF"
    case .variable(let name): return "$" + name
    case .keyPath(let base, let names):
      return (base.map { operand($0) + "." } ?? "")
        + names.enumerated().map { name($1, isFirst: base == nil && $0 == 0) }
        .joined(separator: ".")
    case .function(let function, let arguments): return text(function, arguments)
    case .method(let target, let name, let arguments):
      return "FUNCTION("
        + ([target] + [NSExpression(.constant(name))] + arguments).map(text)
        .joined(separator: ", ") + ")"
    case .set(let operation, let left, let right):
      return "\(operand(left)) \(operation.rawValue) \(operand(right))"
    case .subquery(let collection, let variable, let predicate):
      return "SUBQUERY(\(text(collection)), $\(variable), \(text(predicate)))"
    case .aggregate(let members): return "{" + members.map(text).joined(separator: ", ") + "}"
    case .anyKey: return "ANYKEY"
    case .block: return "BLOCK()"
    case .conditional(let predicate, let yes, let no):
      return "TERNARY(\(text(predicate)), \(text(yes)), \(text(no)))"
    }
  }

  /// An expression where a sign stands beside it, in parentheses if it has a sign of its own.
  private static func operand(_ expression: NSExpression) -> String {
    switch expression.node {
    case .function(let function, _) where function.sign != nil: return "(\(text(expression)))"
    case .set: return "(\(text(expression)))"
    case .constant where text(expression).hasPrefix("-"): return "(\(text(expression)))"
    default: return text(expression)
    }
  }

  private static func text(_ function: PredicateFunction, _ arguments: [NSExpression]) -> String {
    if let sign = function.sign, arguments.count == 2 {
      return "\(operand(arguments[0])) \(sign) \(operand(arguments[1]))"
    }
    if function == .element { return "\(operand(arguments[0]))[\(text(arguments[1]))]" }
    if let word = PredicateFunction.byIndex.first(where: { $0.value == function })?.key {
      return "\(operand(arguments[0]))[\(word)]"
    }
    let name = function == .cast ? "CAST" : function.rawValue
    return "\(name)(" + arguments.map(text).joined(separator: ", ") + ")"
  }

  private static let keywords: Set = [
    "AND", "OR", "NOT", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN",
    "ANY", "SOME", "ALL", "NONE", "NIL", "NULL", "TRUE", "YES", "FALSE", "NO", "SELF", "UNION",
    "INTERSECT", "MINUS", "TRUEPREDICATE", "FALSEPREDICATE", "FIRST", "LAST", "SIZE",
  ]

  private static func name(_ name: String, isFirst: Bool) -> String {
    isFirst && keywords.contains(name.uppercased()) ? "#" + name : name
  }

  private static func constant(_ value: Any?) -> String {
    switch value.flattened {
    case nil, is NSNull: return "nil"
    case let text as String: return quoted(text)
    case let flag as Bool: return flag ? "1" : "0"
    case let date as Date:
      return String(format: "CAST(%.6f, \"NSDate\")", date.timeIntervalSinceReferenceDate)
    case let array as [Any?]: return list(array)
    case let set as NSSet: return list(set.allObjects)
    case let set as NSOrderedSet: return list(set.array)
    case let set as Set<AnyHashable>: return list(set.map(\.base))
    case let data as Data:
      return "<" + data.map { String(format: "%02x", $0) }.joined() + ">"
    case let value as any PredicateValue:
      // An object is the record that it stands for, whatever values it has.
      if case .record(let id, _) = value.operand { return "\(id)" }
      return "\(value)"
    case let value?: return "\(value)"
    }
  }

  private static func list(_ members: [Any?]) -> String {
    "{" + members.map(constant).joined(separator: ", ") + "}"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
      .replacingOccurrences(of: "\r", with: "\\r").replacingOccurrences(of: "\t", with: "\\t")
    return "\"\(escaped)\""
  }
}
