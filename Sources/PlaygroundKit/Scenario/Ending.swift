/// How the process of one side ended.
public struct Ending: Sendable, Codable, Equatable {
  /// The ways to end that a page tells apart.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The side's last line was reached.
    case finished
    /// The side threw an error.
    case threw
    /// The side killed its own process on purpose, with `World.kill()`.
    case killed
    /// A trap, or another signal by which the system stops a program that has done something wrong.
    case crashed
    /// The process left before the side's last line, by itself or by another signal, or it left
    /// nothing that can be judged.
    case exited
    /// The concurrency checker stopped the process with its report.
    case stopped
    /// Threads waited for each other's queues in a cycle.
    case deadlock
    /// No thread or task could continue, none waits in a cycle, and the side had not finished.
    case hung
    /// Under control: the code ran or blocked outside the scheduler.
    case uncontrolled
    /// The time limit, or under control the limit of steps, was reached.
    case limit
    /// The disk had no room for what the side wrote.
    case diskFull
  }

  /// The way this process ended.
  public let kind: Kind
  /// The error, the signal with the last sentence on stderr, the exit code, the limit, or the cycle
  /// of waiting threads; empty when finished.
  public let detail: String

  /// Describes an ending.
  public init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }
}
