import Foundation

/// A type that a modelled property can have in Swift.
public protocol ManagedValue {
  /// The value of a slot of an object.
  static func read(_ object: NSManagedObject, _ slot: Int) -> Self
  /// Puts a value into a slot of an object and tracks the change.
  static func write(_ value: Self, _ object: NSManagedObject, _ slot: Int)
  /// The value of a slot, or nil where the slot is empty.
  static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self?
  /// Empties a slot and tracks the change.
  static func clear(_ object: NSManagedObject, _ slot: Int)
}

extension ManagedValue {
  /// Empties a slot and tracks the change.
  public static func clear(_ object: NSManagedObject, _ slot: Int) { object.write(.null, slot) }
}

/// An integer type as a property.
public protocol ManagedInteger: ManagedValue, FixedWidthInteger {}

extension ManagedInteger {
  /// The value, or zero where the slot is empty.
  @inlinable
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    Self(truncatingIfNeeded: object.integer(slot) ?? 0)
  }

  /// Puts a number into a slot.
  public static func write(_ value: Self, _ object: NSManagedObject, _ slot: Int) {
    object.write(.integer(Int64(value)), slot)
  }

  /// The value, or nil where the slot is empty.
  @inlinable
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    object.integer(slot).map { Self(truncatingIfNeeded: $0) }
  }
}

extension Int: ManagedInteger {}
extension Int16: ManagedInteger {}
extension Int32: ManagedInteger {}
extension Int64: ManagedInteger {}

extension Bool: ManagedValue {
  @inlinable
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Bool {
    readOptional(object, slot) ?? false
  }
  public static func write(_ value: Bool, _ object: NSManagedObject, _ slot: Int) {
    object.write(.integer(value ? 1 : 0), slot)
  }
  @inlinable
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Bool? {
    object.integer(slot).map { $0 != 0 }
  }
}

extension Double: ManagedValue {
  @inlinable
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Double {
    readOptional(object, slot) ?? 0
  }
  public static func write(_ value: Double, _ object: NSManagedObject, _ slot: Int) {
    object.write(.double(value), slot)
  }
  @inlinable
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Double? {
    object.double(slot)
  }
}

extension Float: ManagedValue {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Float {
    Float(Double.read(object, slot))
  }
  public static func write(_ value: Float, _ object: NSManagedObject, _ slot: Int) {
    object.write(.double(Double(value)), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Float? {
    Double.readOptional(object, slot).map(Float.init)
  }
}

extension Date: ManagedValue {
  @inlinable
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double.read(object, slot))
  }
  public static func write(_ value: Date, _ object: NSManagedObject, _ slot: Int) {
    object.write(.double(value.timeIntervalSinceReferenceDate), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Date? {
    Double.readOptional(object, slot).map(Date.init(timeIntervalSinceReferenceDate:))
  }
}

extension String: ManagedValue {
  @inlinable
  public static func read(_ object: NSManagedObject, _ slot: Int) -> String {
    readOptional(object, slot) ?? ""
  }
  public static func write(_ value: String, _ object: NSManagedObject, _ slot: Int) {
    object.write(.string(value), slot)
  }
  @inlinable
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> String? {
    object.text(slot)
  }
}

extension Data: ManagedValue {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Data {
    readOptional(object, slot) ?? Data()
  }
  public static func write(_ value: Data, _ object: NSManagedObject, _ slot: Int) {
    object.write(.data(value), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Data? {
    if case .data(let data) = object.read(slot) { return data }
    return nil
  }
}

/// A value too wide for a slot, as a property.
protocol BoxedValue: ManagedValue {
  static var empty: Self { get }
  /// The value as a box holds it.
  static func content(_ value: Self) -> Boxed.Content
  /// The value in a box, or nil if the box holds another type.
  static func value(_ content: Boxed.Content) -> Self?
}

extension BoxedValue {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    readOptional(object, slot) ?? empty
  }
  public static func write(_ value: Self, _ object: NSManagedObject, _ slot: Int) {
    object.write(.boxed(Boxed(content(value))), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    if case .boxed(let box) = object.read(slot) { return value(box.content) }
    return nil
  }
}

extension UUID: BoxedValue {
  static var empty: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  static func content(_ value: UUID) -> Boxed.Content { .uuid(value) }
  static func value(_ content: Boxed.Content) -> UUID? {
    if case .uuid(let uuid) = content { uuid } else { nil }
  }
}

extension URL: BoxedValue {
  static var empty: URL { URL(fileURLWithPath: "/") }
  static func content(_ value: URL) -> Boxed.Content { .url(value) }
  static func value(_ content: Boxed.Content) -> URL? {
    if case .url(let url) = content { url } else { nil }
  }
}

extension Decimal: BoxedValue {
  static var empty: Decimal { 0 }
  static func content(_ value: Decimal) -> Boxed.Content { .decimal(value) }
  static func value(_ content: Boxed.Content) -> Decimal? {
    if case .decimal(let decimal) = content { decimal } else { nil }
  }
}

extension Optional: ManagedValue where Wrapped: ManagedValue {
  /// The value, or nil where the slot is empty.
  @inlinable
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Wrapped? {
    Wrapped.readOptional(object, slot)
  }
  /// Puts a value into a slot, or empties it.
  @inlinable
  public static func write(_ value: Wrapped?, _ object: NSManagedObject, _ slot: Int) {
    if let value { Wrapped.write(value, object, slot) } else { Wrapped.clear(object, slot) }
  }
  /// The value; an optional of an optional is never empty.
  @inlinable
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Wrapped?? {
    .some(Wrapped.readOptional(object, slot))
  }
}

extension NSManagedObject: ManagedValue {
  /// The destination of a to-one relationship that the model declares mandatory.
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    guard let destination = readOptional(object, slot) else {
      ProgrammerError.stop(
        "Unexpectedly found nil: \(object.shortDescription).\(object.layout.slots[slot].name) is "
          + "declared "
          + "non-optional but has no destination; declare it \(Self.self)? or set it first.")
    }
    return destination
  }
  /// Sets a to-one relationship.
  public static func write(_ value: NSManagedObject, _ object: NSManagedObject, _ slot: Int) {
    object.setDestination(value, slot)
  }
  /// The destination of a to-one relationship.
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    object.destination(slot).map { unsafeDowncast($0, to: Self.self) }
  }
  /// Empties a to-one relationship.
  public static func clear(_ object: NSManagedObject, _ slot: Int) {
    object.setDestination(nil, slot)
  }
}

extension Set: ManagedValue where Element: NSManagedObject {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Set<Element> {
    Set(object.members(slot).lazy.map { unsafeDowncast($0, to: Element.self) })
  }
  public static func write(_ value: Set<Element>, _ object: NSManagedObject, _ slot: Int) {
    object.setMembers(Set<NSManagedObject>(value.lazy.map { $0 }), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Set<Element>? {
    read(object, slot)
  }
  public static func clear(_ object: NSManagedObject, _ slot: Int) { object.setMembers([], slot) }
}

extension NSNumber: ManagedValue {
  /// The number, or zero where the slot is empty.
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    readOptional(object, slot) ?? number(.integer(0), object, slot)
  }
  /// Puts a number into a slot of a numeric or boolean attribute.
  public static func write(_ value: NSNumber, _ object: NSManagedObject, _ slot: Int) {
    object.setValue(value, forKey: object.layout.slots[slot].name)
  }
  /// The number, or nil where the slot is empty.
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    let value = object.read(slot)
    return value.isNull ? nil : number(value, object, slot)
  }

  private static func number(_ value: Value, _ object: NSManagedObject, _ slot: Int) -> Self {
    guard case .attribute(let type) = object.layout.slots[slot].kind,
      let number = value.any(type) as? Self
    else {
      ProgrammerError.stop(
        "\(object.layout.name).\(object.layout.slots[slot].name) is declared \(Self.self), "
          + "but holds no such number; declare it by the attribute's own type.")
    }
    return number
  }
}

extension NSSet: ManagedValue {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    guard let set = NSSet(array: Array(object.members(slot))) as? Self else {
      ProgrammerError.stop(
        "A relationship cannot be declared \(Self.self): use NSSet, or mutableSetValue(forKey:).")
    }
    return set
  }
  public static func write(_ value: NSSet, _ object: NSManagedObject, _ slot: Int) {
    object.setMembers(Set(value.allObjects.compactMap { $0 as? NSManagedObject }), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    read(object, slot)
  }
  public static func clear(_ object: NSManagedObject, _ slot: Int) { object.setMembers([], slot) }
}
