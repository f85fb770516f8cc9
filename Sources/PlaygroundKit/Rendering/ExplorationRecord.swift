/// An exploration as `--json` prints it: what was found, with the verdicts, shares and ids of the
/// page.
public struct ExplorationRecord: Encodable {
  private let exploration: Exploration

  /// Prepares the record of an exploration.
  public init(_ exploration: Exploration) { self.exploration = exploration }

  private enum Key: CodingKey { case sides }

  /// Writes what was found; the sides say more than that.
  public func encode(to encoder: any Encoder) throws {
    try exploration.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(
      exploration.sides.map { SideRecord(side: $0, exploration: exploration) }, forKey: .sides)
  }

  /// A side, and what its exploration amounts to.
  private struct SideRecord: Encodable {
    let side: Exploration.SideFound
    let exploration: Exploration

    enum Key: CodingKey { case verdict, sentence, outcomes }

    func encode(to encoder: any Encoder) throws {
      try side.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(Verdict(side, in: exploration).words, forKey: .verdict)
      try container.encode(exploration.sentence(about: side), forKey: .sentence)
      try container.encode(
        side.outcomes.map { outcome in
          OutcomeRecord(
            outcome: outcome, share: Double(outcome.orders) / Double(max(1, side.orders)),
            id: outcome.smallest.map { exploration.id(of: $0, side).description })
        }, forKey: .outcomes)
    }
  }

  /// An outcome of a side with its share of the side's orders and the id of the smallest of them.
  private struct OutcomeRecord: Encodable {
    let outcome: Exploration.OutcomeFound
    let share: Double
    let id: String?

    enum Key: CodingKey { case count, share, switches, steps, id }

    func encode(to encoder: any Encoder) throws {
      try outcome.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(outcome.orders, forKey: .count)
      try container.encode(share, forKey: .share)
      try container.encodeIfPresent(outcome.smallest?.switches, forKey: .switches)
      try container.encodeIfPresent(outcome.smallest?.steps, forKey: .steps)
      try container.encodeIfPresent(id, forKey: .id)
    }
  }
}
