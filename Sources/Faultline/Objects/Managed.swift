/// A property of a managed object whose value lives in the object's row, for classes written by
/// hand.
///
///     final class Article: NSManagedObject {
///       @Managed var name: String?
///     }
///
/// It stands where Apple's systems have `@NSManaged`, which compiles on Linux but does not link.
/// The wrapper holds nothing but the number of its slot, found by its own name at the first access.
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
      var slot = object[keyPath: storage].slot
      if slot < 0 {
        slot = object.slot(of: storage)
        object[keyPath: storage].slot = slot
      }
      return Value.read(object, Int(slot))
    }
    set {
      var slot = object[keyPath: storage].slot
      if slot < 0 {
        slot = object.slot(of: storage)
        object[keyPath: storage].slot = slot
      }
      Value.write(newValue, object, Int(slot))
    }
  }
}

extension NSManagedObject {
  /// The slot of a `@Managed` property, by the name of its storage.
  @usableFromInline
  func slot(of storage: AnyKeyPath) -> Int32 {
    if let known = layout.knownSlot(storage) { return known }
    // The storage of `name` is the private property `_name`, whose key path prints as
    // `\Class._name`.
    let text = "\(storage)"
    let name = text[(text.lastIndex(of: ".").map(text.index(after:)) ?? text.startIndex)...]
      .dropFirst()
    guard let number = layout.index[String(name)] else {
      ProgrammerError.stop(
        "NSUnknownKeyException: class \(type(of: self)) declares @Managed var \(name), but entity "
          + "\(layout.name) has no such property; add it to the model or rename the variable.")
    }
    layout.remember(storage, slot: Int32(number))
    return Int32(number)
  }
}
