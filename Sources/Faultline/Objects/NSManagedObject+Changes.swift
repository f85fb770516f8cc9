import Foundation

extension NSManagedObject {
  /// Whether a persistent value differs from the last saved one; fulfils no fault.
  public var hasPersistentChangedValues: Bool {
    if ConcurrencyDebug.isOn { check("hasPersistentChangedValues") }
    guard isRealised else { return false }
    return layout.slots.indices.contains { !layout.slots[$0].isTransient && isChanged($0) }
  }

  /// The new values of the persistent properties that changed since the last fetch or save; of an
  /// object that was never saved also those that a primitive setter gave another value than the one
  /// it began with.
  public func changedValues() -> [String: Any] {
    if ConcurrencyDebug.isOn { check("changedValues") }
    guard isRealised else { return [:] }
    let isNew = isInserted && neverSaved
    return changedNames { changed.contains($0) ? isAssigned($0) : isNew && isChanged($0) }
  }

  /// The values, before this event, of the properties that changed in this event.
  public func changedValuesForCurrentEvent() -> [String: Any] {
    if ConcurrencyDebug.isOn { check("changedValuesForCurrentEvent") }
    // The observers of an event still see what it changed.
    guard state.contains(.noted) || registry?.owner?.isProcessing == true else { return [:] }
    let event = extras?.posted ?? currentEvent
    var result: [String: Any] = [:]
    for slot in layout.slots.indices where !layout.slots[slot].isTransient {
      guard event.changed.contains(slot) else { continue }
      let old = former(slot) { event.base?[$0] ?? snapshot?[$0] ?? layout.slots[$0].initial }
      result.merge(old) { $1 }
    }
    return result
  }

  /// The slots changed in this event and the values before it, if those are not the snapshot's.
  private var currentEvent: (base: EventValues?, changed: SlotSet) {
    (extras?.eventBase, extras?.eventChanged ?? changed)
  }

  /// Ends the object's event; until its observers are served, `posted` has what it changed.
  func beginNextEvent() {
    // An object may be listed twice.
    if extras?.posted != nil { return }
    let ended = currentEvent
    rememberValues()
    extras?.posted = ended
  }

  /// What a property was, under its name; `base` has the values of that time.
  private func former(_ slot: Int, _ base: (Int) -> Value) -> [String: Any] {
    if let composite = layout.composite(holding: slot) {
      let parts = layout.compositeValue(composite) { plain(base($0), $0) }
      return [layout.slots[composite].name: parts ?? NSNull()]
    }
    let value =
      layout.slots[slot].kind == .toMany ? formerMembers(slot, base(slot)) : plain(base(slot), slot)
    return [layout.slots[slot].name: value ?? NSNull()]
  }

  /// The members that a relationship had when its changes were others.
  private func formerMembers(_ slot: Int, _ base: Value) -> Any? {
    let then: ToManyStorage? = if case .toMany(let kept) = base { kept } else { nil }
    let members = members(slot)
    let storage = toMany(slot)
    if let ordered = storage as? OrderedStorage {
      let former = ordered.orderBefore(then as? OrderedStorage)
      return NSOrderedSet(array: former ?? ordered.order ?? [])
    }
    let change = storage.change(since: then)
    return NSSet(array: Array(members.subtracting(change.added).union(change.removed)))
  }

  /// The last fetched or saved values; nil names all persistent properties, and loads the members
  /// of all relationships.
  public func committedValues(forKeys keys: [String]?) -> [String: Any] {
    if ConcurrencyDebug.isOn { check("committedValues") }
    if !isRealised { fulfill(triggeredBy: nil) }
    guard let snapshot else { return [:] }
    var result: [String: Any] = [:]
    for slot in layout.slots.indices where !layout.slots[slot].isTransient {
      let name = layout.slots[layout.composite(holding: slot) ?? slot].name
      if keys?.contains(name) == false || result[name] != nil { continue }
      result.merge(former(slot) { snapshot[$0] }) { $1 }
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
        result[layout.slots[composite].name] =
          layout.compositeValue(composite, plainValue) ?? NSNull()
        continue
      }
      result[layout.slots[slot].name] = plainCurrent(slot) ?? NSNull()
    }
    return result
  }

  /// The current value as user code sees it; members that nobody has read are loaded.
  private func plainCurrent(_ slot: Int) -> Any? {
    layout.slots[slot].kind == .toMany ? collection(slot) : plain(current(slot), slot)
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

  /// A to-many slot counts as assigned only if its membership changed.
  private func isAssigned(_ slot: Int) -> Bool {
    guard case .toMany(let storage)? = own?[slot] else { return true }
    return storage.isChanged
  }

  /// Keeps the values as they stand, as the old ones of the next event; of memberships, which go on
  /// changing in place, copies of what was changed.
  func rememberValues() {
    let kept = extras ?? Extras()
    kept.eventBase = EventValues(self)
    kept.eventChanged = SlotSet()
    extras = kept
  }

  /// The values of an object at the end of an event: what was assigned, and the row for the rest.
  struct EventValues {
    private var own: [Value?]
    private let row: Snapshot?

    fileprivate init(_ object: NSManagedObject) {
      row = object.snapshot
      own = object.layout.slots.indices.map { slot in
        guard case .toMany(let storage)? = object.own?[slot] else { return object.own?[slot] }
        return .toMany(storage.copyOfChanges())
      }
    }

    /// The value of a slot.
    subscript(slot: Int) -> Value {
      get { own[slot] ?? row?[slot] ?? .null }
      set { own[slot] = newValue }
    }
  }

  /// Whether the object has no row in any parent store.
  var neverSaved: Bool { snapshot == nil && !state.contains(.inaccessible) }

  /// Whether the current value of a slot differs from the last saved one.
  func isChanged(_ slot: Int) -> Bool {
    guard let value = own?[slot] else { return false }
    if case .toMany(let storage) = value { return storage.isChanged }
    guard let row else { return isInserted && value != layout.slots[slot].initial }
    return value != row[slot]
  }

  /// The stored slots whose value or membership differs from the last saved one, whoever was told
  /// of it: a primitive value is saved with the object's other changes.
  var storedChanges: SlotSet {
    var result = SlotSet()
    for slot in 0..<layout.slots.count where isChanged(slot) {
      if !layout.transientSlots.contains(slot) { result.insert(slot) }
    }
    return result
  }

  /// The object with its id and its values; a fault shows no values and stays one, and of a
  /// destination only its id is shown.
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
      case .null where layout.slots[slot].kind == .toMany: return "\(name) = <relationship fault>"
      default:
        let plain = plain(value, slot)
        let text = (plain as? NSManagedObject)?.shortDescription ?? plain.map { "\($0)" }
        return "\(name) = \(text ?? "nil")"
      }
    }
    return head + "{ " + body.joined(separator: "; ") + " })"
  }
}
