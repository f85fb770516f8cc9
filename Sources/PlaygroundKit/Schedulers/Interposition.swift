#if os(Linux)
  import CInterposition
  import Foundation

  private var scheduler: ControlledScheduler { .shared }

  /// Hands the calls that are taken over from Dispatch and the C library to the scheduler.
  enum Interposition {
    /// Takes the calls of this process over, for good.
    static func install() {
      var calls = faultline_scheduler()
      setQueues(&calls)
      setWaits(&calls)
      setLocks(&calls)
      setTime(&calls)
      let kept = UnsafeMutablePointer<faultline_scheduler>.allocate(capacity: 1)
      kept.initialize(to: calls)
      faultline_take_over(kept)
      learnCallers()
    }

    /// Asks for each lock of Foundation's in each way, so that the places are known from which
    /// Foundation calls for an application.
    private static func learnCallers() {
      faultline_learn_callers(true)
      defer { faultline_learn_callers(false) }
      let (lock, recursive, condition, choice) = (
        NSLock(), NSRecursiveLock(), NSCondition(), NSConditionLock(condition: 0)
      )
      let locks: [any NSLocking] = [lock, recursive, condition, choice]
      for lock in locks {
        lock.lock()
        lock.unlock()
        lock.withLock {}
      }
      if lock.try() { lock.unlock() }
      if recursive.try() { recursive.unlock() }
      if lock.lock(before: .distantFuture) { lock.unlock() }
      if recursive.lock(before: .distantFuture) { recursive.unlock() }
      if choice.tryLock(whenCondition: 0) { choice.unlock(withCondition: 0) }
    }

    private static func setQueues(_ calls: inout faultline_scheduler) {
      calls.made = { scheduler.made(OutsideObject($0)) }
      calls.submit = { queue, context, function, isBarrier, group in
        scheduler.submit(
          OutsideWork(context: context, function: function!), to: OutsideObject(queue),
          isBarrier: isBarrier, group: group.map { OutsideObject($0) })
      }
      calls.submit_after = { queue, context, function, until in
        scheduler.submit(
          OutsideWork(context: context, function: function!), to: OutsideObject(queue),
          until: until)
      }
      calls.submit_job = { context, function, until in
        scheduler.submitJob(OutsideWork(context: context, function: function!), until: until)
      }
      calls.run = { queue, context, function, isBarrier in
        scheduler.run(
          OutsideWork(context: context, function: function!), inside: OutsideObject(queue),
          isBarrier: isBarrier)
      }
      calls.apply = { count, context, body in scheduler.apply(Int(count), context, body!) }
      calls.suspend = { scheduler.suspend(OutsideObject($0), by: Int($1)) }
      calls.activate = { scheduler.activate(OutsideObject($0)) }
    }

    private static func setWaits(_ calls: inout faultline_scheduler) {
      calls.enter_group = { scheduler.enter(OutsideObject($0)) }
      calls.leave_group = { scheduler.leaveGroup(OutsideObject($0)) }
      calls.wait_for_group = { scheduler.wait(forGroup: OutsideObject($0), until: $1) }
      calls.notify_after_group = { group, queue, context, function in
        scheduler.notify(
          OutsideNotification(
            queue: OutsideObject(queue), work: OutsideWork(context: context, function: function!)),
          after: OutsideObject(group))
      }
      calls.wait_for_block = { scheduler.wait(forBlock: OutsideObject($0), until: $1) }
      calls.look_at_block = { scheduler.lookAt(block: OutsideObject($0)) }
      calls.notify_after_block = { block, queue, context, function in
        scheduler.notify(
          OutsideNotification(
            queue: OutsideObject(queue), work: OutsideWork(context: context, function: function!)),
          afterBlock: OutsideObject(block))
      }
      calls.wait_for_semaphore = { scheduler.wait(forSemaphore: OutsideObject($0), until: $1) }
      calls.signal_semaphore = { scheduler.signal(OutsideObject($0)) }
    }

    private static func setLocks(_ calls: inout faultline_scheduler) {
      calls.lock = { scheduler.lock(OutsideObject($0), isAsked: $1) }
      calls.try_lock = { scheduler.tryLock(OutsideObject($0), isAsked: $1) }
      calls.unlock = { scheduler.unlock(OutsideObject($0), isAsked: $1) }
      calls.wait_for_condition = {
        scheduler.wait(forCondition: OutsideObject($0), OutsideObject($1), nanoseconds: $2)
      }
      calls.signal_condition = { scheduler.signal(condition: OutsideObject($0), isBroadcast: $1) }
      calls.lock_shared = { scheduler.lockShared(OutsideObject($0), isWriter: $1) }
      calls.unlock_shared = { scheduler.unlockShared(OutsideObject($0)) }
    }

    private static func setTime(_ calls: inout faultline_scheduler) {
      calls.start_thread = { scheduler.startThread($0, $1, $2, $3) }
      calls.join_thread = { scheduler.join(UInt($0)) }
      calls.sleep = { scheduler.sleep($0) }
      calls.make_timer = { scheduler.makeTimer(OutsideObject($0), on: OutsideObject($1)) }
      calls.set_timer = { scheduler.setTimer(OutsideObject($0), next: $1, interval: $2) }
      calls.set_handler = { source, context, function, isForEnd in
        scheduler.setHandler(
          OutsideObject(source),
          context.map { OutsideWork(context: $0, function: function!) }, isForEnd: isForEnd)
      }
      calls.cancel_source = { scheduler.cancelSource(OutsideObject($0)) }
      calls.now = { scheduler.nowNanoseconds }
      calls.refuse = { scheduler.refuse(String(cString: $0!)) }
    }
  }
#endif
