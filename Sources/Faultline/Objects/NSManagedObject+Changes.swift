import Foundation

extension NSManagedObject {
  /// Whether a persistent value differs from the last saved one; fulfils no fault.
  public var hasPersistentChangedValues: Bool {
    if ConcurrencyDebug.isOn { check("hasPersistentChangedValues") }
    guard isRealised else { return false }
    return layout.slots.indices.contains { !layout.slots[$0].isTransient && isChanged($0) }
  }

  /// The new values of the persistent properties that changed since the last fetch or save.
  public func changedValues() -> [String: Any] {
    if ConcurrencyDebug.isOn { check("changedValues") }
    guard isRealised else { return [:] }
    return changedNames { changed.contains($0) && isAssigned($0) }
  }

  /// The values, before this event, of the properties that changed in this event.
  public func changedValuesForCurrentEvent() -> [String: Any] {
    if ConcurrencyDebug.isOn { check("changedValuesForCurrentEvent") }
    // The observers of an event still see what it changed.
    guard state.contains(.noted) || registry?.owner?.isProcessing == true else { return [:] }
    let touched = extras?.eventChanged ?? changed
    var result: [String: Any] = [:]
    for slot in layout.slots.indices where !layout.slots[slot].isTransient {
      guard touched.contains(slot) else { continue }
      let old = extras.map { $0.eventBase[slot] } ?? snapshot?[slot] ?? layout.slots[slot].initial
      result[layout.slots[slot].name] = plain(old, slot) ?? NSNull()
    }
    return result
  }

  /// The last fetched or saved values; nil names all persistent properties.
  public func committedValues(forKeys keys: [String]?) -> [String: Any] {
    if ConcurrencyDebug.isOn { check("committedValues") }
    if !isRealised { fulfill(triggeredBy: nil) }
    guard let snapshot else { return [:] }
    var result: [String: Any] = [:]
    for slot in layout.slots.indices where !layout.slots[slot].isTransient {
      let name = layout.slots[slot].name
      if let keys, !keys.contains(name) { continue }
      if layout.slots[slot].kind == .toMany {
        if let members = committedMembers(slot) { result[name] = members }
      } else {
        result[name] = plain(snapshot[slot], slot) ?? NSNull()
      }
    }
    return result
  }

  /// Whether a relationship has not been loaded; asking loads nothing.
  public func hasFault(forRelationshipNamed key: String) -> Bool {
    if ConcurrencyDebug.isOn { check("hasFault(forRelationshipNamed:)") }
    let slot = slot(named: key)
    guard isRealised else { return true }
    switch current(slot) {
    // A new object has no members anywhere that could be loaded.
    case .null: return layout.slots[slot].kind == .toMany && !isInserted
    case .toMany(let storage): return storage.members == nil
    case .object(let object): return object.isFault
    case .key, .id: return true
    case .integer, .double, .string, .data, .boxed: return false
    }
  }

  /// The ids of a relationship's destinations, without realising them.
  public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    if ConcurrencyDebug.isOn { check("objectIDs(forRelationshipNamed:)") }
    let slot = slot(named: key)
    if layout.slots[slot].kind == .toMany { return memberList(slot).map(\.objectID) }
    return destination(slot).map { [$0.objectID] } ?? []
  }

  private func changedNames(_ include: (Int) -> Bool) -> [String: Any] {
    var result: [String: Any] = [:]
    for slot in layout.slots.indices where !layout.slots[slot].isTransient && include(slot) {
      if let composite = layout.composite(holding: slot) {
        result[layout.slots[composite].name] = compositeValue(composite) ?? NSNull()
        continue
      }
      result[layout.slots[slot].name] = plainCurrent(slot) ?? NSNull()
    }
    return result
  }

  /// The current value as user code sees it, without firing a relationship fault's members.
  private func plainCurrent(_ slot: Int) -> Any? {
    layout.slots[slot].kind == .toMany
      ? collection(slot) : plain(current(slot), slot)
  }

  private func plain(_ value: Value, _ slot: Int) -> Any? {
    switch layout.slots[slot].kind {
    case .attribute(let type): return layout.slots[slot].any(value, type)
    case .toMany: return nil
    case .toOne:
      switch value {
      case .object(let object): return object
      case .key, .id: return registry?.owner?.destination(value, slot: layout.slots[slot])
      case .null, .integer, .double, .string, .data, .boxed, .toMany: return nil
      }
    }
  }

  private func committedMembers(_ slot: Int) -> Any? {
    guard case .toMany(let storage)? = own?[slot], storage.isChanged else { return nil }
    let members = members(slot)
    if let ordered = storage as? OrderedStorage { return NSOrderedSet(array: ordered.base) }
    return NSSet(array: Array(members.subtracting(storage.added).union(storage.removed)))
  }

  /// A to-many slot counts as assigned only if its membership changed.
  private func isAssigned(_ slot: Int) -> Bool {
    guard case .toMany(let storage)? = own?[slot] else { return true }
    return storage.isChanged
  }

  /// Whether the current value of a slot differs from the last saved one.
  func isChanged(_ slot: Int) -> Bool {
    guard let value = own?[slot] else { return false }
    if case .toMany(let storage) = value { return storage.isChanged }
    guard let row else { return isInserted && value != layout.slots[slot].initial }
    return value != row[slot]
  }

  /// The stored slots whose value or membership differs from the last saved one.
  var storedChanges: SlotSet {
    var result = SlotSet()
    for slot in 0..<layout.slots.count where changed.contains(slot) && isChanged(slot) {
      if !layout.transientSlots.contains(slot) { result.insert(slot) }
    }
    return result
  }

  /// The object with its id and its values; a fault shows no values and stays one.
  var fullDescription: String {
    let head =
      "<\(type(of: self)): \(layout.name)> (entity: \(layout.name); id: \(shortDescription); data: "
    guard isRealised else { return head + "<fault>)" }
    let body = layout.slots.indices.map { slot -> String in
      let name = layout.slots[slot].name
      let value = current(slot)
      switch value {
      case .toMany(let storage):
        return
          "\(name) = \(storage.members.map { "\($0.count) objects" } ?? "<relationship fault>")"
      case .object(let object): return "\(name) = \(object.shortDescription)"
      case .null where layout.slots[slot].kind == .toMany: return "\(name) = <relationship fault>"
      default: return "\(name) = \(plain(value, slot) ?? "nil")"
      }
    }
    return head + "{ " + body.joined(separator: "; ") + " })"
  }
}
