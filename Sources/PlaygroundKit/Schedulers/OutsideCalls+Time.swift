#if os(Linux)
  import CInterposition
  import Faultline
  import Foundation

  /// Sleeps, jobs of tasks that wait, and timers.
  extension ControlledScheduler {
    /// Lets the others go on, and comes back when so much virtual time has passed.
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
      goOn(after: run.leave(party, .waitsFor(words)), instead: party)
      party.sleepStep = run.stepCount
      party.clock = max(party.clock, deadline)
    }

    // MARK: Tasks

    /// A job of a task is to go on, at once or at a time.
    func submitJob(_ job: OutsideWork, until: UInt64) {
      guard let (run, party) = calling else { return }
      // A task that yields or sleeps is suspended.
      if party.number == 0 { run.unsuspended = nil }
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

    /// A timer source was made.
    func makeTimer(_ object: OutsideObject, on queue: OutsideObject) {
      guard let (run, _) = calling else { return }
      // Dispatch's own timer is never resumed, and may not go before it was.
      faultline_retain(object.pointer)
      faultline_retain(queue.pointer)
      run.outside.timers[object] = OutsideTimer(queue)
    }

    /// A timer is told its times.
    func setTimer(_ object: OutsideObject, next: UInt64, interval: UInt64) {
      guard let (run, _) = calling, let timer = run.outside.timers[object] else { return }
      reach(.outside("sets"), subject: "a timer")
      touch(object)
      timer.next = next == .max ? nil : Int(clamping: next)
      timer.interval = interval == .max || interval == 0 ? nil : Int(clamping: interval)
      arm(timer, object)
    }

    /// A timer is told what to do at an event, or at its end.
    func setHandler(_ object: OutsideObject, _ work: OutsideWork?, isForEnd: Bool) {
      guard let (run, _) = calling, let timer = run.outside.timers[object] else { return }
      if isForEnd { timer.end = work } else { timer.handler = work }
    }

    /// A timer ends.
    func cancelSource(_ object: OutsideObject) {
      guard let (run, _) = calling, let timer = run.outside.timers[object] else { return }
      reach(.outside("cancels"), subject: "a timer")
      touch(object)
      if timer.isCancelled { return }
      timer.isCancelled = true
      if let end = timer.end { put(end, on: timer.queue) }
    }

    /// Puts the timer's next event in line, unless it is there, or the timer has none now.
    func arm(_ timer: OutsideTimer, _ object: OutsideObject, isAgain: Bool = false) {
      guard let (run, _) = calling, let next = timer.next, timer.suspensions == 0,
        !timer.isCancelled, !timer.isInLine
      else { return }
      timer.isInLine = true
      let event = Unmanaged.passRetained(TimerEvent(self, timer, object))
      let work = OutsideWork(context: event.toOpaque()) { context in
        Unmanaged<TimerEvent>.fromOpaque(context!).takeRetainedValue().fire()
      }
      // The step that this is called in ends as the event does.
      put(
        work, on: timer.queue, until: UInt64(next),
        notBeforeStep: isAgain ? run.stepCount + 1 : -1)
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
  }
#endif
