/// How the process of one side came to its end.
public struct Ending: Sendable, Codable, Equatable {
  /// The ways to end that a page tells apart.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The side's last line was reached.
    case finished
    /// The side threw an error.
    case threw
    /// The side killed its own process on purpose, with `World.kill()`.
    case killed
    /// A trap or a signal.
    case crashed
    /// The concurrency checker stopped the process with its report.
    case stopped
    /// Queues waited for each other in a circle.
    case deadlock
    /// Nobody could go on, nobody waits in a circle, and the side had not come to its end.
    case hung
    /// Under control: the code went on, or stopped, where nobody schedules it.
    case uncontrolled
    /// The time limit, or under control the limit of steps, was reached.
    case limit
    /// The disk had no room for what the side wrote.
    case diskFull
  }

  /// Which of them it was.
  public let kind: Kind
  /// The error, the signal with the last sentence on stderr, or who waits for whom; empty when
  /// finished.
  public let detail: String

  /// Describes an ending.
  public init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }
}
