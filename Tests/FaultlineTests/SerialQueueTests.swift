import Foundation
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
}
