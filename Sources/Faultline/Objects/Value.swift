import Foundation

/// What one slot of a row or object holds.
enum Value {
  /// Nothing: nil, or a to-many relationship that nobody has touched.
  case null
  /// An integer of any width, or a truth value.
  case integer(Int64)
  /// A floating-point number, or a date in seconds since 2001.
  case double(Double)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A UUID, URL or decimal number.
  case boxed(Boxed)
  /// The key of a to-one destination in its own table, as a row holds it.
  case key(Int64)
  /// The id of a to-one destination whose entity or key alone would not name it.
  case id(NSManagedObjectID)
  /// A to-one destination as a realised object holds it, strongly.
  case object(NSManagedObject)
  /// The members of a to-many relationship as an object holds them.
  case toMany(ToManyStorage)

  /// Whether there is no value.
  var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

/// A value too wide for a slot.
final class Boxed: Sendable {
  /// The kinds of wide values.
  enum Content: Hashable, Sendable {
    case uuid(UUID)
    case url(URL)
    case decimal(Decimal)
    case opaque(Opaque)
  }

  /// The value itself.
  let content: Content

  init(_ content: Content) { self.content = content }

  /// The value of any class, if it is such a one.
  var opaque: Opaque? { if case .opaque(let opaque) = content { opaque } else { nil } }
}

extension String {
  /// Whether another text has the same bytes in UTF-8, which is what a store keeps of it; for
  /// Swift's own `==` it may also be spelt with other characters that look the same.
  @inline(__always)
  func hasBytes(of other: String) -> Bool {
    if utf8.count != other.utf8.count { return false }
    var (one, other) = (self, other)
    return one.withUTF8 { one in
      other.withUTF8 { other in
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, one.count) == 0
      }
    }
  }
}

extension Value: Equatable {
  /// Equality of contents; objects and ids are equal if they name the same record.
  static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.integer(let a), .integer(let b)): return a == b
    case (.double(let a), .double(let b)): return a == b
    case (.string(let a), .string(let b)): return a.hasBytes(of: b)
    case (.data(let a), .data(let b)): return a == b
    case (.boxed(let a), .boxed(let b)): return a.content == b.content
    case (.boxed(let box), .data(let data)), (.data(let data), .boxed(let box)):
      return box.opaque?.isStored(as: data) == true
    case (.key(let a), .key(let b)): return a == b
    case (.toMany(let a), .toMany(let b)): return a === b
    default:
      guard let a = left.referenceKey, let b = right.referenceKey else { return false }
      return a == b
    }
  }

  /// The key of the record that a to-one value names; temporary ids have negative keys.
  ///
  /// Keys are compared only within one slot, whose destinations share one table.
  var referenceKey: Int64? {
    switch self {
    case .key(let key): return key
    case .id(let id): return id.key
    case .object(let object): return object.key
    case .null, .integer, .double, .string, .data, .boxed, .toMany: return nil
    }
  }
}

extension Value {
  /// The value of an attribute as key-value coding hands it out.
  func any(_ type: NSAttributeType) -> Any? {
    switch self {
    case .null: return nil
    case .integer(let number):
      return type == .booleanAttributeType ? NSNumber(value: number != 0) : NSNumber(value: number)
    case .double(let number):
      if type == .dateAttributeType { return Date(timeIntervalSinceReferenceDate: number) }
      return type == .floatAttributeType
        ? NSNumber(value: Float(number)) : NSNumber(value: number)
    case .string(let text): return text
    case .data(let data): return data
    case .boxed(let box):
      switch box.content {
      case .uuid(let uuid): return uuid
      case .url(let url): return url
      case .decimal(let decimal): return NSDecimalNumber(decimal: decimal)
      case .opaque(let opaque): return opaque.object
      }
    case .key, .id, .object, .toMany: return nil
    }
  }

  /// The value of an attribute from whatever key-value coding was handed, or nil if it does not
  /// fit.
  init?(_ any: Any?, type: NSAttributeType) {
    guard let any = any.flattened, !(any is NSNull) else {
      self = .null
      return
    }
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType:
      guard let number = Self.integer(any) else { return nil }
      self = .integer(number)
    case .doubleAttributeType, .floatAttributeType:
      guard let number = Self.floating(any) else { return nil }
      self = .double(number)
    case .dateAttributeType:
      guard let date = any as? Date else { return nil }
      self = .double(date.timeIntervalSinceReferenceDate)
    case .stringAttributeType:
      guard let text = any as? String else { return nil }
      self = .string(text)
    case .binaryDataAttributeType:
      guard let data = any as? Data else { return nil }
      self = .data(data)
    case .UUIDAttributeType:
      guard let uuid = any as? UUID else { return nil }
      self = .boxed(Boxed(.uuid(uuid)))
    case .URIAttributeType:
      guard let url = any as? URL else { return nil }
      self = .boxed(Boxed(.url(url)))
    case .decimalAttributeType:
      guard let decimal = Self.decimal(any) else { return nil }
      self = .boxed(Boxed(.decimal(decimal)))
    case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
      .compositeAttributeType:
      return nil
    }
  }

  private static func integer(_ any: Any) -> Int64? {
    switch any {
    case let number as Int: return Int64(number)
    case let flag as Bool: return flag ? 1 : 0
    case let number as any BinaryInteger: return Int64(truncatingIfNeeded: number)
    case let number as NSNumber: return number.int64Value
    case let number as any BinaryFloatingPoint: return Int64(exactly: Double(number))
    default: return nil
    }
  }

  private static func decimal(_ any: Any) -> Decimal? {
    switch any {
    case let number as Decimal: return number
    case let number as NSNumber: return number.exactDecimal
    default: return floating(any).map { Decimal(real: $0) }
    }
  }

  private static func floating(_ any: Any) -> Double? {
    switch any {
    case let number as Double: return number
    case let number as any BinaryFloatingPoint: return Double(number)
    case let number as any BinaryInteger: return Double(number)
    case let number as NSNumber: return number.doubleValue
    default: return nil
    }
  }
}

extension Decimal {
  /// A real number as SQLite writes it, with 15 digits at most: the 19.99 that was stored, and not
  /// the nearest binary fraction.
  init(real number: Double) {
    self = Decimal(string: String(format: "%.15g", number)) ?? Decimal(number)
  }
}

extension NSNumber {
  /// Whether it was made of a binary fraction.
  var isReal: Bool { !(self is NSDecimalNumber) && ["d", "f"].contains(String(cString: objCType)) }

  /// The number as a decimal attribute has it.
  var exactDecimal: Decimal { isReal ? Decimal(real: doubleValue) : decimalValue }
}
