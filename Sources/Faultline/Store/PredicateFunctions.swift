import Foundation
import SQLiteConnection

/// What SQLite asks of us where its own functions and ours could differ: the functions that
/// evaluate predicates in memory, under names that SQL can call.
enum PredicateFunctions {
  /// `Z_FOLD(text, options)` takes away what options make no difference of.
  static func fold(_ text: String, _ options: NSComparisonPredicate.Options) -> String {
    "Z_FOLD(\(text), \(options.rawValue))"
  }

  /// `Z_FITS(operator, options, text, pattern)` compares a text with a pattern.
  static func fits(_ comparison: NSComparisonPredicate, _ text: String, _ pattern: String) -> String
  {
    "Z_FITS(\(comparison.predicateOperatorType.rawValue), \(comparison.options.rawValue), "
      + "\(text), \(pattern))"
  }

  /// `Z_CALL(number, …)` calls a function of expressions.
  static func call(_ function: PredicateFunction, _ arguments: [String]) -> String {
    "Z_CALL(\(numbers[function] ?? -1), \(arguments.joined(separator: ", ")))"
  }

  /// `Z_UNPACK(member)` reads a member of a list that JSON cannot hold as it is.
  static func unpack(_ member: String) -> String { "Z_UNPACK(\(member))" }

  private static let numbers = Dictionary(
    uniqueKeysWithValues: PredicateFunction.allCases.enumerated().map { ($1, $0) })

  /// The name of an order of texts.
  static func collation(_ comparison: SortComparison) -> String { "Z_ORDER_\(comparison.rawValue)" }

  /// Makes the functions known to a connection.
  static func define(on connection: Connection) throws {
    try connection.define("Z_FOLD", argumentCount: 2) { values in
      guard case .text(let text) = values[0], case .integer(let options) = values[1] else {
        return values[0]
      }
      return .text(TextFolding.fold(text, NSComparisonPredicate.Options(rawValue: UInt(options))))
    }
    try connection.define("Z_FITS", argumentCount: 4) { values in
      guard case .integer(let type) = values[0], case .integer(let options) = values[1],
        let type = NSComparisonPredicate.Operator(rawValue: UInt(type))
      else { return .null }
      guard case .text(let text) = values[2], case .text(let pattern) = values[3] else {
        return .null
      }
      let rule = ComparisonRule(type, NSComparisonPredicate.Options(rawValue: UInt(options)))
      return .integer(rule.fits(text, pattern) ? 1 : 0)
    }
    try connection.define("Z_CALL", argumentCount: -1) { values in
      guard case .integer(let number)? = values.first else { return .null }
      let function = PredicateFunction.allCases[Int(number)]
      return FunctionValue(function.value(of: values.dropFirst().map { Operand($0) }) ?? .null)
    }
    try connection.define("Z_UNPACK", argumentCount: 1) { JSONList.unpack($0[0]) }
    for comparison in SortComparison.allCases where comparison != .plain {
      try connection.defineOrder(collation(comparison)) {
        comparison.compare($0, $1).rawValue
      }
    }
  }
}

extension Operand {
  /// A value that SQLite has.
  init(_ value: FunctionValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .text(let text): self = .text(text)
    case .blob(let bytes): self = .data(Data(bytes))
    }
  }
}

extension FunctionValue {
  /// A value for SQLite, which has no collections.
  init(_ operand: Operand) {
    switch operand {
    case .null, .record, .list, .other: self = .null
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .text(let text): self = .text(text)
    case .data(let data): self = .blob(Array(data))
    }
  }
}
