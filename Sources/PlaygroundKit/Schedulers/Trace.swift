import Faultline

/// Everything about one controlled run: its threads and tasks, its steps, its choices and its
/// outcome.
public struct Trace: Sendable, Codable, Equatable {
  /// What can be chosen to run: the main loop, the block of a queue, a task.
  public struct Party: Sendable, Codable, Equatable {
    /// What it is called in texts: `main`, `queue "bg"`, `task 2`.
    public var name: String
    /// The lane it is drawn in; parties of one queue share one. Queues of one label are numbered,
    /// `queue "context 2"`, here and wherever else a trace names them.
    public var lane: String
  }

  /// What a party did from one switch point to the next, without a chance to interrupt it.
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
    /// Why its party could not continue after it; nil if it could.
    public var stop: Stop?
    /// The party that waits for the block of the main loop that this belongs to, if one does.
    public var asker: Int?
    /// What a save that began in the step is to write, and what a merge policy decided in it.
    public var changes: [Change]?
    /// The line of the scenario that made the step, `TheLostUpdate.swift:92`; nil where no code of
    /// the scenario runs, and where the executable's debug information cannot be read.
    public var place: String?
    /// Where the thread stood when the step began, as distances from the start of the executable,
    /// the innermost first; a negative number is the place at which a task continues later.
    var stack: [Int] = []

    private enum CodingKeys: CodingKey {
      case party, queue, point, subject, touches, notes, start, end, choice, isSwitch, stop, asker
      case changes, place
    }
  }

  /// One attribute or to-one relationship with its value in a few characters.
  public struct Value: Sendable, Codable, Hashable {
    /// The name of the property.
    public var name: String
    /// The value: `6`, `"Swift"`, `nil`, `Shelf 1`.
    public var value: String
  }

  /// A change of one object, as a save began with it or as a merge policy decided about it.
  public struct Change: Sendable, Codable, Hashable {
    /// One property of the object.
    public struct Field: Sendable, Codable, Hashable {
      /// The name of the property.
      public var name: String
      /// The value that the context had read.
      public var read: String?
      /// The value that the context wants to save; nil if it did not change this property.
      public var own: String?
      /// The value in the store, in a conflict.
      public var stored: String?
      /// The value that the policy kept, in a conflict.
      public var kept: String?
    }

    /// What a merge policy decided.
    public struct Decision: Sendable, Codable, Hashable {
      /// The policy by its name, `mergeByPropertyObjectTrump`.
      public var policy: String
      /// The version that the context had read.
      public var read: Int
      /// The version in the store; nil if the row was deleted.
      public var stored: Int?
      /// `merged`, `refused`, `deleted` or `reinserted`.
      public var result: String
    }

    /// `Article 1`, or `new Article`.
    public var row: String
    /// `inserted`, `updated` or `deleted`.
    public var kind: String
    /// The properties that differ.
    public var fields: [Field]
    /// What the merge policy decided; nil where a save began.
    public var decision: Decision?
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
    /// The values that were read, or that were written where only some were; nil if none are known.
    public var values: [Value]?
  }

  /// Why a party could not continue.
  public enum Stop: Sendable, Codable, Equatable {
    /// It had nothing left to do, for good or, as the main loop, until it is given a block.
    case ended
    /// It waits for a queue that another party holds.
    case waits(queue: String)
    /// It waits for something outside the engine: `a semaphore`, `queue "com.x"`, `10.0 ms`.
    case waitsFor(String)
    /// The run was over.
    case abandoned
  }

  /// A place where more than one party could run.
  public struct Choice: Sendable, Codable, Equatable {
    /// The parties that could run, the default first.
    public var options: [Int]
    /// Which of them was chosen.
    public var chosen: Int
    /// Whether the default is the party that was running already, so that any other is a switch.
    public var isSwitchPoint: Bool
    /// How many steps had been made.
    public var step: Int
  }

  /// The threads and tasks, in order of appearance; the first is the main loop.
  public var parties: [Party]
  /// What happened, in order.
  public var steps: [Step]
  /// The choices there were, in order.
  public var choices: [Choice]
  /// How the run ended.
  public var ending: Ending
  /// The outcome, by its name.
  public var outcome: String
  /// How good the outcome is; nil if it is not declared.
  public var grade: Grade?
  /// What was observed.
  public var metrics: [Metric]
  /// Which party waited for which when the run ended, as sentences; empty unless it was a deadlock.
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

  /// How often a party was interrupted.
  public var switches: Int { choices.count { $0.isSwitchPoint && $0.chosen > 0 } }
}

extension Trace.Change {
  /// Takes over what the engine told.
  init(_ told: ToldChange) {
    row = told.row
    kind = told.kind.rawValue
    fields = told.fields.map {
      Field(name: $0.name, read: $0.read, own: $0.own, stored: $0.stored, kept: $0.kept)
    }
    decision = told.decision.map {
      Decision(policy: $0.policy, read: $0.read, stored: $0.stored, result: $0.result.rawValue)
    }
  }
}
