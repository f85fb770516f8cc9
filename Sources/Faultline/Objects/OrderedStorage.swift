/// The members of an ordered to-many relationship as one object holds them.
///
///     unread ──load──▶ read ──unload──▶ unread, with wishes ──load──▶ read
///
/// - unread: `order` is nil; `wishes` has what this context appended meanwhile.
/// - read: `order` is what the parent store had when it was loaded, with the changes applied.
/// - unread, with wishes: a merge made the store's order unknown; `base` and `wishes` are the order
///   from which this context started and the one it made of it.
///
/// In each of them `base` is what the parent store was last known to have.
final class OrderedStorage: ToManyStorage {
  /// The members in their order, or nil before anybody asked.
  var order: [NSManagedObject]?
  /// The members that the parent store last gave or took, in their order.
  private(set) var base: [NSManagedObject] = []
  private var wishes: [NSManagedObject] = []
  /// Members that were taken out and put in again while nobody had read them: they come last.
  private(set) var moved: Set<NSManagedObject> = []
  private var yields = false

  /// The order that this context wants.
  var mine: [NSManagedObject] { order ?? wishes }

  /// Whether this context only appended and removed, without having read the members.
  var isAppended: Bool { order == nil && base.isEmpty }

  override var isChanged: Bool { super.isChanged || !mine.elementsEqual(base, by: ===) }

  override func add(_ object: NSManagedObject) -> Bool {
    // It was a member when the order was last known.
    if order == nil, !isAppended, wishes.contains(object) { return false }
    if order == nil, removed.contains(object) { moved.insert(object) }
    guard super.add(object) else { return false }
    if order == nil { wishes.append(object) } else { order?.append(object) }
    return true
  }

  override func remove(_ object: NSManagedObject) -> Bool {
    guard super.remove(object) else { return false }
    if let index = order?.firstIndex(where: { $0 === object }) { order?.remove(at: index) }
    wishes.removeAll { $0 === object }
    return true
  }

  override func load(_ stored: [NSManagedObject]) {
    if isAppended {
      // Who is in the parent store already keeps the place it has there.
      let known = Set(stored).subtracting(moved)
      wishes.removeAll { known.contains($0) }
    }
    let merged = merge(base: base, mine: wishes, stored: stored)
    super.load(stored)
    base = stored
    wishes = []
    moved = []
    order = merged
    members = Set(merged)
  }

  override func unload(yields: Bool) {
    if isChanged { wishes = mine } else { (wishes, base) = ([], []) }
    self.yields = yields
    order = nil
    members = nil
  }

  override func commit() {
    super.commit()
    base = order ?? []
    wishes = []
    moved = []
    yields = false
  }

  override func drop(_ object: NSManagedObject) {
    super.drop(object)
    order?.removeAll { $0 === object }
    base.removeAll { $0 === object }
    wishes.removeAll { $0 === object }
  }

  override func renew() {
    super.renew()
    base = []
    order?.removeAll { !added.contains($0) }
    wishes.removeAll { !added.contains($0) }
  }

  /// The order that changes made since an earlier state of the same members; nil if it is the same
  /// or was not known.
  func orderBefore(_ then: OrderedStorage?) -> [NSManagedObject]? {
    guard let order, let before = then?.order ?? (then?.isChanged == true ? nil : base),
      !before.elementsEqual(order, by: ===)
    else { return nil }
    return before
  }

  /// A storage with the same order and without members.
  func copyOfOrder() -> ToManyStorage {
    let copy = OrderedStorage()
    (copy.order, copy.base, copy.wishes) = (order, base, wishes)
    return copy
  }

  /// Becomes unread, without any wishes.
  func forget() {
    commit()
    order = nil
    members = nil
    base = []
  }

  /// Takes the membership and order that a child made of the one it had; `read` loads what is
  /// unread.
  func take(
    _ new: [NSManagedObject], from old: [NSManagedObject], removed: [NSManagedObject],
    read: () -> Void
  ) {
    for object in removed { _ = remove(object) }
    // Members that were only appended need not know what they follow.
    if !old.isEmpty { read() }
    let merged = order.map { merge(base: old, mine: new, stored: $0) }
    let known = Set(old)
    for object in new where !known.contains(object) { _ = add(object) }
    if let merged { order = merged }
  }

  /// Makes one order of three.
  ///
  /// 1. Members that either side removed are gone.
  /// 2. Whoever moved members decides about the order; if both did, the store does if this context
  ///    `yields`. If nobody did, the store's order stands.
  /// 3. Members that only the other one has follow the member that they follow there; those at the
  ///    very end there come to the end here.
  private func merge(
    base: [NSManagedObject], mine: [NSManagedObject], stored: [NSManagedObject]
  ) -> [NSManagedObject] {
    if mine.isEmpty, removed.isEmpty { return stored }
    let known = Set(base)
    // Where those stand that this context put in, this context decides.
    let placed = Set(mine).subtracting(known)
    let theirs = stored.filter { !placed.contains($0) && !removed.contains($0) }
    let present = Set(theirs)
    let local = mine.filter { present.contains($0) || !known.contains($0) }
    let leads = Self.isMoved(base, mine) && !(yields && Self.isMoved(base, theirs))
    return leads ? Self.weave(local, theirs) : Self.weave(theirs, local)
  }

  /// Whether the members that two orders have in common stand in another order.
  private static func isMoved(_ old: [NSManagedObject], _ new: [NSManagedObject]) -> Bool {
    let (before, after) = (Set(old), Set(new))
    return !old.lazy.filter { after.contains($0) }
      .elementsEqual(new.lazy.filter { before.contains($0) }, by: ===)
  }

  /// The leader's order with what only the follower has.
  private static func weave(
    _ leader: [NSManagedObject], _ follower: [NSManagedObject]
  ) -> [NSManagedObject] {
    let known = Set(leader)
    var followers: [NSManagedObject?: [NSManagedObject]] = [:]
    var last: NSManagedObject?
    for object in follower {
      if known.contains(object) {
        last = object
      } else {
        followers[last, default: []].append(object)
      }
    }
    let tail = followers.removeValue(forKey: last) ?? []
    var result = followers[nil] ?? []
    for object in leader {
      result.append(object)
      if let next = followers[object] { result += next }
    }
    return result + tail
  }
}
