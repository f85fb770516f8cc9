import Foundation

extension NSManagedObject {
  /// The members of an ordered relationship in their order, loaded if need be.
  func orderedMembers(_ slot: Int) -> [NSManagedObject] {
    guard let storage = toMany(slot) as? OrderedStorage else { refuseOrdered(slot) }
    if storage.order == nil { _ = members(slot) }
    return storage.order ?? []
  }

  /// Makes the members of an ordered relationship exactly these, in this order; of one that is
  /// named twice the first mention counts.
  func setOrderedMembers(_ new: [NSManagedObject], _ slot: Int) {
    let old = orderedMembers(slot)
    var seen = Set<NSManagedObject>()
    let new = new.filter { seen.insert($0).inserted }
    let former = Set(old)
    for object in old where !seen.contains(object) { removeMember(object, slot) }
    for object in new where !former.contains(object) { addMember(object, slot) }
    if let storage = toMany(slot) as? OrderedStorage { storage.order = new }
    noteChange(slot)
  }

  /// Brings members into an order; those it does not name come last.
  func arrange(_ order: [NSManagedObject], _ slot: Int) {
    let members = members(slot)
    let named = order.filter { members.contains($0) }
    setOrderedMembers(named + orderedMembers(slot), slot)
  }

  /// A set whose changes are changes of the ordered relationship.
  ///
  /// It looks at the relationship again at each call of a method. `array`, `set`, `firstObject`,
  /// `lastObject` and an enumeration, which Foundation on Linux lets nobody override, show it as it
  /// was at the last such call.
  public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    let slot = slot(named: key)
    if !layout.slots[slot].isOrdered { refuseOrdered(slot) }
    return RelationshipOrderedSet(object: self, slot: slot)
  }

  /// The members of a to-many relationship as key-value coding hands them out.
  func collection(_ slot: Int) -> Any {
    layout.slots[slot].isOrdered
      ? NSOrderedSet(array: orderedMembers(slot)) : NSSet(array: Array(members(slot)))
  }

  /// The members of a to-many relationship, in their order if they have one.
  func memberList(_ slot: Int) -> [NSManagedObject] {
    layout.slots[slot].isOrdered ? orderedMembers(slot) : Array(members(slot))
  }

  /// Makes the members of a to-many relationship exactly these, in this order if they have one.
  func setMemberList(_ new: [NSManagedObject], _ slot: Int) {
    layout.slots[slot].isOrdered ? setOrderedMembers(new, slot) : setMembers(Set(new), slot)
  }

  /// Stops, because a relationship was given members with an order that has none, or without.
  func refuseOther(_ slot: Int, _ types: (desired: String, given: String)) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: Unacceptable type of value for to-many relationship: property = "
        + "\"\(layout.slots[slot].name)\"; desired type = \(types.desired); given type = "
        + "\(types.given).")
  }

  private func refuseOrdered(_ slot: Int) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: \(layout.name).\(layout.slots[slot].name) is not an ordered "
        + "relationship; use a set and mutableSetValue(forKey:), or set isOrdered in the model.")
  }
}

extension NSOrderedSet: ManagedValue {
  public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
    guard let set = NSOrderedSet(array: object.orderedMembers(slot)) as? Self else {
      ProgrammerError.stop(
        "A relationship cannot be declared \(Self.self): use NSOrderedSet, or "
          + "mutableOrderedSetValue(forKey:).")
    }
    return set
  }
  public static func write(_ value: NSOrderedSet, _ object: NSManagedObject, _ slot: Int) {
    object.setOrderedMembers(object.objects(in: value, slot), slot)
  }
  public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
    read(object, slot)
  }
  public static func clear(_ object: NSManagedObject, _ slot: Int) {
    object.setOrderedMembers([], slot)
  }
}

/// The set that `mutableOrderedSetValue(forKey:)` hands out.
///
/// Foundation's own mutable ordered set reads its own memory in most methods, so this one keeps
/// that memory equal to the relationship: before each call it takes the relationship's members, and
/// after each change it hands its own over.
private final class RelationshipOrderedSet: NSMutableOrderedSet {
  private let object: NSManagedObject
  private let slot: Int
  private var shown: [NSManagedObject] = []
  private var depth = 0

  init(object: NSManagedObject, slot: Int) {
    self.object = object
    self.slot = slot
    super.init(capacity: 0)
    look()
  }

  @available(*, unavailable)
  required override init(capacity: Int) { fatalError("unavailable") }
  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }
  @available(*, unavailable)
  required init(arrayLiteral elements: Any...) { fatalError("unavailable") }

  /// Takes the relationship's members.
  private func look() {
    guard depth == 0 else { return }
    let now = object.orderedMembers(slot)
    if now.elementsEqual(shown, by: ===) { return }
    depth += 1
    super.removeAllObjects()
    super.addObjects(from: now)
    depth -= 1
    shown = now
  }

  /// Changes the inherited memory, then the relationship.
  private func change(_ body: () -> Void) {
    look()
    depth += 1
    body()
    depth -= 1
    guard depth == 0 else { return }
    let new = object.objects(in: super.array, slot)
    object.setOrderedMembers(new, slot)
    shown = new
  }

  override var count: Int {
    look()
    return super.count
  }
  override func object(at index: Int) -> Any {
    look()
    return super.object(at: index)
  }
  override func index(of object: Any) -> Int {
    look()
    return super.index(of: object)
  }
  override func contains(_ object: Any) -> Bool {
    look()
    return super.contains(object)
  }
  override func isEqual(to other: NSOrderedSet) -> Bool {
    look()
    return super.isEqual(to: other)
  }
  override func isEqual(_ other: Any?) -> Bool {
    look()
    return super.isEqual(other)
  }
  override var hash: Int {
    look()
    return super.hash
  }
  override var description: String {
    look()
    return super.description
  }
  override func copy(with zone: NSZone? = nil) -> Any {
    look()
    return super.copy(with: zone)
  }
  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    look()
    return super.mutableCopy(with: zone)
  }

  override func insert(_ new: Any, at index: Int) { change { super.insert(new, at: index) } }
  override func removeObject(at index: Int) { change { super.removeObject(at: index) } }
  override func replaceObject(at index: Int, with new: Any) {
    change { super.replaceObject(at: index, with: new) }
  }
  override func setObject(_ new: Any, at index: Int) { change { super.setObject(new, at: index) } }
  override func exchangeObject(at one: Int, withObjectAt other: Int) {
    change { super.exchangeObject(at: one, withObjectAt: other) }
  }
  override func moveObjects(at indexes: IndexSet, to index: Int) {
    change { super.moveObjects(at: indexes, to: index) }
  }
  override func insert(_ new: [Any], at indexes: IndexSet) {
    change { super.insert(new, at: indexes) }
  }
  override func replaceObjects(at indexes: IndexSet, with new: [Any]) {
    change { super.replaceObjects(at: indexes, with: new) }
  }
  override func removeObjects(at indexes: IndexSet) {
    change { super.removeObjects(at: indexes) }
  }
  override func removeObjects(in range: NSRange) { change { super.removeObjects(in: range) } }
  override func add(_ new: Any) { change { super.add(new) } }
  override func addObjects(from new: [Any]) { change { super.addObjects(from: new) } }
  override func remove(_ old: Any) { change { super.remove(old) } }
  override func removeObjects(in old: [Any]) { change { super.removeObjects(in: old) } }
  override func removeAllObjects() { change { super.removeAllObjects() } }
  override func union(_ other: NSOrderedSet) { change { super.union(other) } }
  override func unionSet(_ other: Set<AnyHashable>) { change { super.unionSet(other) } }
  override func minus(_ other: NSOrderedSet) { change { super.minus(other) } }
  override func minusSet(_ other: Set<AnyHashable>) { change { super.minusSet(other) } }
  override func intersect(_ other: NSOrderedSet) { change { super.intersect(other) } }
  override func intersectSet(_ other: Set<AnyHashable>) { change { super.intersectSet(other) } }
  override func sort(comparator: (Any, Any) -> ComparisonResult) {
    change { super.sort(comparator: comparator) }
  }
  override func sort(
    options: NSSortOptions = [], usingComparator: (Any, Any) -> ComparisonResult
  ) {
    change { super.sort(options: options, usingComparator: usingComparator) }
  }
  override func sort(using descriptors: [NSSortDescriptor]) {
    change { super.sort(using: descriptors) }
  }
  override func sortRange(
    _ range: NSRange, options: NSSortOptions = [],
    usingComparator: (Any, Any) -> ComparisonResult
  ) {
    change { super.sortRange(range, options: options, usingComparator: usingComparator) }
  }
}
