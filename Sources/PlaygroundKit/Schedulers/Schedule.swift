/// One order in which the steps of a run can come: every choice that did not go the default way.
///
/// Wherever more than one party could go on, the scheduler has a choice. Option 0 is the default:
/// whoever runs goes on, and if it cannot, whoever has been ready for longest. A schedule lists the
/// choices that went otherwise, so that the schedule in which nobody is interrupted is empty.
public struct Schedule: Sendable, Codable, Hashable {
  /// A choice that did not go the default way.
  public struct Turn: Sendable, Codable, Hashable {
    /// Which choice of the run it was, from 0.
    public var choice: Int
    /// Which of the parties that could go on was let run; 1 is the first after the default.
    public var option: Int

    /// Describes a turn.
    public init(choice: Int, option: Int) {
      self.choice = choice
      self.option = option
    }
  }

  /// The turns, in order of their choices.
  public var turns: [Turn]

  /// Describes a schedule.
  public init(_ turns: [Turn] = []) { self.turns = turns }
}
