import XCTest

@testable import PlaygroundKit

final class MainLoopMeterTests: XCTestCase {
  private let frame = MainLoopMeter.frameNanoseconds

  /// Ticks at these frames, each late by so much.
  private func reading(_ frames: [Int], late: Int = 0) -> MainLoopMeter.Reading {
    MainLoopMeter.reading(of: frames.enumerated().map { $1 * frame + ($0 == 0 ? 0 : late) })
  }

  func testALoopThatTicksInTimeDropsNothing() {
    let reading = reading(Array(0...30))
    XCTAssertEqual(reading.frames, 30)
    XCTAssertEqual(reading.dropped, 0)
    XCTAssertEqual(reading.longestStallNanoseconds, 0)
    XCTAssertEqual(reading.series, Array(repeating: 0, count: 30))
  }

  //  frame   0  1  2  3 … 15  16  17
  //  tick    x  x  -  - …  -   x   x      fourteen frames passed without a tick
  func testFramesWithoutATickAreDropped() {
    let reading = reading([0, 1, 16, 17])
    XCTAssertEqual(reading.frames, 17)
    XCTAssertEqual(reading.dropped, 14)
    XCTAssertEqual(reading.longestStallNanoseconds, 14 * frame)
    XCTAssertEqual(reading.series.firstIndex(of: 1), 1)
  }

  func testATickThatIsALittleLateOrEarlyStillBelongsToItsFrame() {
    XCTAssertEqual(reading(Array(0...30), late: frame / 2).dropped, 0)
    XCTAssertEqual(reading(Array(0...30), late: -frame / 8).dropped, 0)
  }

  func testNoTickAtAllIsNoReading() {
    XCTAssertEqual(MainLoopMeter.reading(of: []).frames, 0)
    XCTAssertNil(MainLoopMeter().reading())
  }
}
