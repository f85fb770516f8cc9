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
    var calling: (run: ControlledRun, party: Party)? {
      guard let run, !run.isOver, let party = current else { return nil }
      return (run, party)
    }

    /// The running party reads or writes what is known of an object.
    func touch(_ object: OutsideObject, isWrite: Bool = true) {
      guard let number = number(of: object) else { return }
      touch(number: number, isWrite: isWrite)
    }

    /// What an object is called in touches.
    func number(of object: OutsideObject) -> UInt64? {
      calling?.run.outside.number(of: object)
    }

    /// The running party reads or writes what has a number.
    func touch(number: UInt64, isWrite: Bool = true) {
      guard let (run, party) = calling else { return }
      run.touch(.outside(number), isWrite: isWrite, version: nil, by: party)
    }

    /// Another object was made at an address.
    func made(_ object: OutsideObject) { calling?.run.outside.forget(object) }

    /// A block comes to a queue, begins or ends there: in a serial queue after each other, in a
    /// concurrent one side by side but for barriers, in a global one without any order.
    func touch(_ queue: OutsideQueue, isBarrier: Bool, begins: Bool = false) {
      if queue.isRoot { return }
      touch(queue.object, isWrite: isBarrier || queue.isSerial && !begins)
      if let target = queue.target { touch(target, isBarrier: false, begins: begins) }
    }

    /// The running party waits until something is so; returns at once if it is.
    func wait(_ wait: OutsideWait, _ run: ControlledRun, _ party: Party) {
      if wait.isOver() { return }
      run.suspend(party, wait)
      goOn(after: run.leave(party, .waitsFor(wait.words)), instead: party)
    }

    /// The running party takes something as soon as it can be taken, before its time is up.
    func take(
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

    /// A block is put on a queue, perhaps after a time.
    func submit(
      _ work: OutsideWork, to object: OutsideObject, isBarrier: Bool = false,
      group: OutsideObject? = nil, until: UInt64? = nil
    ) {
      guard let (run, _) = calling else { return }
      reach(.blockEnqueued, subject: run.outside.queue(object).words)
      put(work, on: object, isBarrier: isBarrier, group: group, until: until)
    }

    /// Puts work in line; no other party goes on before that.
    func put(
      _ work: OutsideWork, on object: OutsideObject, isBarrier: Bool = false,
      group: OutsideObject? = nil, until: UInt64? = nil, notBeforeStep: Int = -1
    ) {
      guard let (run, party) = calling else { return }
      let queue = run.outside.queue(object)
      touch(queue, isBarrier: isBarrier)
      if let group { faultline_real_enter_group(group.pointer) }
      let block = run.outside.submittedBlock(OutsideObject(work.context))
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

    /// Runs a block inside a queue, as soon as its turn has come.
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

    /// Holds a queue or a timer back, or lets it go on.
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

    /// Lets a queue or a timer begin that was made to wait for it.
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
        let name = "iteration \(first)"
        parties.append(addParty(name: name, lane: name, by: party) { iterate(first) })
      }
      wait(
        OutsideWait(
          words: "\(count) iterations", holders: { parties.filter { !$0.hasEnded } },
          isOver: { running == 0 }), run, party)
      touch(number: number)
    }

    // MARK: What is refused

    /// Something is called that nothing here stands for.
    func refuse(_ name: String) {
      guard calling != nil else { return }
      end(Ending(.uncontrolled, "\(name) is called, which is outside the scheduler's control"))
    }
  }
#endif
