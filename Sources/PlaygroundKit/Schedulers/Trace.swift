/// Everything that one controlled run was: who took part, what happened step by step, which choices
/// there were, and what came of it.
public struct Trace: Sendable, Codable, Equatable {
  /// Who can be let run: the main loop, the block of a queue, a task.
  public struct Party: Sendable, Codable, Equatable {
    /// What it is called in texts: `main`, `queue "bg"`, `task 2`.
    public var name: String
    /// The lane it is drawn in; parties of one queue share one. Queues of one label are numbered,
    /// `queue "context 2"`, here and wherever else a trace names them.
    public var lane: String
  }

  /// What a party did from one switch point to the next, which nobody could interrupt.
  public struct Step: Sendable, Codable, Equatable {
    /// Which party, by its place in `parties`.
    public var party: Int
    /// The label of the queue inside which it happened; nil outside of every queue.
    public var queue: String?
    /// The switch point it began with, by the name of its kind: `fetch`, `save: commit`.
    public var point: String
    /// What the point was about: an entity, a queue, a notification.
    public var subject: String
    /// What the step read and wrote of what is shared.
    public var touches: [Touch]
    /// What was marked or observed in it, in words.
    public var notes: [String]
    /// Virtual time at which it began and ended on its party's own clock, in nanoseconds.
    public var start: Int
    public var end: Int
    /// The choice that was made before it; nil if there was none.
    public var choice: Int?
    /// Whether another party was interrupted for it.
    public var isSwitch: Bool
    /// Why its party could not go on after it; nil if it could.
    public var stop: Stop?
    /// The party that waits for the block of the main loop that this belongs to, if one does.
    public var asker: Int?
  }

  /// One thing shared between parties that a step read or wrote.
  public struct Touch: Sendable, Codable, Equatable {
    /// What it is: `row Article 1`, `rows of Article`, `queue "bg"`; `object Article 1 in main` for
    /// an object of a context that a child reads, or that a child's save or a merge changes.
    public var thing: String
    /// Whether it was changed.
    public var isWrite: Bool
    /// The version of the row that was read or written, where it is a row.
    public var version: Int?
  }

  /// Why a party could not go on.
  public enum Stop: Sendable, Codable, Equatable {
    /// It had nothing left to do, for good or, as the main loop, until somebody hands it something.
    case ended
    /// It waits for a queue that somebody else is inside.
    case waits(queue: String)
    /// The run was over.
    case abandoned
  }

  /// A place where more than one party could go on.
  public struct Choice: Sendable, Codable, Equatable {
    /// The parties that could go on, the default first.
    public var options: [Int]
    /// Which of them was let run.
    public var chosen: Int
    /// Whether the default is the party that was running already, so that any other is a switch.
    public var isSwitchPoint: Bool
    /// How many steps had been made.
    public var step: Int
  }

  /// Who took part, in order of appearance; the first is the main loop.
  public var parties: [Party]
  /// What happened, in order.
  public var steps: [Step]
  /// The choices there were, in order.
  public var choices: [Choice]
  /// How the run ended.
  public var ending: Ending
  /// The outcome, by its name.
  public var outcome: String
  /// How good the outcome is; nil if nobody declared it.
  public var grade: Grade?
  /// What was observed.
  public var metrics: [Metric]
  /// Who waited for whom when the run was over, as sentences; empty unless it was a deadlock.
  public var waits: [String]
  /// The lines of the source that were marked.
  public var marks: [Mark]

  /// The schedule that leads here.
  public var schedule: Schedule {
    Schedule(
      choices.indices.filter { choices[$0].chosen > 0 }.map {
        Schedule.Turn(choice: $0, option: choices[$0].chosen)
      })
  }

  /// How often somebody was interrupted.
  public var switches: Int { choices.count { $0.isSwitchPoint && $0.chosen > 0 } }
}
