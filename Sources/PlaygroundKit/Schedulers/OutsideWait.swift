/// What a party waits for that is none of the engine's: a semaphore, a lock, its turn in a Dispatch
/// queue, a time.
struct OutsideWait {
  /// In messages: `a semaphore`, `queue "com.x"`, `10 ms`.
  let words: String
  /// What a party would have to do that ends the wait, `signal`; nil if `holders` are known.
  var ending: String?
  /// The parties that it waits for.
  var holders: () -> [Party] = { [] }
  /// Whether it could go on now.
  var isOver: () -> Bool
  /// Virtual time at which it could go on, or goes on anyway; such a party comes last by default.
  var deadline: Int?
  /// Whether it could go on because its time is up.
  var isTimeUp: () -> Bool = { false }
  /// The number of steps that must be exceeded first, unless nothing else can go on.
  var notBeforeStep = -1
  /// The clock of the party whose step ended the wait.
  var since: Int?

  /// Whether it may be chosen.
  var mayGoOn: Bool { isOver() || isTimeUp() }
}
