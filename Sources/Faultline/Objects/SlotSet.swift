/// A set of slot numbers: one word for the first 64, more only for entities that need them.
struct SlotSet: Equatable {
  private var low: UInt64 = 0
  /// Nil rather than empty, so that a copy of most sets has nothing to retain.
  private var high: Set<Int>?

  /// An empty set.
  init() {}

  /// A set of these slots.
  init(_ slots: [Int]) { for slot in slots { insert(slot) } }

  /// Whether no slot is in the set.
  var isEmpty: Bool { low == 0 && high == nil }

  /// Adds a slot.
  @inline(__always)
  mutating func insert(_ slot: Int) {
    if slot < 64 { low |= 1 << UInt64(slot) } else { high = (high ?? []).union([slot]) }
  }

  /// Whether the slot is in the set.
  @inline(__always)
  func contains(_ slot: Int) -> Bool {
    slot < 64 ? low & (1 << UInt64(slot)) != 0 : high?.contains(slot) == true
  }

  /// Takes a slot out.
  mutating func remove(_ slot: Int) {
    if slot < 64 {
      low &= ~(1 << UInt64(slot))
    } else {
      high?.remove(slot)
      if high?.isEmpty == true { high = nil }
    }
  }
}
