import Foundation

/// An object that represents a record of a store in one context.
///
/// Its life, and what its values are in each state:
///
///     fault ──fulfil──▶ realised, shared ──first write, or a relationship read──▶ realised, own
///       ▲                    │                                                      │
///       └──── refresh ───────┴──────────────────── refresh, save ──────────────────┘
///
/// - fault: `row` and `own` are nil. Reading any modelled property fulfils it
///   (`ObjectOwner.fulfill`).
/// - realised, shared: `row` points into `snapshot`, which other contexts may share. Read only.
/// - realised, own: `own` is memory of this object alone. It has the slots that were assigned; all
///   others are nil there and read from `row`, if there is one.
///
/// In every realised state `snapshot` is what the parent store last gave or took: the committed
/// values and the version that the next save will check. An inserted object has none yet.
nonisolated open class NSManagedObject: NSObject {
  // One queue owns the object, so the run-time test for overlapping access would only cost time: it
  // is a third of a property's set.
  /// The entity, compiled.
  let layout: EntityLayout
  /// The registry of the context, or nil without one.
  @exclusivity(unchecked) var registry: Registry?
  /// The committed row: what the parent store last gave or took; a fault may have one at hand.
  @exclusivity(unchecked) var snapshot: Snapshot? {
    didSet { if isRealised { row = snapshot?.row } }
  }
  /// The values of `snapshot`; nil while the object is a fault or was never saved.
  @exclusivity(unchecked) private(set) var row: PackedRow?
  /// The slots that were assigned; nil while there are none.
  @exclusivity(unchecked) private(set) var own: UnsafeMutablePointer<Value?>?
  /// The slots assigned since the last save or refresh.
  @exclusivity(unchecked) var changed = SlotSet()
  /// What is known of the object beside its values.
  @exclusivity(unchecked) var state: State = []
  /// Under control, what the key was when a set first asked; it fits where there is room anyway.
  @exclusivity(unchecked) private var firstKey: Int32 = 0
  @exclusivity(unchecked) var extras: Extras?
  /// The key of the id; negative while the id is temporary.
  @exclusivity(unchecked) var key: Int64 = 0
  /// The key that the running save has given to an inserted object.
  @exclusivity(unchecked) var pendingKey: Int64 = 0
  /// The id, once somebody has asked for it.
  @exclusivity(unchecked) var idStorage: NSManagedObjectID?

  /// What is known of an object beside its values.
  struct State: OptionSet {
    let rawValue: UInt16
    /// Inserted and not yet saved.
    static let inserted = State(rawValue: 1)
    /// Changed and not yet saved.
    static let updated = State(rawValue: 2)
    /// Deleted and not yet saved.
    static let deleted = State(rawValue: 4)
    /// Its deletion was saved; it leaves its context once the save has been told of.
    static let leaving = State(rawValue: 8)
    /// The change of this event has been noted.
    static let noted = State(rawValue: 16)
    /// Changes are not tracked: the object is being awoken from a fetch or filled by the engine.
    static let untracked = State(rawValue: 32)
    /// Its row is gone; it reads nil everywhere and is exempt from validation.
    static let inaccessible = State(rawValue: 64)
    /// Delete rules have been applied.
    static let propagated = State(rawValue: 128)
    /// Its version is checked at the next save though nothing changed.
    static let conflictChecked = State(rawValue: 256)
    /// Listed among the context's changed objects.
    static let listed = State(rawValue: 512)
    /// It had a context once and has none any more.
    static let detached = State(rawValue: 1024)
    /// Its row was deleted and is inserted again, because the merge policy or an undo says so.
    static let reinserted = State(rawValue: 2048)
    /// Its context is gone, which never let go of it.
    static let orphaned = State(rawValue: 4096)
  }

  /// What few objects need; a fault may share it with others that wait for the same rows.
  class Extras {
    /// The values at the end of the last event, for `changedValuesForCurrentEvent`.
    final var eventBase: EventValues?
    /// Slots changed in this event.
    final var eventChanged = SlotSet()
    /// What the event changed that is being posted, and the values before it.
    final var posted: (base: EventValues?, changed: SlotSet)?

    /// Hears that a fault which has it was fulfilled.
    func fulfilled(_ object: NSManagedObject) {}
  }

  // Subclasses inherit these two only from here: the one place where this folder names the context.

  /// Makes an object of an entity and inserts it into a context, if there is one.
  public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    layout = entity.layout
    super.init()
    ManagedFields.fill(self)
    context?.insertNew(self)
  }

  /// Makes an object of the class's entity and inserts it into a context.
  public required convenience init(context: NSManagedObjectContext) {
    self.init(entity: context.entity(for: Self.self), insertInto: context)
  }

  deinit {
    // Not retained: the object holds its registry until the end.
    if let registry = registry.map(Unmanaged.passUnretained) {
      registry._withUnsafeGuaranteedRef { $0.leave(self) }
    }
    dropValues()
  }

  /// The entity that the class represents in the one model in use that names it; an override may
  /// choose among several. For a class that no model names it warns and answers with an entity of
  /// no model.
  open class func entity() -> NSEntityDescription { LivingModels.entity(for: self) }

  // MARK: Identity

  /// The id of the record; a save replaces a temporary id by a permanent one.
  open var objectID: NSManagedObjectID {
    if let idStorage { return idStorage }
    let id: NSManagedObjectID
    if key > 0, let owner = registry?.owner {
      id = owner.permanentID(layout: layout, key: key)
    } else if key < 0 {
      id = NSManagedObjectID(temporaryFor: layout, key: key)
    } else {
      id = NSManagedObjectID(temporaryFor: layout)
      key = id.key
    }
    idStorage = id
    return id
  }

  /// The entity of the record.
  open var entity: NSEntityDescription { layout.entity }

  /// Objects are equal only to themselves.
  public final override func isEqual(_ object: Any?) -> Bool { self === object as AnyObject? }

  /// The hash that goes with `isEqual`: the address, which a set hashes once more.
  ///
  /// Under control it is the key that the object had when it was first asked for its hash, because
  /// the order of a set must be the same in every run.
  public final override var hash: Int {
    if Scheduling.hook != nil {
      if firstKey == 0 { firstKey = Int32(truncatingIfNeeded: objectID.key) }
      return Int(firstKey)
    }
    return Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) &>> 4
  }

  /// The object with its id and its values; a fault shows no values and stays one.
  open override var description: String { fullDescription }

  // MARK: State

  /// Whether the object was inserted and not yet saved.
  open var isInserted: Bool { state.contains(.inserted) }
  /// Whether the object was changed and not yet saved.
  open var isUpdated: Bool { state.contains(.updated) && !state.contains(.inserted) }
  /// Whether the object is to be deleted at the next save.
  open var isDeleted: Bool { state.contains(.deleted) }
  /// Whether the object is inserted, updated or deleted.
  open var hasChanges: Bool { isDirty }
  /// Whether the object is inserted, updated or deleted, for the engine's own loops.
  final var isDirty: Bool { !state.isDisjoint(with: [.inserted, .updated, .deleted]) }
  /// Whether it is neither deleted, saved or not, nor cut off; a loaded set may still hold others.
  final var isLiving: Bool {
    state.isDisjoint(with: [.deleted, .leaving, .detached])
  }
  /// Whether the object's values have not been loaded.
  open var isFault: Bool { !isRealised && (registry != nil || state.contains(.detached)) }
  /// Zero if the object's values are loaded.
  open var faultingState: Int { isFault ? 1 : 0 }

  // MARK: Callbacks

  /// Called once the object has been inserted.
  open func awakeFromInsert() {}
  /// Called each time the object's values have been loaded; changes made here are not tracked.
  open func awakeFromFetch() {}
  /// Called when undo, rollback, refresh or a merge policy changed the object.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
  /// Called before the object is saved; a change made here is part of the save.
  open func willSave() {}
  /// Called after the object was saved.
  open func didSave() {}
  /// Called before the object becomes a fault.
  open func willTurnIntoFault() {}
  /// Called after the object became a fault.
  open func didTurnIntoFault() {}
  /// Called when the object is about to be deleted, before any delete rule has acted.
  open func prepareForDeletion() {}
  /// Checks the object before its first save; an override calls super.
  open func validateForInsert() throws { try validateProperties() }
  /// Checks the object before a later save; an override calls super.
  open func validateForUpdate() throws { try validateProperties() }
  /// Checks whether the object may be deleted; an override calls super.
  open func validateForDelete() throws { try validateDeletion() }

  /// Checks a value that a property is to have, or has; an override, which may replace the value,
  /// calls super.
  ///
  /// It stands where Apple's systems look for methods named `validate<Key>`.
  open func validateValue(_ value: inout Any?, forKey key: String) throws {
    try validate(value, slot(named: key))
  }

  // MARK: Values

  /// The value of a slot, after fulfilling the fault if need be.
  @inline(__always)
  func read(_ slot: Int) -> Value {
    if ConcurrencyDebug.isOn { check("get \(layout.slots[slot].name)") }
    if let value = own?[slot] { return value }
    if let row { return row[slot] }
    return readFulfilled(slot)
  }

  /// The number in a slot, unless it holds something else.
  @usableFromInline
  func integer(_ slot: Int) -> Int64? {
    if let row = sharedRow, row.tag(slot) == .integer { return Int64(bitPattern: row.words[slot]) }
    if case .integer(let number) = read(slot) { return number }
    return nil
  }

  /// The floating-point number in a slot, unless it holds something else.
  @usableFromInline
  func double(_ slot: Int) -> Double? {
    if let row = sharedRow, row.tag(slot) == .double { return Double(bitPattern: row.words[slot]) }
    if case .double(let number) = read(slot) { return number }
    return nil
  }

  /// The text in a slot, unless it holds something else.
  @usableFromInline
  func text(_ slot: Int) -> String? {
    if let text = sharedRow?.text(slot) { return String(decoding: text, as: UTF8.self) }
    if case .string(let text) = read(slot) { return text }
    return nil
  }

  /// The row, if reading from it is all there is to do.
  @inline(__always)
  private var sharedRow: PackedRow? { own == nil && !ConcurrencyDebug.isOn ? row : nil }

  @inline(never)
  private func readFulfilled(_ slot: Int) -> Value {
    fulfill(triggeredBy: slot)
    if isRealised { return current(slot) }
    return state.contains(.detached) ? .null : PropertyRecorder.sample(of: layout.slots[slot])
  }

  /// Whether the values are loaded.
  @inline(__always)
  var isRealised: Bool { row != nil || own != nil }

  /// The value of a slot, null in a fault; fulfils and checks nothing.
  @inline(__always)
  func current(_ slot: Int) -> Value { own?[slot] ?? row?[slot] ?? .null }

  /// Stores a value in a slot and tracks the change.
  @inline(__always)
  func write(_ value: Value, _ slot: Int) {
    if ConcurrencyDebug.isOn { check("set \(layout.slots[slot].name)") }
    if !isRealised { fulfill(triggeredBy: slot) }
    noteChange(slot)
    ownValues()[slot] = value
  }

  /// Loads the values of a fault; one that its context has let go has none and stays a fault.
  func fulfill(triggeredBy slot: Int?) {
    guard !isRealised else { return }
    guard let registry = registry.map(Unmanaged.passUnretained) else {
      if state.contains(.orphaned) { refuseOrphan() }
      if state.contains(.detached) { return }
      // No context has the object yet: it begins with its defaults, or is a probe that only
      // listens.
      if let slot, PropertyRecorder.hears(layout.slots[slot], of: self) { return }
      return fillWithDefaults()
    }
    // Not retained: the object holds its registry.
    guard let owner = registry._withUnsafeGuaranteedRef({ $0.owner }) else { refuseOrphan() }
    owner.fulfill(self, triggeredBy: slot)
  }

  private func refuseOrphan() -> Never {
    ProgrammerError.stop(
      "NSObjectInaccessibleException: CoreData could not fulfill a fault for "
        + "'\(shortDescription)', because its context is gone and the object has no context any "
        + "more; keep the context for as long as its objects.")
  }

  /// Marks a slot as changed, the object as updated, and tells the context once an event.
  @inline(__always)
  func noteChange(_ slot: Int) {
    if state.contains(.untracked) { return }
    changed.insert(slot)
    if let extras { extras.eventChanged.insert(slot) }
    if !state.contains(.noted) { noteFirstChange() }
  }

  @inline(never)
  private func noteFirstChange() {
    guard let registry else {
      if state.contains(.detached) { refuseChange() }
      return
    }
    guard let owner = registry.owner else { refuseChange() }
    owner.noteChange(of: self)
  }

  private func refuseChange() -> Never {
    ProgrammerError.stop(
      "NSObjectInaccessibleException: '\(shortDescription)' was removed from its context and "
        + "cannot be changed; keep the objectID and fetch the object again.")
  }

  /// Values that may be written: the object's own, which at the first call are those of the row.
  @inline(__always)
  func ownValues() -> UnsafeMutablePointer<Value?> {
    if let own { return own }
    return makeOwnValues()
  }

  @inline(never)
  private func makeOwnValues() -> UnsafeMutablePointer<Value?> {
    if state.contains(.detached) { refuseChange() }
    let made = UnsafeMutablePointer<Value?>.allocate(capacity: layout.slots.count)
    made.initialize(repeating: row == nil ? .some(.null) : nil, count: layout.slots.count)
    own = made
    return made
  }

  /// Makes the object a fault; its snapshot stays at hand.
  func dropValues() {
    if let own {
      own.deinitialize(count: layout.slots.count)
      own.deallocate()
    }
    own = nil
    row = nil
  }

  /// Reads from the snapshot at hand from now on; false if there is none.
  func shareSnapshot() -> Bool {
    // The number of slots is the layout's, so that the snapshot itself is not touched.
    row = snapshot?.row(layout.slots.count)
    return row != nil
  }

  /// Reads from a snapshot from now on.
  func share(_ snapshot: Snapshot) {
    dropValues()
    self.snapshot = snapshot
    row = snapshot.row(layout.slots.count)
  }

  /// Stops, or notes, a use outside the context's queue.
  @inline(never)
  func check(_ operation: @autoclosure () -> String) {
    guard let registry else { return }
    ConcurrencyDebug.check(
      registry.queue, operation(), object: shortDescription,
      context: registry.owner?.ownerName ?? "a context that is gone")
  }

  /// The entity and id, without loading anything.
  var shortDescription: String {
    "\(layout.name) <\(objectID.description)>"
  }

  /// Gives a new object its initial values.
  func fillWithDefaults() {
    let values = ownValues()
    for slot in layout.initialSlots { values[slot] = layout.slots[slot].initial }
  }
}

extension NSManagedObject: WeakTableMember {
  var tableNumber: Int { layout.rootNumber }
  func listed(_ isListed: Bool) {}
  func prevails(over other: NSManagedObject) -> Bool { false }
}

/// An object belongs to its context's queue and is never sent anywhere; send its id.
@available(*, unavailable)
extension NSManagedObject: Sendable {}
