import Foundation
import SQLiteConnection

/// A list of constants as one text, which one placeholder can hold.
struct JSONList {
  /// The list as JSON: whole numbers are numbers, and texts are texts, unless the list is packed.
  private(set) var text = "["
  /// Whether all members are whole numbers and texts; if not, texts are what `unpack` reads.
  let isPlain: Bool

  /// Writes a list of numbers, texts and data.
  init(_ constants: [Operand]) {
    isPlain = constants.allSatisfy {
      switch $0 {
      case .integer, .text: true
      case .null, .double, .data, .record, .list, .other: false
      }
    }
    for (number, constant) in constants.enumerated() {
      if number > 0 { text += "," }
      switch constant {
      case .integer(let number): text += "\(number)"
      case .text(let text): append(isPlain ? text : "t" + text)
      // JSON's fractions are not read as exactly as they are written.
      case .double(let number): text += "\"d\(number.bitPattern)\""
      case .data(let data): text += "\"b\(data.base64EncodedString())\""
      case .null, .record, .list, .other: text += "null"
      }
    }
    text += "]"
  }

  /// The constant that a member of a list is which is not plain.
  static func unpack(_ member: FunctionValue) -> FunctionValue {
    guard case .text(let packed) = member else { return member }
    let rest = String(packed.dropFirst())
    switch packed.first {
    case "d": return .double(Double(bitPattern: UInt64(rest) ?? 0))
    case "b": return .blob(Array(Data(base64Encoded: rest) ?? Data()))
    default: return .text(rest)
    }
  }

  private mutating func append(_ member: String) {
    text += "\""
    for scalar in member.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20: text += String(format: "\\u%04x", scalar.value)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
