/// A property of a managed object whose value lives in the object's row, for classes written by
/// hand.
///
///     final class Article: NSManagedObject {
///       @Managed var name: String?
///     }
///
/// It stands where Apple's systems have `@NSManaged`, which compiles on Linux but does not link.
/// The wrapper holds nothing but the number of its slot, which every new object writes into it.
@propertyWrapper
public struct Managed<Value: ManagedValue> {
  @usableFromInline var slot: Int32 = -1

  /// Makes the property; the value comes from the row.
  public init() {}

  /// Not available: a managed property belongs to a managed object.
  @available(
    *, unavailable, message: "@Managed belongs on a property of an NSManagedObject subclass"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The value in the object's row.
  @inlinable
  public static subscript<Object: NSManagedObject>(
    _enclosingInstance object: Object,
    wrapped _: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Managed<Value>>
  ) -> Value {
    get {
      let slot = object[keyPath: storage].slot
      if slot < 0 { object.refuse(slot) }
      return Value.read(object, Int(slot))
    }
    set {
      let slot = object[keyPath: storage].slot
      if slot < 0 { object.refuse(slot) }
      Value.write(newValue, object, Int(slot))
    }
  }
}

/// Any `@Managed` property, by which the engine finds them among the stored properties of a class.
protocol ManagedWrapper {
  /// The type that the property is declared with.
  static var declaredType: Any.Type { get }
}

extension Managed: ManagedWrapper {
  static var declaredType: Any.Type { Value.self }
}

extension NSManagedObject {
  /// Stops because a `@Managed` property is not in the model.
  @usableFromInline
  func refuse(_ slot: Int32) -> Never {
    let name = ManagedFields.name(type(of: self), slot: slot)
    ProgrammerError.stop(
      "NSUnknownKeyException: class \(type(of: self)) declares @Managed var \(name), but entity "
        + "\(layout.name) has no such property; add it to the model or rename the variable.")
  }
}
