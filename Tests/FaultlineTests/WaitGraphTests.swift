import Foundation
import Testing

@testable import Faultline

/// Deadlocked threads never go on, so each test has a process of its own.
@Suite struct WaitGraphTests {
  @Test("Two queues that wait for each other are a cycle, watched or not")
  func twoQueuesThatWaitForEachOther() async {
    await #expect(processExitsWith: .success) {
      ConcurrencyDebug.mode = .off
      let queues = ["A", "B"].map { SerialQueue(label: $0, kind: .private) }
      holdThenWait([(queues[0], queues[1]), (queues[1], queues[0])])
      let cycle = awaitCycle()
      precondition(Set(cycle.map(\.queue)) == ["A", "B"])
      precondition(cycle.allSatisfy { $0.sentence.contains("waits for queue") })
      precondition(cycle.allSatisfy { $0.place == nil }, "no watcher asked for places")
      precondition(ConcurrencyDebug.takeDeadlocks().isEmpty)
    }
  }

  @Test("A recorded deadlock names each party once, with what it holds and where it stands")
  func aRecordedDeadlockNamesEachParty() async {
    await #expect(processExitsWith: .success) {
      ConcurrencyDebug.mode = .record
      let queues = ["A", "B", "C"].map { SerialQueue(label: $0, kind: .private) }
      holdThenWait([0, 1, 2].map { (queues[$0], queues[($0 + 1) % 3]) })
      let deadlock = awaitDeadlock()
      precondition(deadlock.waits.map(\.queue).sorted() == ["A", "B", "C"])
      for wait in deadlock.waits {
        precondition(wait.waiter.contains("inside queue"))
        precondition(wait.place?.contains("WaitGraphTests.swift:") == true, "\(wait)")
      }
      let lines = deadlock.report.split(separator: "\n")
      precondition(lines.filter { $0.contains("holds") }.count == 3, deadlock.report)
      precondition(ConcurrencyDebug.takeDeadlocks().isEmpty, "one cycle, one report")
    }
  }

  //   first     holds A, waits for B
  //   second    holds B, waits for C
  //   third     holds C until both wait, then lets go
  @Test("Parties that wait in a row are no cycle, and all continue")
  func aRowIsNoCircle() async {
    await #expect(processExitsWith: .success) {
      ConcurrencyDebug.mode = .record
      let queues = ["A", "B", "C"].map { SerialQueue(label: $0, kind: .private) }
      let ended = DispatchSemaphore(value: 0)
      queues[2].sync {
        holdThenWait([(queues[0], queues[1]), (queues[1], queues[2])], ended)
        awaitWaits(2)
        precondition(WaitGraph.cycle() == nil)
      }
      ended.wait()
      ended.wait()
      precondition(WaitGraph.waits().isEmpty && ConcurrencyDebug.takeDeadlocks().isEmpty)
    }
  }

  @Test("A party that only waits for a cycle is not part of the cycle")
  func anOutsiderIsNotPartOfTheCircle() async {
    await #expect(processExitsWith: .success) {
      ConcurrencyDebug.mode = .record
      let queues = ["A", "B", "C"].map { SerialQueue(label: $0, kind: .private) }
      holdThenWait([(queues[0], queues[1]), (queues[1], queues[0])])
      precondition(awaitDeadlock().waits.count == 2)
      holdThenWait([(queues[2], queues[0])])
      awaitWaits(3)
      precondition(WaitGraph.cycle()?.count == 2)
      precondition(ConcurrencyDebug.takeDeadlocks().isEmpty)
    }
  }

  //   worker     holds A, waits for the end of its block on main
  //   main       runs that block, which waits for A
  @Test("A block on the main thread that wants its sender's queue closes a cycle")
  func aBlockOnMainThatWantsItsSendersQueue() async {
    await #expect(processExitsWith: .success) {
      ConcurrencyDebug.mode = .record
      let queue = SerialQueue(label: "A", kind: .private)
      Thread.detachNewThread { queue.sync { SerialQueue.main.sync { queue.sync {} } } }
      // The main queue must be free for the block.
      let cycle = await Task.detached { awaitDeadlock().waits }.value
      precondition(Set(cycle.map(\.queue)) == ["A", "main"], "\(cycle)")
      precondition(cycle.contains { $0.waiter == "main" })
    }
  }

  @Test("Queues that are always entered in one order never make a cycle")
  func oneOrderMakesNoCircle() async {
    await #expect(processExitsWith: .success) {
      ConcurrencyDebug.mode = .record
      let queues = (0..<3).map { SerialQueue(label: "\($0)", kind: .private) }
      DispatchQueue.concurrentPerform(iterations: 8) { party in
        for round in 0..<500 {
          let first = (party + round) % 2
          queues[first].sync { queues[2].sync { queues[2].sync {} } }
        }
      }
      precondition(ConcurrencyDebug.takeDeadlocks().isEmpty && WaitGraph.waits().isEmpty)
    }
  }

  @Test("Parties that come and go during a search for a cycle are none")
  func whoComesAndGoesIsNoCircle() async {
    await #expect(processExitsWith: .success) {
      let queue = SerialQueue(label: "A", kind: .private)
      for _ in 0..<4 {
        Thread.detachNewThread { while true { queue.sync { _ = WaitGraph.waits() } } }
      }
      awaitWaits(2)
      for _ in 0..<10_000 { precondition(WaitGraph.cycle() == nil) }
    }
  }
}

/// Starts a thread for each pair: it enters the first queue, and when all are inside their first,
/// it waits for the second.
private func holdThenWait(
  _ pairs: [(own: SerialQueue, other: SerialQueue)], _ ended: DispatchSemaphore? = nil
) {
  let inside = DispatchSemaphore(value: 0)
  let go = DispatchSemaphore(value: 0)
  for (own, other) in pairs {
    Thread.detachNewThread {
      own.sync {
        inside.signal()
        go.wait()
        other.sync {}
      }
      ended?.signal()
    }
  }
  for _ in pairs { inside.wait() }
  for _ in pairs { go.signal() }
}

private func awaitWaits(_ count: Int) {
  while WaitGraph.waits().count < count { sched_yield() }
}

private func awaitCycle() -> [Wait] {
  while true {
    if let cycle = WaitGraph.cycle() { return cycle }
    sched_yield()
  }
}

private func awaitDeadlock() -> Deadlock {
  while true {
    if let deadlock = ConcurrencyDebug.takeDeadlocks().first { return deadlock }
    sched_yield()
  }
}
