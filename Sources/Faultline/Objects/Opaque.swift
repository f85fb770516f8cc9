import Foundation

/// A value of any class, as a transformable or undefined attribute of one object holds it.
///
/// The engine sees only that another one is assigned. What is stored of it is made at the first
/// save after that, and not again: a change made inside the value goes unnoticed (rule A69).
final class Opaque {
  /// The value itself.
  let object: Any
  private let transformer: ValueTransformer?
  private var data: Data?

  /// Holds a value; `data` is what it was made of.
  init(_ object: Any, _ transformer: ValueTransformer?, data: Data? = nil) {
    self.object = object
    self.transformer = transformer
    self.data = data
  }

  /// Whether data is what the value was made of or is stored as, or would become an equal value.
  func isStored(as other: Data) -> Bool {
    if data == other { return true }
    return transformer?.value(of: other).map { Self.isSame(object, $0) } ?? false
  }

  private static func isSame(_ one: Any, _ other: Any) -> Bool {
    if let one = one as? NSObject, let other = other as? NSObject { return one.isEqual(other) }
    guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
    return one == other
  }

  /// What the value is, or would be, stored as.
  var encoded: Data? { data ?? transformer?.data(of: object) }

  /// What the value is stored as, from now on.
  func store() -> Data {
    if let data { return data }
    guard let made = encoded else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: the value transformer "
          + "\(transformer.map { "\(type(of: $0))" } ?? "nil") made no data of a value of type "
          + "\(type(of: object)); it must allow the value's class.")
    }
    data = made
    return made
  }
}

extension Opaque: Hashable {
  /// Values are equal if they say so themselves.
  static func == (left: Opaque, right: Opaque) -> Bool {
    left === right || isSame(left.object, right.object)
  }

  func hash(into hasher: inout Hasher) {}
}

// An object never leaves its context's queue, and neither does what it holds here: rows have data.
extension Opaque: @unchecked Sendable {}

extension Slot {
  /// The value of an attribute as key-value coding hands it out; stored data is transformed anew.
  func any(_ value: Value, _ type: NSAttributeType) -> Any? {
    if let transformer, case .data(let data) = value { return transformer.value(of: data) }
    return value.any(type)
  }

  /// The value of an attribute from whatever key-value coding was handed; nil if it does not fit.
  func value(_ any: Any?, _ type: NSAttributeType) -> Value? {
    switch type {
    case .transformableAttributeType, .undefinedAttributeType: fitting(any)
    default: Value(any, type: type)
    }
  }

  /// A value of any class as the slot holds it; nil if its transformer cannot take the class.
  private func fitting(_ any: Any?) -> Value? {
    guard let any = any.flattened, !(any is NSNull) else { return .null }
    if transformer is NSSecureUnarchiveFromDataTransformer,
      !((any as? NSObject) is any NSSecureCoding)
    {
      return nil
    }
    return .boxed(Boxed(.opaque(Opaque(any, transformer))))
  }

  /// A value of any class as the slot holds it; one that does not fit stops.
  func opaque(_ any: Any?) -> Value {
    if let value = fitting(any) { return value }
    ProgrammerError.stop(
      "NSInvalidArgumentException: Unacceptable type of value for attribute: property = "
        + "\"\(name)\"; desired type = one that adopts NSSecureCoding; given value = "
        + "\(any ?? "nil").")
  }

  /// The transformer of a stored transformable attribute; an unknown name stops.
  static func transformer(_ attribute: NSAttributeDescription?) -> ValueTransformer? {
    guard let attribute, attribute.attributeType == .transformableAttributeType,
      !attribute.isTransient
    else { return nil }
    let name =
      attribute.valueTransformerName.map { NSValueTransformerName($0) }
      ?? .secureUnarchiveFromDataTransformerName
    if let found = ValueTransformer(forName: name) { return found }
    ProgrammerError.stop(
      "NSInvalidArgumentException: no value transformer is registered under the name "
        + "\"\(name.rawValue)\" of attribute \(attribute.name); call "
        + "ValueTransformer.setValueTransformer(_:forName:) before the model is used.")
  }
}

extension NSManagedObject {
  /// The value of a transformable attribute; the object keeps what the stored data turned into, so
  /// that the next reader gets the same instance.
  func transformedValue(_ slot: Int) -> Any? {
    if layout.composites[slot] != nil { return layout.compositeValue(slot, plainValue) }
    let value = read(slot)
    guard case .data(let data) = value, let transformer = layout.slots[slot].transformer else {
      return value.any(.transformableAttributeType)
    }
    guard let object = transformer.value(of: data) else { return nil }
    ownValues()[slot] = .boxed(Boxed(.opaque(Opaque(object, transformer, data: data))))
    return object
  }
}

/// A type that a transformable or undefined attribute can have in Swift.
///
/// Arrays and dictionaries do; a class of your own, which a value transformer allows, is declared
/// so: `extension Colour: TransformableValue {}`.
public protocol TransformableValue: ManagedValue {}

extension TransformableValue {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    guard let value = readOptional(object, slot) else {
      ProgrammerError.stop(
        "Unexpectedly found nil: \(object.shortDescription).\(object.layout.slots[slot].name) is "
          + "declared non-optional but has no value of type \(Self.self); declare it \(Self.self)?."
      )
    }
    return value
  }
  public static func write(_ value: Self, _ object: NSManagedObject, _ slot: Int) {
    if object.layout.composites[slot] != nil { return object.setComposite(value, slot) }
    object.write(object.layout.slots[slot].opaque(value), slot)
  }
  public static func clear(_ object: NSManagedObject, _ slot: Int) {
    if object.layout.composites[slot] != nil { return object.setComposite(nil, slot) }
    object.write(.null, slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    object.transformedValue(slot) as? Self
  }
}

extension Array: ManagedValue, TransformableValue {}
extension Dictionary: ManagedValue, TransformableValue {}
extension Optional: TransformableValue where Wrapped: TransformableValue {}

extension Slot {
  /// Stops if a property of a type that transforms nothing stands for a transformable attribute.
  func refuseUntransformed(_ type: Any.Type, in entity: String) {
    if transformer == nil || type is any TransformableValue.Type { return }
    ProgrammerError.stop(
      "NSInvalidArgumentException: \(entity).\(name) is transformable, but declared \(type); "
        + "let the type adopt TransformableValue, or use value(forKey:).")
  }
}
