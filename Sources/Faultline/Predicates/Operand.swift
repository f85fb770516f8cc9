import Foundation

/// A value as predicates compare it: what SQLite would store of it, so that the store and the
/// memory compare the same things.
///
/// Dates are numbers (seconds since 2001), UUIDs are bytes, URLs are texts, truth values are 1
/// and 0.
enum Operand {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case data(Data)
  /// A record, by what it is equal by; a subject is there if its properties can be read.
  case record(NSObject, (any PredicateSubject)?)
  /// A collection.
  case list([Operand])
  /// Something of another class: a dictionary, whose keys can be read, or what only equals itself.
  case other(Any)

  /// Whether there is no value.
  var isNull: Bool { if case .null = self { true } else { false } }
}

/// An object whose properties predicates can read.
protocol PredicateSubject: AnyObject {
  /// The value of a property; an unknown name stops. Where there is no destination it is an empty
  /// list if the rest of the path leads to many.
  func operand(forKey key: String, before rest: ArraySlice<String>) -> Operand
}

/// A type of the layers above that predicates can compare.
protocol PredicateValue {
  /// The value as predicates compare it.
  var operand: Operand { get }
}

extension Operand {
  /// The value of a constant, an argument, a binding or a result of key-value coding.
  init(_ any: Any?) {
    // What is there most often is found without looking for hidden optionals.
    if let any {
      let type = type(of: any)
      if type == Int.self, let number = any as? Int {
        self = .integer(Int64(number))
        return
      }
      if type == Int64.self, let number = any as? Int64 {
        self = .integer(number)
        return
      }
      if type == Double.self, let number = any as? Double {
        self = .double(number)
        return
      }
      if type == Date.self, let date = any as? Date {
        self = .double(date.timeIntervalSinceReferenceDate)
        return
      }
      if type == String.self, let text = any as? String {
        self = .text(text)
        return
      }
      if type is AnyClass, let value = any as? any PredicateValue {
        self = value.operand
        return
      }
    }
    guard let value = any.flattened else {
      self = .null
      return
    }
    self = type(of: value) is AnyClass ? Operand(instance: value) : Operand(plain: value)
  }

  private init(plain value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let flag as Bool: self = Operand(flag)
    case let number as Int: self = .integer(Int64(number))
    case let number as Double: self = .double(number)
    case let date as Date: self = .double(date.timeIntervalSinceReferenceDate)
    case let number as any BinaryInteger: self = .integer(Int64(truncatingIfNeeded: number))
    case let number as any BinaryFloatingPoint: self = .double(Double(number))
    case let uuid as UUID: self = Operand(uuid)
    case let data as Data: self = .data(data)
    case let url as URL: self = .text(url.absoluteString)
    case let decimal as Decimal: self = Operand(decimal)
    case let set as Set<AnyHashable>: self = .list(set.map { Operand($0.base) })
    case let list as [Any?]: self = .list(list.map { Operand($0) })
    default: self = .other(value)
    }
  }

  private init(instance value: Any) {
    switch value {
    case let value as any PredicateValue: self = value.operand
    case is NSNull: self = .null
    case let number as NSDecimalNumber: self = Operand(number.decimalValue)
    case let number as NSNumber:
      let isReal = "df".utf8.contains(UInt8(bitPattern: number.objCType.pointee))
      self = isReal ? .double(number.doubleValue) : .integer(number.int64Value)
    case let text as NSString: self = .text("\(text)")
    case let date as NSDate: self = .double(date.timeIntervalSinceReferenceDate)
    case let data as NSData: self = .data(Data(referencing: data))
    case let uuid as NSUUID: self = UUID(uuidString: uuid.uuidString).map { Operand($0) } ?? .null
    case let url as NSURL: self = .text(url.absoluteString)
    case let list as NSArray: self = .list(list.map { Operand($0) })
    case let set as NSSet: self = .list(set.allObjects.map { Operand($0) })
    case let set as NSOrderedSet: self = .list(set.array.map { Operand($0) })
    default: self = .other(value)
    }
  }

  /// The bytes of a UUID.
  init(_ uuid: UUID) { self = .data(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }

  /// A decimal number as the nearest number that SQLite has.
  init(_ decimal: Decimal) { self = .double(Double("\(decimal)") ?? .nan) }

  /// A truth value.
  init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }

  /// The value as a number: a text only if it is nothing but a number.
  var number: Operand? {
    switch self {
    case .integer, .double: return self
    case .text(let text):
      return Int64(text).map(Operand.integer)
        ?? Double(text).flatMap { $0.isNaN ? nil : .double($0) }
    default: return nil
    }
  }

  /// A constant as it is compared with a value: a whole number beside a text is the text that is
  /// written so, as it is to a store, which knows that the column holds texts.
  func fitted(to value: Operand) -> Operand {
    switch (self, value) {
    case (.integer(let number), .text): return .text("\(number)")
    case (.integer, .list(let members)):
      return members.first { !$0.isNull }.map { fitted(to: $0) } ?? self
    case (.list(let members), .text): return .list(members.map { $0.fitted(to: value) })
    default: return self
    }
  }

  /// The value as a floating-point number.
  var real: Double? {
    switch number {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  /// The value as a whole number, without what stands behind the point.
  var whole: Int64? {
    switch number {
    case .integer(let number): number
    case .double(let number):
      Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    default: nil
    }
  }

  /// The members of a collection; anything else is a collection of itself.
  var members: [Operand] {
    switch self {
    case .list(let members): members
    case .null: []
    default: [self]
    }
  }

  /// What `ANY` and `ALL` go through: the members of a collection, or the one value.
  var elements: [Operand] {
    if case .list(let members) = self { members } else { [self] }
  }

  /// How one value stands to another; nil if they cannot be compared, as nothing can with null.
  static func compare(_ left: Operand, _ right: Operand) -> ComparisonResult? {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return order(a, b)
    case (.text(let a), .text(let b)): return order(a, b)
    case (.data(let a), .data(let b)):
      return a == b
        ? .orderedSame : a.lexicographicallyPrecedes(b) ? .orderedAscending : .orderedDescending
    default:
      guard let a = left.real, let b = right.real else { return nil }
      return order(a, b)
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
    a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
  }

  /// Texts by the bytes of UTF-8, as SQLite orders them.
  static func order(_ a: String, _ b: String) -> ComparisonResult {
    if a.utf8.elementsEqual(b.utf8) { return .orderedSame }
    return a.utf8.lexicographicallyPrecedes(b.utf8) ? .orderedAscending : .orderedDescending
  }

  /// Whether two values are the same; null is the same as nothing.
  static func isSame(_ left: Operand, _ right: Operand) -> Bool {
    switch (left, right) {
    case (.record(let a, _), .record(let b, _)): return a.isEqual(b)
    case (.list(let a), .list(let b)):
      return a.count == b.count && a.allSatisfy { one in b.contains { isSame(one, $0) } }
    case (.other(let a), .other(let b)):
      if let a = a as? NSObject, let b = b as? NSObject { return a.isEqual(b) }
      guard let a = a as? AnyHashable, let b = b as? AnyHashable else { return false }
      return a == b
    default: return compare(left, right) == .orderedSame
    }
  }
}

extension UUID {
  /// The UUID of its bytes, as predicates and stores have it; nil if these are not 16.
  init?(bytes: Data) {
    guard bytes.count == 16 else { return nil }
    self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}
