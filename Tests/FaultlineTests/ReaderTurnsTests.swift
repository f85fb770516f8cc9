import Foundation
import XCTest

@testable import Faultline

final class ReaderTurnsTests: XCTestCase {
  private func inParallel(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    let finished = expectation(description: "every thread ended")
    finished.expectedFulfillmentCount = count
    for _ in 0..<count {
      Thread.detachNewThread {
        body()
        finished.fulfill()
      }
    }
    wait(for: [finished], timeout: 60)
  }

  func testNoMoreReadAtOnceThanTheLimitAllows() {
    let turns = ReaderTurns(2, label: "test")
    let inside = Lock((now: 0, most: 0))
    inParallel(8) {
      for _ in 0..<200 {
        turns.sync {
          inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          inside.withLock { $0.now -= 1 }
        }
      }
    }
    XCTAssertLessThanOrEqual(inside.withLock { $0.most }, 2)
    XCTAssertEqual(inside.withLock { $0.now }, 0)
  }

  /// Each of two readers goes only when the other is there too.
  func testAsManyReadAtOnceAsTheLimitAllows() {
    let turns = ReaderTurns(2, label: "test")
    let (arrived, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let inside = Lock(0)
    inParallel(2) {
      turns.sync {
        let isSecond = inside.withLock { count in
          count += 1
          return count == 2
        }
        (isSecond ? left : arrived).signal()
        let other = (isSecond ? arrived : left).wait(timeout: .now() + 30)
        XCTAssertEqual(other, .success)
      }
    }
  }

  func testAReaderMayReadWithinItsRead() {
    let turns = ReaderTurns(1, label: "test")
    XCTAssertEqual(turns.sync { turns.sync { 7 } }, 7)
  }
}
