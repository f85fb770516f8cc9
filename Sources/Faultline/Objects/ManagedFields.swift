import CSwiftRuntime
import Synchronization

/// Where the `@Managed` properties of a class stand in its instances, and to which slot each leads.
///
/// Found once for each class that represents the entity. Every new object is then told all its slot
/// numbers at once, so that reading a property neither makes a key path nor looks for a name. A
/// property that the entity lacks gets a negative number, which tells it apart when it is used.
///
/// Every new object asks, so a look-up takes no lock: it walks a list that only ever grows at its
/// head. There are as many entries as there are classes.
struct ManagedFields: ~Copyable, @unchecked Sendable {
  /// One property: its place in an instance, and what its wrapper shall hold.
  private struct Field {
    let offset: Int
    let slot: Int32
  }

  private struct Entry {
    let type: ObjectIdentifier
    let fields: UnsafeMutableBufferPointer<Field>
    let next: UnsafePointer<Entry>?
  }

  private let head = Atomic<UnsafePointer<Entry>?>(nil)
  /// How many entries there are; who adds one holds it.
  private let count = Lock(0)

  deinit {
    var entry = head.load(ordering: .acquiring)
    while let dead = entry {
      entry = dead.pointee.next
      dead.pointee.fields.deallocate()
      dead.deallocate()
    }
  }

  /// Writes the slot numbers into the wrappers of an object, which holds its layout meanwhile.
  ///
  /// Within an initializer it would count the object's references once more.
  @inline(never)
  static func fill(_ object: NSManagedObject) {
    let start = Unmanaged.passUnretained(object).toOpaque()
    let type = type(of: object)
    Unmanaged.passUnretained(object.layout)._withUnsafeGuaranteedRef { layout in
      let fields = layout.managedFields.find(ObjectIdentifier(type))
      for field in fields ?? layout.managedFields.add(type, layout) {
        start.storeBytes(of: field.slot, toByteOffset: field.offset, as: Int32.self)
      }
    }
  }

  /// The name of the property of a class whose wrapper holds a negative number.
  static func name(_ type: NSManagedObject.Type, slot: Int32) -> String {
    let found = properties(of: type)
    let index = Int(-1 - slot)
    return index < found.count ? found[index].name : "?"
  }

  @inline(__always)
  private func find(_ type: ObjectIdentifier) -> UnsafeMutableBufferPointer<Field>? {
    var entry = head.load(ordering: .acquiring)
    while let known = entry {
      if known.pointee.type == type { return known.pointee.fields }
      entry = known.pointee.next
    }
    return nil
  }

  @inline(never)
  private func add(
    _ type: NSManagedObject.Type, _ layout: EntityLayout
  ) -> UnsafeMutableBufferPointer<Field> {
    count.withLock { count in
      if let known = find(ObjectIdentifier(type)) { return known }
      let fields = Self.properties(of: type).enumerated().map { index, property in
        let slot = layout.index[property.name]
        slot.map { layout.slots[$0].refuseUntransformed(property.type, in: layout.name) }
        return Field(offset: property.offset, slot: Int32(slot ?? -1 - index))
      }
      let kept = UnsafeMutableBufferPointer<Field>.allocate(capacity: fields.count)
      _ = kept.initialize(from: fields)
      let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
      entry.initialize(
        to: Entry(
          type: ObjectIdentifier(type), fields: kept, next: head.load(ordering: .acquiring)))
      head.store(UnsafePointer(entry), ordering: .releasing)
      count += 1
      return kept
    }
  }

  private static func properties(
    of type: NSManagedObject.Type
  ) -> [(name: String, offset: Int, type: Any.Type)] {
    let type = unsafeBitCast(type, to: UnsafeRawPointer.self)
    return (0..<swift_reflectionMirror_recursiveCount(type)).compactMap { index in
      var field = faultline_field()
      guard let found = swift_reflectionMirror_recursiveChildMetadata(type, index, &field),
        let name = field.name,
        let wrapper = unsafeBitCast(found, to: Any.Type.self) as? any ManagedWrapper.Type
      else { return nil }
      // The storage of `name` is the private property `_name`.
      return (
        String(String(cString: name).dropFirst()),
        swift_reflectionMirror_recursiveChildOffset(type, index), wrapper.declaredType
      )
    }
  }
}

// Safe to share: `head` is atomic and what it leads to is never changed; `count` is a lock.
