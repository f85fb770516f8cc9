#if os(Linux)
  import CInterposition
  import Faultline
  import Foundation

  /// What the scheduler does in the place of Dispatch and of the C library.
  ///
  /// Each function stands at a switch point before it does what others can notice, and is told as a
  /// touch of the thing, so that equal orders are known. What makes a thread go on, such as the end
  /// of a block or the release of a lock, is none: nothing is between it and the next point.
  extension ControlledScheduler {
    /// The run and the party that calls; nil if this call is none of a run's.
    private var calling: (run: ControlledRun, party: Party)? {
      guard let run, !run.isOver, let party = current else { return nil }
      return (run, party)
    }

    private func touch(_ object: OutsideObject, isWrite: Bool = true) {
      guard let number = number(of: object) else { return }
      touch(number: number, isWrite: isWrite)
    }

    private func number(of object: OutsideObject) -> UInt64? {
      calling?.run.outside.number(of: object)
    }

    private func touch(number: UInt64, isWrite: Bool = true) {
      guard let (run, party) = calling else { return }
      run.touch(.outside(number), isWrite: isWrite, version: nil, by: party)
    }

    /// Another object was made at an address.
    func made(_ object: OutsideObject) { calling?.run.outside.forget(object) }

    /// A block comes to a queue, begins or ends there: in a serial queue after each other, in a
    /// concurrent one side by side but for barriers, in a global one without any order.
    private func touch(_ queue: OutsideQueue, isBarrier: Bool, begins: Bool = false) {
      if queue.isRoot { return }
      touch(queue.object, isWrite: isBarrier || queue.isSerial && !begins)
      if let target = queue.target { touch(target, isBarrier: false, begins: begins) }
    }

    /// The running party waits until something is so; returns at once if it is.
    func wait(_ wait: OutsideWait, _ run: ControlledRun, _ party: Party) {
      if wait.isOver() { return }
      run.suspend(party, wait)
      goOn(after: run.leave(party, .waits(queue: wait.words)), instead: party)
    }

    /// The running party takes something as soon as it can be taken, before its time is up.
    private func take(
      _ number: UInt64?, until: UInt64, _ wait: OutsideWait, _ attempt: () -> Bool
    ) -> Bool {
      guard let (run, party) = calling, let number else { return false }
      reach(.outside("asks for"), subject: wait.words)
      touch(number: number)
      if attempt() { return true }
      let deadline = Int(clamping: until)
      if deadline <= party.clock { return false }
      var wait = wait
      if until != .max {
        wait.deadline = deadline
        wait.isTimeUp = { true }
      }
      self.wait(wait, run, party)
      touch(number: number)
      if attempt() { return true }
      party.clock = max(party.clock, deadline)
      return false
    }

    // MARK: Queues

    func submit(
      _ work: OutsideWork, to object: OutsideObject, isBarrier: Bool = false,
      group: OutsideObject? = nil, until: UInt64? = nil
    ) {
      guard let (run, _) = calling else { return }
      reach(.blockEnqueued, subject: run.outside.queue(object).words)
      put(work, on: object, isBarrier: isBarrier, group: group, until: until)
    }

    /// Puts work in line; no other party goes on before that.
    private func put(
      _ work: OutsideWork, on object: OutsideObject, isBarrier: Bool = false,
      group: OutsideObject? = nil, until: UInt64? = nil, notBeforeStep: Int = -1
    ) {
      guard let (run, party) = calling else { return }
      let queue = run.outside.queue(object)
      touch(queue, isBarrier: isBarrier)
      if let group { faultline_real_enter_group(group.pointer) }
      let block = OutsideBlock(number: run.outside.newNumber())
      run.outside.blocks[OutsideObject(work.context)] = block
      func finish() {
        block.isOver = true
        touch(number: block.number)
        for next in block.notifications { put(next.work, on: next.queue) }
        if let group { leave(group) }
      }
      let deadline = until.map { Int(clamping: $0) }
      if queue.isMain, deadline == nil {
        return enqueueMain {
          work.run()
          finish()
        }
      }
      let job = OutsideJob(isBarrier: isBarrier, deadline: deadline)
      queue.append(job)
      faultline_retain(object.pointer)
      nonisolated(unsafe) let (end, its, waits) = (finish, job, queue)
      let (isMain, number) = (queue.isMain, block.number)
      let name = "block \(queue.jobCount) of \(queue.words)"
      let made = addParty(
        name: name, lane: queue.isSerial ? queue.words : name, by: party
      ) {
        if isMain { return self.turn(work, its, waits, end) }
        self.begin(its, in: waits)
        self.touch(number: number)
        work.run(inside: waits, isBarrier: isBarrier)
        self.end(its, in: waits)
        end()
        faultline_release(object.pointer)
      }
      (job.party, block.party) = (made, made)
      run.suspend(
        made,
        OutsideWait(
          words: queue.words, holders: { queue.holders(of: job) },
          isOver: { queue.mayBegin(job) }, deadline: deadline, notBeforeStep: notBeforeStep))
    }

    /// A timer has come to its end: its block goes to the main loop.
    private func turn(
      _ work: OutsideWork, _ job: OutsideJob, _ queue: OutsideQueue,
      _ finish: @escaping () -> Void
    ) {
      guard let (_, party) = calling else { return }
      queue.begin(job)
      queue.end(job, at: 0)
      party.clock = max(party.clock, job.deadline ?? 0)
      touch(queue, isBarrier: false)
      faultline_release(queue.object.pointer)
      enqueueMain {
        work.run()
        finish()
      }
    }

    private func begin(_ job: OutsideJob, in queue: OutsideQueue) {
      guard let (_, party) = calling else { return }
      queue.begin(job)
      party.clock = max(party.clock, queue.clock, job.deadline ?? 0)
      reach(.blockBegan, subject: queue.words)
      touch(queue, isBarrier: job.isBarrier, begins: true)
    }

    private func end(_ job: OutsideJob, in queue: OutsideQueue) {
      guard let (_, party) = calling else { return }
      touch(queue, isBarrier: job.isBarrier)
      queue.end(job, at: party.clock)
    }

    func run(_ work: OutsideWork, inside object: OutsideObject, isBarrier: Bool) {
      guard let (run, party) = calling else { return }
      let queue = run.outside.queue(object)
      if queue.isMain ? party.number == 0 : queue.isSerial && queue.holds(party) {
        end(
          Ending(
            .crashed,
            "dispatch_sync is called on \(queue.words) by a block inside it: Dispatch stops here"))
      }
      reach(.outside("asks for"), subject: queue.words)
      touch(queue, isBarrier: isBarrier)
      if queue.isMain { return runOnMain(work, queue, run, party) }
      let job = OutsideJob(isBarrier: isBarrier, party: party)
      queue.append(job)
      wait(
        OutsideWait(
          words: queue.words, holders: { queue.holders(of: job) },
          isOver: { queue.mayBegin(job) }),
        run, party)
      begin(job, in: queue)
      work.run(inside: queue, isBarrier: isBarrier)
      end(job, in: queue)
    }

    private func runOnMain(
      _ work: OutsideWork, _ queue: OutsideQueue, _ run: ControlledRun, _ party: Party
    ) {
      var isOver = false
      enqueueMain {
        work.run()
        isOver = true
      }
      run.markAwaited(by: party)
      wait(
        OutsideWait(words: queue.words, holders: { [run.parties[0]] }, isOver: { isOver }), run,
        party)
      touch(queue.object)
    }

    func suspend(_ object: OutsideObject, by change: Int) {
      guard let (run, _) = calling else { return }
      reach(.outside(change > 0 ? "suspends" : "resumes"), subject: "")
      touch(object)
      if let timer = run.outside.timers[object] {
        timer.suspensions = max(0, timer.suspensions + change)
        return arm(timer, object)
      }
      run.outside.queue(object).suspensions += change
    }

    func activate(_ object: OutsideObject) {
      guard let (run, _) = calling else { return }
      if run.outside.timers[object] != nil { return suspend(object, by: -1) }
      faultline_real_activate(object.pointer)
    }

    /// Runs the calls of a loop on as many threads as Dispatch might, at most four.
    func apply(
      _ count: Int, _ context: UnsafeMutableRawPointer?,
      _ body: @escaping @convention(c) (UnsafeMutableRawPointer?, UInt) -> Void
    ) {
      guard let (run, party) = calling, count > 0 else { return }
      var (next, running) = (0, min(count, 4))
      let number = run.outside.newNumber()
      reach(.outside("starts"), subject: "\(count) iterations")
      nonisolated(unsafe) let iterate = { (first: Int) in
        var index: Int? = first
        while let at = index {
          self.reach(.outside("begins"), subject: "iteration \(at)")
          self.touch(number: number)
          faultline_set_scheduled(true)
          body(context, UInt(at))
          faultline_set_scheduled(false)
          index = nil
          if next < count {
            index = next
            next += 1
          }
        }
        running -= 1
      }
      var parties: [Party] = []
      for _ in 0..<running {
        let first = next
        next += 1
        parties.append(
          addParty(name: "iteration \(first)", lane: "iteration \(first)", by: party) { iterate(first) })
      }
      wait(
        OutsideWait(
          words: "\(count) iterations", holders: { parties.filter { !$0.hasEnded } },
          isOver: { running == 0 }), run, party)
      touch(number: number)
    }

    // MARK: Groups, work items, semaphores

    func enter(_ group: OutsideObject) {
      reach(.outside("enters"), subject: "a group")
      touch(group)
      faultline_real_enter_group(group.pointer)
    }

    func leaveGroup(_ group: OutsideObject) {
      reach(.outside("leaves"), subject: "a group")
      leave(group)
    }

    private func leave(_ group: OutsideObject) {
      guard let (run, _) = calling else { return }
      touch(group)
      faultline_real_leave_group(group.pointer)
      guard faultline_real_is_group_empty(group.pointer),
        let waiting = run.outside.notifications.removeValue(forKey: group)
      else { return }
      for next in waiting { put(next.work, on: next.queue) }
    }

    func wait(forGroup group: OutsideObject, until: UInt64) -> Bool {
      let isEmpty = { faultline_real_is_group_empty(group.pointer) }
      return take(
        number(of: group), until: until,
        OutsideWait(words: "a group", ending: "leave", isOver: isEmpty), isEmpty)
    }

    func notify(_ next: OutsideNotification, after group: OutsideObject) {
      guard let (run, _) = calling else { return }
      reach(.outside("asks to be told of"), subject: "a group")
      touch(group)
      if faultline_real_is_group_empty(group.pointer) { return put(next.work, on: next.queue) }
      run.outside.notifications[group, default: []].append(next)
    }

    func wait(forBlock object: OutsideObject, until: UInt64) -> Bool {
      guard let (run, _) = calling else { return true }
      guard let block = run.outside.blocks[object] else {
        // It may have been performed without a queue.
        let isOver = { faultline_real_is_block_over(object.pointer) }
        return take(
          number(of: object), until: until,
          OutsideWait(words: "a work item", ending: "perform", isOver: { false }), isOver)
      }
      return take(
        block.number, until: until,
        OutsideWait(
          words: "a work item", holders: { block.party.map { [$0] } ?? [run.parties[0]] },
          isOver: { block.isOver }), { block.isOver })
    }

    func notify(_ next: OutsideNotification, afterBlock object: OutsideObject) {
      guard let (run, _) = calling else { return }
      reach(.outside("asks to be told of"), subject: "a work item")
      guard let block = run.outside.blocks[object] else {
        return refuse("dispatch_block_notify before the work item was submitted")
      }
      touch(number: block.number)
      if block.isOver { return put(next.work, on: next.queue) }
      block.notifications.append(next)
    }

    /// A work item is cancelled, or asked whether it is.
    func lookAt(block object: OutsideObject) {
      reach(.outside("asks for"), subject: "a work item")
      guard let (run, _) = calling else { return }
      touch(number: run.outside.blocks[object]?.number ?? run.outside.number(of: object))
    }

    func wait(forSemaphore semaphore: OutsideObject, until: UInt64) -> Bool {
      take(
        number(of: semaphore), until: until,
        OutsideWait(
          words: "a semaphore", ending: "signal",
          isOver: {
            guard faultline_real_take_semaphore(semaphore.pointer) else { return false }
            faultline_real_signal_semaphore(semaphore.pointer)
            return true
          }), { faultline_real_take_semaphore(semaphore.pointer) })
    }

    func signal(_ semaphore: OutsideObject) {
      reach(.outside("signals"), subject: "a semaphore")
      touch(semaphore)
      faultline_real_signal_semaphore(semaphore.pointer)
    }

    // MARK: Locks

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
      if run.outside.owners[object]?.party === party, faultline_is_error_checking(object.pointer) {
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

    /// Foundation waits for some things by asking again and again, and takes a lock each time: after
    /// a few of those in one step another party goes on.
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
      goOn(after: run.leave(party, .waits(queue: "other threads")), instead: party)
    }

    private func tryLock(_ object: OutsideObject, _ run: ControlledRun, _ party: Party) -> Int32 {
      let result = faultline_real_try_lock(object.pointer)
      if result == 0 {
        let depth = run.outside.owners[object]?.depth ?? 0
        run.outside.owners[object] = (party, depth + 1)
      }
      return result
    }

    func tryLock(_ object: OutsideObject, isAsked: Bool) -> Int32 {
      guard let (run, party) = calling else { return faultline_real_try_lock(object.pointer) }
      if isAsked { reach(.outside("tries to take"), subject: "a lock") }
      touch(object)
      return tryLock(object, run, party)
    }

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

    func signal(condition object: OutsideObject, isBroadcast: Bool) {
      guard let (run, _) = calling else { return }
      reach(.outside("signals"), subject: "a condition")
      touch(object)
      run.outside.conditions[object]?.signal(isBroadcast: isBroadcast)
    }

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

    func unlockShared(_ object: OutsideObject) -> Int32 {
      guard let (run, party) = calling else { return faultline_real_unlock_shared(object.pointer) }
      if run.hasTouched(otherThan: run.outside.number(of: object), by: party) {
        reach(.outside("releases"), subject: "a read-write lock")
      }
      touch(object)
      return faultline_real_unlock_shared(object.pointer)
    }

    // MARK: Time

    func sleep(_ nanoseconds: UInt64) {
      guard let (run, party) = calling else { return }
      let deadline = party.clock + Int(clamping: nanoseconds)
      if party.sleepStep != run.stepCount { party.sleepCount = 0 }
      party.sleepCount += 1
      let words = Figures.underControl(
        Metric("", Int(clamping: nanoseconds), .nanoseconds))
      // A loop that sleeps until another thread has done something must not be tried for ever.
      run.suspend(
        party,
        OutsideWait(
          words: words, isOver: { true }, deadline: deadline,
          notBeforeStep: party.sleepCount > 2 ? run.stepCount + 1 : -1))
      goOn(after: run.leave(party, .waits(queue: words)), instead: party)
      party.sleepStep = run.stepCount
      party.clock = max(party.clock, deadline)
    }

    // MARK: Tasks

    func submitJob(_ job: OutsideWork, until: UInt64) {
      guard let (run, party) = calling else { return }
      let made = run.addTask(identity: nextIdentity, by: party) {
        faultline_set_scheduled(false)
        job.run()
      }
      guard until > 0 else { return }
      run.suspend(
        made,
        OutsideWait(words: "its time", isOver: { true }, deadline: Int(clamping: until)))
    }

    // MARK: Timers

    func makeTimer(_ object: OutsideObject, on queue: OutsideObject) {
      guard let (run, _) = calling else { return }
      // Dispatch's own timer is never resumed, and may not go before it was.
      faultline_retain(object.pointer)
      faultline_retain(queue.pointer)
      run.outside.timers[object] = OutsideTimer(queue)
    }

    func setTimer(_ object: OutsideObject, next: UInt64, interval: UInt64) {
      guard let (run, _) = calling, let timer = run.outside.timers[object] else { return }
      reach(.outside("sets"), subject: "a timer")
      touch(object)
      timer.next = next == .max ? nil : Int(clamping: next)
      timer.interval = interval == .max || interval == 0 ? nil : Int(clamping: interval)
      arm(timer, object)
    }

    func setHandler(_ object: OutsideObject, _ work: OutsideWork?, isForEnd: Bool) {
      guard let (run, _) = calling, let timer = run.outside.timers[object] else { return }
      if isForEnd { timer.end = work } else { timer.handler = work }
    }

    func cancelSource(_ object: OutsideObject) {
      guard let (run, _) = calling, let timer = run.outside.timers[object] else { return }
      reach(.outside("cancels"), subject: "a timer")
      touch(object)
      if timer.isCancelled { return }
      timer.isCancelled = true
      if let end = timer.end { put(end, on: timer.queue) }
    }

    /// Puts the timer's next event in line, unless it is there, or the timer has none now.
    private func arm(_ timer: OutsideTimer, _ object: OutsideObject, isAgain: Bool = false) {
      guard let (run, _) = calling, let next = timer.next, timer.suspensions == 0,
        !timer.isCancelled, !timer.isInLine
      else { return }
      timer.isInLine = true
      let event = Unmanaged.passRetained(TimerEvent(self, timer, object))
      let work = OutsideWork(context: event.toOpaque()) { context in
        Unmanaged<TimerEvent>.fromOpaque(context!).takeRetainedValue().fire()
      }
      // The step that this is called in ends as the event does.
      put(work, on: timer.queue, until: UInt64(next), notBeforeStep: isAgain ? run.stepCount + 1 : -1)
    }

    /// One event of a timer.
    private final class TimerEvent {
      private let scheduler: ControlledScheduler
      private let timer: OutsideTimer
      private let object: OutsideObject

      init(_ scheduler: ControlledScheduler, _ timer: OutsideTimer, _ object: OutsideObject) {
        (self.scheduler, self.timer, self.object) = (scheduler, timer, object)
      }

      func fire() {
        faultline_set_scheduled(false)
        timer.isInLine = false
        scheduler.touch(object)
        if !timer.isCancelled, timer.suspensions == 0 { timer.handler?.run() }
        if let interval = timer.interval, let next = timer.next {
          timer.next = next + interval
          scheduler.arm(timer, object, isAgain: true)
        } else {
          timer.next = nil
        }
      }
    }

    func refuse(_ name: String) {
      guard calling != nil else { return }
      end(Ending(.uncontrolled, "\(name) is called, which is outside the scheduler's control"))
    }
  }
#endif
