#if os(Linux)
  import CInterposition
  import Faultline
  import Foundation

  /// Mutexes, conditions and read-write locks.
  extension ControlledScheduler {
    /// Takes a mutex; the answer is the C library's.
    func lock(_ object: OutsideObject, isAsked: Bool) -> Int32 {
      guard let (run, party) = calling else { return faultline_real_lock(object.pointer) }
      if isAsked {
        reach(.outside("asks for"), subject: "a lock")
      } else {
        yieldIfSpinning(run, party)
      }
      touch(object)
      let result = tryLock(object, run, party)
      guard result == EBUSY else { return result }
      let isOwn = run.outside.owners[object]?.party === party
      if isOwn, faultline_is_error_checking(object.pointer) {
        return faultline_real_lock(object.pointer)
      }
      wait(
        OutsideWait(
          words: "a lock", holders: { run.outside.owners[object].map { [$0.party] } ?? [] },
          isOver: { run.outside.owners[object] == nil }), run, party)
      touch(object)
      let later = tryLock(object, run, party)
      // A thread that is not scheduled has it.
      return later == EBUSY ? faultline_real_lock(object.pointer) : later
    }

    /// Foundation waits for some things by asking again and again, and takes a lock each time:
    /// after a few of those in one step another party goes on.
    private func yieldIfSpinning(_ run: ControlledRun, _ party: Party) {
      if party.lockStep != run.stepCount { (party.lockStep, party.lockCount) = (run.stepCount, 0) }
      party.lockCount += 1
      guard party.lockCount > 200 else { return }
      party.lockCount = 0
      run.suspend(
        party,
        OutsideWait(
          words: "other threads", isOver: { true }, deadline: party.clock,
          notBeforeStep: run.stepCount + 1))
      goOn(after: run.leave(party, .waitsFor("other threads")), instead: party)
    }

    private func tryLock(_ object: OutsideObject, _ run: ControlledRun, _ party: Party) -> Int32 {
      let result = faultline_real_try_lock(object.pointer)
      if result == 0 {
        let depth = run.outside.owners[object]?.depth ?? 0
        run.outside.owners[object] = (party, depth + 1)
      }
      return result
    }

    /// Takes a mutex if it is free; the answer is the C library's.
    func tryLock(_ object: OutsideObject, isAsked: Bool) -> Int32 {
      guard let (run, party) = calling else { return faultline_real_try_lock(object.pointer) }
      if isAsked { reach(.outside("tries to take"), subject: "a lock") }
      touch(object)
      return tryLock(object, run, party)
    }

    /// Lets a mutex go; the answer is the C library's.
    func unlock(_ object: OutsideObject, isAsked: Bool) -> Int32 {
      guard let (run, party) = calling else { return faultline_real_unlock(object.pointer) }
      if isAsked, run.hasTouched(otherThan: run.outside.number(of: object), by: party) {
        reach(.outside("releases"), subject: "a lock")
      }
      touch(object)
      release(object, run)
      return faultline_real_unlock(object.pointer)
    }

    private func release(_ object: OutsideObject, _ run: ControlledRun) {
      guard let owner = run.outside.owners[object] else { return }
      run.outside.owners[object] = owner.depth > 1 ? (owner.party, owner.depth - 1) : nil
    }

    /// Waits until a condition is signalled, or for a time.
    func wait(
      forCondition object: OutsideObject, _ mutex: OutsideObject, nanoseconds: UInt64
    ) -> Bool {
      guard let (run, party) = calling else { return true }
      let number = run.outside.conditions[object, default: OutsideCondition()].wait()
      touch(object)
      touch(mutex)
      release(mutex, run)
      _ = faultline_real_unlock(mutex.pointer)
      let isFree = { run.outside.owners[mutex] == nil }
      var wait = OutsideWait(
        words: "a condition", ending: "signal",
        isOver: { isFree() && run.outside.conditions[object]?.isSignalled(number) ?? false })
      if nanoseconds != .max {
        wait.deadline = party.clock + Int(clamping: nanoseconds)
        wait.isTimeUp = isFree
      }
      self.wait(wait, run, party)
      touch(object)
      touch(mutex)
      _ = tryLock(mutex, run, party)
      let isSignalled = run.outside.conditions[object]?.goOn(number) ?? true
      if !isSignalled { party.clock = max(party.clock, wait.deadline ?? 0) }
      return isSignalled
    }

    /// Lets one of the threads that wait for a condition go on, or all of them.
    func signal(condition object: OutsideObject, isBroadcast: Bool) {
      guard let (run, _) = calling else { return }
      reach(.outside("signals"), subject: "a condition")
      touch(object)
      run.outside.conditions[object]?.signal(isBroadcast: isBroadcast)
    }

    /// Takes a read-write lock.
    func lockShared(_ object: OutsideObject, isWriter: Bool) -> Int32 {
      guard calling != nil else { return faultline_real_try_shared(object.pointer, isWriter) }
      let attempt = { faultline_real_try_shared(object.pointer, isWriter) == 0 }
      _ = take(
        number(of: object), until: .max,
        OutsideWait(
          words: "a read-write lock", ending: "release",
          isOver: {
            guard attempt() else { return false }
            _ = faultline_real_unlock_shared(object.pointer)
            return true
          }), attempt)
      return 0
    }

    /// Lets a read-write lock go; the answer is the C library's.
    func unlockShared(_ object: OutsideObject) -> Int32 {
      guard let (run, party) = calling else { return faultline_real_unlock_shared(object.pointer) }
      if run.hasTouched(otherThan: run.outside.number(of: object), by: party) {
        reach(.outside("releases"), subject: "a read-write lock")
      }
      touch(object)
      return faultline_real_unlock_shared(object.pointer)
    }
  }
#endif
