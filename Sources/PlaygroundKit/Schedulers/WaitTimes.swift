/// How long parties were blocked because they asked for a queue and had to wait, in virtual time.
struct WaitTimes {
  /// On contexts' queues, on the main queue and on the coordinator.
  private(set) var queueNanoseconds = 0
  /// On the store's writer.
  private(set) var storeNanoseconds = 0

  /// A party asks for a queue.
  func begin(_ party: Party, _ label: String) {
    // The store's label is the engine's own; a context has one that begins so only on purpose.
    party.asked = (party.clock, label.hasPrefix("store "))
  }

  /// Adds the time since a party asked, or since it was added last, if it has asked.
  mutating func add(_ party: Party) {
    guard let asked = party.asked else { return }
    party.asked!.clock = party.clock
    if asked.isStore {
      storeNanoseconds += party.clock - asked.clock
    } else {
      queueNanoseconds += party.clock - asked.clock
    }
  }
}
