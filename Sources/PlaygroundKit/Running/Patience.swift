/// How long a process may take to its next step before it counts as out of control.
///
/// It is judged by what it does and not by the time that goes by, because on a busy machine it may
/// wait for a processor for long: one that computes gets its time in processor time, and a look at
/// one that would go on if the machine let it counts for nothing.
struct Patience {
  /// How often it may be seen to wait without having done anything, one look after the other.
  private static let waitsInARow = 100
  /// How often it may be seen to wait between two steps, if it does a little now and then.
  private static let waitsAtMost = 1_500
  /// How long it may compute between two steps, in nanoseconds.
  private static let computingMax = 5_000_000_000

  private var step = -1
  private var used = 0
  private var usedAtStep = 0
  private var waits = 0
  private var waitsInARow = 0

  /// Takes in one look at a process: how many steps it has made, the processor time it has used,
  /// and whether it would go on if the machine let it, which is asked for if it has made none.
  ///
  /// - Returns: whether it has had its time.
  mutating func ends(step: Int, used: Int, isHeldUp: @autoclosure () -> Bool) -> Bool {
    let isIdle = used == self.used
    self.used = used
    if step != self.step {
      (self.step, usedAtStep, waits, waitsInARow) = (step, used, 0, 0)
    } else if !isHeldUp() {
      waits += 1
      waitsInARow = isIdle ? waitsInARow + 1 : 0
    }
    return waitsInARow >= Self.waitsInARow || waits >= Self.waitsAtMost
      || used - usedAtStep >= Self.computingMax
  }
}
