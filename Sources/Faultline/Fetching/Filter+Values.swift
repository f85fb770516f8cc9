import Foundation

extension Filter {
  /// Whether a value that is no managed object satisfies the filter: paths are `SELF` and `length`.
  func matches(value: Any?) -> Bool {
    switch self {
    case .constant(let result): return result
    case .identity: return false
    case .and(let parts): return parts.allSatisfy { $0.matches(value: value) }
    case .or(let parts): return parts.contains { $0.matches(value: value) }
    case .not(let part): return !part.matches(value: value)
    case .comparison(let comparison): return comparison.matches(value: value.flattened)
    }
  }
}

extension Filter.Comparison {
  fileprivate func matches(value: Any?) -> Bool {
    var subject = value
    for name in path where name.uppercased() != "SELF" {
      guard name == "length" else {
        ProgrammerError.stop(
          "NSUnknownKeyException: a value has no key \"\(path.joined(separator: "."))\"; a "
            + "condition on a value knows SELF and length.")
      }
      subject = Self.length(subject)
    }
    let type = Self.type(subject, comparedWith: constants)
    return Value(subject, type: type).map { matches($0, type) } ?? false
  }

  private static func length(_ value: Any?) -> Any? {
    switch value {
    case let text as String: text.utf16.count
    case let data as Data: data.count
    default: nil
    }
  }

  /// The type as which a value and constants can be compared.
  private static func type(_ value: Any?, comparedWith constants: [Any?]) -> NSAttributeType {
    switch value {
    case is String: .stringAttributeType
    case is Date: .dateAttributeType
    case is Data: .binaryDataAttributeType
    case is UUID: .UUIDAttributeType
    case is URL: .URIAttributeType
    case is Decimal, is NSDecimalNumber: .decimalAttributeType
    case nil: .stringAttributeType
    default:
      ([value] + constants).allSatisfy(isInteger) ? .integer64AttributeType : .doubleAttributeType
    }
  }

  private static func isInteger(_ value: Any?) -> Bool {
    switch value.flattened {
    case is any BinaryInteger, is Bool: true
    case let number as NSNumber: number.doubleValue == Double(number.int64Value)
    default: false
    }
  }

  /// Whether a regular expression fits a whole text.
  func matchesExpression(_ text: String, _ pattern: String) -> Bool {
    let options: NSRegularExpression.Options = ignoresCase ? .caseInsensitive : []
    guard let expression = try? NSRegularExpression(pattern: "^(?:\(pattern))$", options: options)
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Can't do regex matching: \(pattern) is no regular expression.")
    }
    let whole = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, range: whole)?.range == whole
  }
}
