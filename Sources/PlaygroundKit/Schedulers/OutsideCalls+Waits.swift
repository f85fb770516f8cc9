#if os(Linux)
  import CInterposition
  import Faultline
  import Foundation

  /// Groups, work items and semaphores.
  extension ControlledScheduler {
    /// Something more is to come to its end before the group is empty.
    func enter(_ group: OutsideObject) {
      reach(.outside("enters"), subject: "a group")
      touch(group)
      faultline_real_enter_group(group.pointer)
    }

    /// Something of the group has come to its end.
    func leaveGroup(_ group: OutsideObject) {
      reach(.outside("leaves"), subject: "a group")
      leave(group)
    }

    func leave(_ group: OutsideObject) {
      guard let (run, _) = calling else { return }
      touch(group)
      faultline_real_leave_group(group.pointer)
      guard faultline_real_is_group_empty(group.pointer),
        let waiting = run.outside.notifications.removeValue(forKey: group)
      else { return }
      for next in waiting { put(next.work, on: next.queue) }
    }

    /// Waits until a group is empty.
    func wait(forGroup group: OutsideObject, until: UInt64) -> Bool {
      let isEmpty = { faultline_real_is_group_empty(group.pointer) }
      return take(
        number(of: group), until: until,
        OutsideWait(words: "a group", ending: "leave", isOver: isEmpty), isEmpty)
    }

    /// Puts work on a queue when a group is empty.
    func notify(_ next: OutsideNotification, after group: OutsideObject) {
      guard let (run, _) = calling else { return }
      reach(.outside("asks to be told of"), subject: "a group")
      touch(group)
      if faultline_real_is_group_empty(group.pointer) { return put(next.work, on: next.queue) }
      run.outside.notifications[group, default: []].append(next)
    }

    /// Waits until a work item has run.
    func wait(forBlock object: OutsideObject, until: UInt64) -> Bool {
      guard let (run, _) = calling else { return true }
      let block = run.outside.block(object)
      // Without a queue it may have been performed all the same.
      let isOver = {
        block.isSubmitted ? block.isOver : faultline_real_is_block_over(object.pointer)
      }
      let holders = {
        block.isSubmitted ? [block.party ?? run.parties[0]] : []
      }
      return take(
        block.number, until: until,
        OutsideWait(words: "a work item", ending: "perform", holders: holders, isOver: isOver),
        isOver)
    }

    /// Puts work on a queue when a work item has run.
    func notify(_ next: OutsideNotification, afterBlock object: OutsideObject) {
      guard let (run, _) = calling else { return }
      reach(.outside("asks to be told of"), subject: "a work item")
      let block = run.outside.block(object)
      touch(number: block.number)
      if block.isOver { return put(next.work, on: next.queue) }
      block.notifications.append(next)
    }

    /// A work item is cancelled, or asked whether it is.
    func lookAt(block object: OutsideObject) {
      reach(.outside("asks for"), subject: "a work item")
      guard let (run, _) = calling else { return }
      touch(number: run.outside.block(object).number)
    }

    /// Waits until a semaphore can be taken.
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

    /// Lets a semaphore be taken once more.
    func signal(_ semaphore: OutsideObject) {
      reach(.outside("signals"), subject: "a semaphore")
      touch(semaphore)
      faultline_real_signal_semaphore(semaphore.pointer)
    }
  }
#endif
