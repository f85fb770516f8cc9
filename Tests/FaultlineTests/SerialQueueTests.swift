import Foundation
import Testing
import XCTest

@testable import Faultline

final class SerialQueueTests: XCTestCase {
  func testJobsRunInTheOrderInWhichTheyCame() {
    let queue = SerialQueue(label: "order", kind: .private)
    let order = Lock<[Int]>([])
    let done = expectation(description: "the last job ran")
    for number in 0..<200 { queue.async { order.withLock { $0.append(number) } } }
    queue.async { done.fulfill() }
    wait(for: [done], timeout: 60)
    XCTAssertEqual(order.withLock { $0 }, Array(0..<200))
  }

  func testASynchronousCallerWaitsForJobsThatCameEarlier() {
    let queue = SerialQueue(label: "earlier", kind: .private)
    let ran = Lock(false)
    queue.async { ran.withLock { $0 = true } }
    XCTAssertTrue(queue.sync { ran.withLock { $0 } })
  }

  func testABlockInsideTheQueueRunsAtOnceOnTheSameThread() {
    let queue = SerialQueue(label: "nested", kind: .private)
    let depth = queue.sync { queue.sync { queue.sync { 3 } } }
    XCTAssertEqual(depth, 3)
    XCTAssertFalse(queue.isCurrent)
  }

  func testCurrentNamesTheInnermostQueueAndReturnsToTheOuterOne() {
    let outer = SerialQueue(label: "outer", kind: .private)
    let inner = SerialQueue(label: "inner", kind: .private)
    outer.sync {
      inner.sync { XCTAssertTrue(SerialQueue.current === inner) }
      XCTAssertTrue(SerialQueue.current === outer)
      XCTAssertTrue(outer.isCurrent)
    }
    XCTAssertNil(SerialQueue.current)
  }

  func testNoTwoPartiesAreInsideAtOnce() {
    let queue = SerialQueue(label: "one", kind: .private)
    nonisolated(unsafe) var unprotected = 0
    DispatchQueue.concurrentPerform(iterations: 8) { party in
      for round in 0..<2_000 {
        if (party + round) % 3 == 0 {
          queue.async { unprotected += 1 }
        } else {
          queue.sync { unprotected += 1 }
        }
      }
    }
    XCTAssertEqual(queue.sync { unprotected }, 16_000)
  }

  func testAnErrorLeavesTheQueueFree() {
    struct Failure: Error {}
    let queue = SerialQueue(label: "throws", kind: .private)
    XCTAssertThrowsError(try queue.sync { throw Failure() })
    XCTAssertEqual(queue.sync { 1 }, 1)
  }

  /// Does something when its last reference goes.
  private final class Captured: Sendable {
    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  func testWhatABlockCapturedMayUseTheQueueWhenItGoes() {
    let queue = SerialQueue(label: "captured", kind: .private)
    let gate = DispatchSemaphore(value: 0)
    let done = expectation(description: "the block that the end enqueued ran")
    do {
      let captured = Captured { queue.async { done.fulfill() } }
      queue.async {
        gate.wait()
        withExtendedLifetime(captured) {}
      }
    }
    gate.signal()
    wait(for: [done], timeout: 30)
  }

  func testABusyQueueKeepsNoBlockThatIsDone() {
    let queue = SerialQueue(label: "busy", kind: .private)
    let gate = DispatchSemaphore(value: 0)
    let isGone = Lock(false)
    let wasGone = Lock(false)
    let done = expectation(description: "the last block ran")
    queue.async { gate.wait() }
    do {
      let captured = Captured { isGone.withLock { $0 = true } }
      queue.async { withExtendedLifetime(captured) {} }
    }
    queue.async {
      let gone = isGone.withLock { $0 }
      wasGone.withLock { $0 = gone }
      done.fulfill()
    }
    gate.signal()
    wait(for: [done], timeout: 30)
    XCTAssertTrue(wasGone.withLock { $0 })
  }

  func testABlockThatFollowsASynchronousPartyGoesWhenItHasRunAndInsideTheQueue() {
    let queue = SerialQueue(label: "follows", kind: .private)
    let wasInside = Lock<Bool?>(nil)
    let seen = Lock<Bool?>(nil)
    let done = expectation(description: "the last block ran")
    queue.sync {
      let captured = Captured {
        let isInside = queue.isCurrent
        wasInside.withLock { $0 = isInside }
      }
      queue.async { withExtendedLifetime(captured) {} }
      queue.async {
        let inside = wasInside.withLock { $0 }
        seen.withLock { $0 = inside }
        done.fulfill()
      }
    }
    wait(for: [done], timeout: 30)
    XCTAssertEqual(seen.withLock { $0 }, true)
  }

  func testABlockGetsAThreadThoughManyOthersWait() {
    let gate = DispatchSemaphore(value: 0)
    let queues = (0..<64).map { SerialQueue(label: "waits \($0)", kind: .private) }
    for queue in queues { queue.async { gate.wait() } }
    let ran = expectation(description: "a block of one more queue ran")
    SerialQueue(label: "goes on", kind: .private).async { ran.fulfill() }
    wait(for: [ran], timeout: 30)
    for _ in queues { gate.signal() }
    for queue in queues { queue.sync {} }
  }
}

/// Who counts as main.
struct MainThreadTests {
  @Test("the main actor is main inside the block of another queue, whatever thread it is on")
  func theMainActorIsMainInsideAnotherQueuesBlock() async {
    let answers = await MainActor.run {
      let outside = MainThread.isCurrent
      return [outside, DispatchQueue(label: "lock").sync { MainThread.isCurrent }]
    }
    #expect(answers == [true, true])
    #expect(!MainThread.isCurrent)
  }
}
