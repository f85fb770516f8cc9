import Synchronization

/// A modelled property, for accessors in an extension, where a property wrapper cannot stand; a
/// generator writes them from the data model.
///
///     extension Article {
///       private static let titleSlot = ManagedSlot<String?>("title")
///       var title: String? {
///         get { value(at: Self.titleSlot) }
///         set { setValue(newValue, at: Self.titleSlot) }
///       }
///     }
///
/// It remembers where the property lies in the rows of the entity that was asked for last, so that
/// the name is looked up once as long as the class stands for one entity of one model.
public final class ManagedSlot<Value: ManagedValue>: Sendable {
  /// The name of the property.
  public let name: String
  /// The serial number of a layout and, in the lower half, the slot in it.
  private let latest = Atomic<UInt64>(0)

  /// Names a property.
  public init(_ name: String) { self.name = name }

  /// The slot of the property in an object.
  @usableFromInline
  func number(in object: NSManagedObject) -> Int {
    let known = latest.load(ordering: .relaxed)
    if known >> 32 == UInt64(object.layout.serial) { return Int(known & 0xFFFF_FFFF) }
    return find(object)
  }

  @inline(never)
  private func find(_ object: NSManagedObject) -> Int {
    let layout = object.layout
    guard let number = layout.index[name] else {
      ProgrammerError.stop(
        "NSUnknownKeyException: class \(type(of: object)) has an accessor for \(name), but entity "
          + "\(layout.name) has no such property; generate the accessors from the model in use.")
    }
    layout.slots[number].refuseUntransformed(Value.self, in: layout.name)
    latest.store(UInt64(layout.serial) << 32 | UInt64(number), ordering: .relaxed)
    return number
  }
}

// Safe to share: `latest` is atomic and one word, so what it says of a layout is never torn.

extension NSManagedObject {
  /// The value of a property; fulfils a fault.
  @inlinable
  public func value<Value>(at slot: ManagedSlot<Value>) -> Value {
    Value.read(self, slot.number(in: self))
  }

  /// Sets a property, tracks the change and keeps inverses in step.
  @inlinable
  public func setValue<Value>(_ value: Value, at slot: ManagedSlot<Value>) {
    Value.write(value, self, slot.number(in: self))
  }

  /// Adds a member to a to-many relationship: the last, if the members have an order.
  public func add<Value>(_ member: NSManagedObject, to slot: ManagedSlot<Value>) {
    addMember(member, slot.number(in: self))
  }

  /// Removes a member from a to-many relationship.
  public func remove<Value>(_ member: NSManagedObject, from slot: ManagedSlot<Value>) {
    removeMember(member, slot.number(in: self))
  }
}
