/// What a search must know of one choice of a run, to say which other orders are worth running.
public struct ChoiceSeen: Sendable, Equatable {
  /// How many parties could go on; at least 2.
  public var optionCount: Int
  /// Which of them was let run.
  public var chosen: Int
  /// Whether option 0 is the party that was running, so that any other option is a switch.
  public var isSwitchPoint: Bool
  /// Whether the step that option 0 would make reads and writes nothing that is shared, and has a
  /// choice after it: to let somebody else run before it equals to let them run after it.
  public var isLocal: Bool
  /// A hash of everything that had happened, equal for orders that differ only in steps that do not
  /// touch the same things.
  public var past: UInt64
  /// For each option a number that names its party in every order with this past.
  public var parties: [UInt64]

  /// Describes a choice.
  public init(
    optionCount: Int, chosen: Int, isSwitchPoint: Bool, isLocal: Bool, past: UInt64,
    parties: [UInt64]
  ) {
    self.optionCount = optionCount
    self.chosen = chosen
    self.isSwitchPoint = isSwitchPoint
    self.isLocal = isLocal
    self.past = past
    self.parties = parties
  }
}
