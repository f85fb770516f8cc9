import Faultline

/// What can be chosen to run: the main loop, the worker of a queue, a job of a task.
///
///     ready ──chosen──▶ running ──another one is chosen──▶ ready
///                           │
///                           ├──waits for a queue──▶ parked ──its turn has come──▶ ready
///                           ├──waits for something else──▶ waiting ──chosen, if it may──▶ running
///                           └──has nothing left to do──▶ ended
///
/// Only the running thread touches a party, and one runs at a time.
final class Party {
  /// Its place in the run; the main loop is 0.
  let number: Int
  /// What the process knows it by; no other party of any run has it.
  let identity: UInt
  /// What it is called.
  let name: String
  /// The lane it is drawn in.
  let lane: String
  /// What it does; the main loop has no body of its own.
  let body: (@Sendable () -> Void)?
  /// The same number in every equal order.
  let birth: UInt64

  /// The thread that runs it, once it has begun.
  var thread: PartyThread?
  /// Its own virtual time in nanoseconds.
  var clock: Int
  /// The name of its last step.
  var past: UInt64
  /// How many parties it has started.
  var children: UInt64 = 0
  /// The queues it is inside, outermost first.
  var queues: [SerialQueue] = []
  /// What it waits for, if it is parked.
  var token: UInt64?
  /// What it waits for outside the engine, if it does.
  var wait: OutsideWait?
  /// How many locks it took for Foundation since a step, and how often it slept since another's.
  var (lockStep, lockCount, sleepStep, sleepCount) = (0, 0, 0, 0)
  /// Whether it has nothing left to do.
  var hasEnded = false
  /// Its time when it asked for the queue that it waits for, and whether that is the store's.
  var asked: (clock: Int, isStore: Bool)?
  /// What it has done since its last switch point.
  var step: OpenStep?

  init(
    number: Int, identity: UInt, name: String, lane: String, birth: UInt64, clock: Int,
    body: (@Sendable () -> Void)?
  ) {
    self.number = number
    self.identity = identity
    self.name = name
    self.lane = lane
    self.birth = birth
    self.clock = clock
    self.body = body
    past = birth
  }
}

/// A step that has begun and has not ended.
struct OpenStep {
  /// The switch point it began with; nil until its party comes to one.
  var point: SwitchPoint?
  var subject = ""
  /// The choice that was made before it.
  var choice: Int?
  /// Whether another party was interrupted for it.
  var isSwitch = false
  /// Virtual time at which it began.
  var start: Int
  /// What it has read and written, each thing once.
  var touches: [(thing: SharedThing, isWrite: Bool)] = []
  /// The rows among them with their versions, for what is drawn.
  var rows: [Trace.Touch] = []
  var notes: [String] = []
  /// What a save is to write, and what a merge policy decided.
  var changes: [Trace.Change] = []
  /// Where the thread stood when the step began.
  var stack: [Int] = []
  /// The party that waits for the block this belongs to.
  var asker: Int?
  /// Whether another party was started in it, which may go on before the next point.
  var hasStarted = false

  /// Whether nothing has happened in it that counts; what is only drawn must not make a choice.
  var isEmpty: Bool { point == nil && touches.isEmpty && !hasStarted }
}
