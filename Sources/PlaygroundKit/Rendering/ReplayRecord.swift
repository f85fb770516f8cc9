/// A run as `--json` prints it: its trace, and which schedule of what it was.
public struct ReplayRecord: Encodable {
  private let replay: Replay
  private let needed: Set<Int>?
  private let minimisedFrom: ScheduleID?

  /// Prepares the record of a run; of one that was made smaller, with the choices that it needs and
  /// the schedule that it was made from.
  public init(_ replay: Replay, needed: Set<Int>? = nil, minimisedFrom: ScheduleID? = nil) {
    self.replay = replay
    self.needed = needed
    self.minimisedFrom = minimisedFrom
  }

  private enum Key: CodingKey {
    case id, scenario, side, kind, settings, fits, switches, needed, minimisedFrom
  }

  /// Writes the trace with what it is a trace of.
  public func encode(to encoder: any Encoder) throws {
    try replay.trace.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(replay.id.description, forKey: .id)
    try container.encode(replay.scenario, forKey: .scenario)
    try container.encode(replay.side, forKey: .side)
    try container.encode(replay.kind, forKey: .kind)
    try container.encode(replay.settings, forKey: .settings)
    try container.encode(replay.fits, forKey: .fits)
    try container.encode(replay.trace.switches, forKey: .switches)
    try container.encodeIfPresent(needed?.sorted(), forKey: .needed)
    try container.encodeIfPresent(minimisedFrom?.description, forKey: .minimisedFrom)
  }
}
