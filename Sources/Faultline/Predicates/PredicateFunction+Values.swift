import Foundation

extension PredicateFunction {
  /// What the function makes of values, as SQLite computes it; nil if it is not a function of
  /// values alone.
  ///
  /// Null makes null, and so does what has no number for a result.
  func value(of values: [Operand]) -> Operand? {
    if isAggregate { return aggregate(values) }
    switch self {
    case .noIndex: return values[0]
    case .uppercase, .lowercase, .canonical, .length: return Self.text(self, values[0])
    case .cast: return Self.cast(values[0], to: values[1])
    case .add, .subtract, .multiply, .divide, .modulus: return arithmetic(values[0], values[1])
    case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: return bits(values[0], values[1])
    case .complement: return values[0].whole.map { .integer(~$0) } ?? .null
    case .floor, .ceiling, .truncate, .absolute: return rounded(values[0])
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential: return real(values[0])
    case .power:
      guard let base = values[0].real, let exponent = values[1].real else { return .null }
      return Self.finite(pow(base, exponent))
    case .element: return Self.element(values[0].members, values[1].whole)
    case .first: return values[0].members.first ?? .null
    case .last: return values[0].members.last ?? .null
    case .size: return .integer(Int64(values[0].members.count))
    default: return nil
    }
  }

  private static func finite(_ number: Double) -> Operand {
    number.isNaN ? .null : .double(number)
  }

  private static func element(_ members: [Operand], _ index: Int64?) -> Operand {
    guard let index = index.flatMap({ Int(exactly: $0) }), members.indices.contains(index) else {
      return .null
    }
    return members[index]
  }

  private static func text(_ function: PredicateFunction, _ value: Operand) -> Operand {
    guard case .text(let text) = value else {
      if function == .length, case .data(let data) = value { return .integer(Int64(data.count)) }
      return .null
    }
    switch function {
    case .uppercase: return .text(text.uppercased())
    case .lowercase: return .text(text.lowercased())
    case .length: return .integer(Int64(text.utf16.count))
    default: return .text(TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]))
    }
  }

  private static func cast(_ value: Operand, to type: Operand) -> Operand? {
    guard case .text(let type) = type else { return nil }
    if value.isNull { return .null }
    switch type {
    case "NSNumber", "NSDecimalNumber", "NSDate": return value.number ?? .null
    case "NSString":
      switch value {
      case .text: return value
      case .integer(let number): return .text("\(number)")
      case .double(let number): return .text("\(number)")
      default: return .null
      }
    case "NSUUID":
      if case .data = value { return value }
      guard case .text(let text) = value else { return .null }
      return UUID(uuidString: text).map { Operand($0) } ?? .null
    case "NSURL": if case .text = value { return value } else { return .null }
    case "NSData": if case .data = value { return value } else { return .null }
    default: return nil
    }
  }

  private func arithmetic(_ left: Operand, _ right: Operand) -> Operand {
    guard let a = left.number, let b = right.number else { return .null }
    if self == .modulus {
      guard let a = a.whole, let b = b.whole, b != 0 else { return .null }
      return .integer(b == -1 ? 0 : a % b)
    }
    if case .integer(let a) = a, case .integer(let b) = b {
      let result: (partialValue: Int64, overflow: Bool)
      switch self {
      case .add: result = a.addingReportingOverflow(b)
      case .subtract: result = a.subtractingReportingOverflow(b)
      case .multiply: result = a.multipliedReportingOverflow(by: b)
      default:
        if b == 0 { return .null }
        result = a.dividedReportingOverflow(by: b)
      }
      if !result.overflow { return .integer(result.partialValue) }
    }
    guard let a = a.real, let b = b.real else { return .null }
    switch self {
    case .add: return Self.finite(a + b)
    case .subtract: return Self.finite(a - b)
    case .multiply: return Self.finite(a * b)
    default: return b == 0 ? .null : Self.finite(a / b)
    }
  }

  private func bits(_ left: Operand, _ right: Operand) -> Operand {
    guard let a = left.whole, let b = right.whole else { return .null }
    switch self {
    case .bitAnd: return .integer(a & b)
    case .bitOr: return .integer(a | b)
    case .bitXor: return .integer(a ^ b)
    case .shiftLeft: return .integer(a << b)
    default: return .integer(a >> b)
    }
  }

  private func rounded(_ value: Operand) -> Operand {
    switch value.number {
    case .integer(let number):
      guard self == .absolute else { return .integer(number) }
      return number == .min ? .double(-Double(number)) : .integer(abs(number))
    case .double(let number):
      switch self {
      case .floor: return .double(number.rounded(.down))
      case .ceiling: return .double(number.rounded(.up))
      case .truncate: return .double(number.rounded(.towardZero))
      default: return .double(abs(number))
      }
    default: return .null
    }
  }

  private func real(_ value: Operand) -> Operand {
    guard let number = value.real else { return .null }
    switch self {
    case .squareRoot: return Self.finite(number.squareRoot())
    case .logarithm: return number > 0 ? .double(log10(number)) : .null
    case .naturalLogarithm: return number > 0 ? .double(log(number)) : .null
    default: return Self.finite(exp(number))
    }
  }

  // MARK: Collections

  private func aggregate(_ values: [Operand]) -> Operand? {
    let members = values.count == 1 ? values[0].members : values.flatMap(\.members)
    if self == .count { return .integer(Int64(members.count)) }
    let present = members.filter { !$0.isNull }
    if self == .minimum || self == .maximum {
      let wanted: ComparisonResult = self == .minimum ? .orderedAscending : .orderedDescending
      guard let first = present.first else { return .null }
      return present.dropFirst().reduce(first) {
        Operand.compare($1, $0) == wanted ? $1 : $0
      }
    }
    if self == .mode { return .list(Self.modes(present)) }
    let numbers = present.compactMap(\.real)
    let sum = numbers.reduce(0, +)
    if self == .sum { return .double(sum) }
    guard !numbers.isEmpty else { return .null }
    let mean = sum / Double(numbers.count)
    switch self {
    case .average: return .double(mean)
    case .median:
      let sorted = numbers.sorted()
      let middle = sorted.count / 2
      return .double(
        sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle])
    default:
      let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return .double((squares / Double(numbers.count)).squareRoot())
    }
  }

  /// The members that are there most often, each once.
  private static func modes(_ members: [Operand]) -> [Operand] {
    var counts: [(member: Operand, count: Int)] = []
    for member in members {
      if let known = counts.firstIndex(where: { Operand.isSame($0.member, member) }) {
        counts[known].count += 1
      } else {
        counts.append((member, 1))
      }
    }
    let most = counts.map(\.count).max() ?? 0
    return counts.filter { $0.count == most }.map(\.member)
  }
}
