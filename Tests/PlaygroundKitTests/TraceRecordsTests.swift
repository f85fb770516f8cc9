import XCTest

@testable import PlaygroundKit

final class TraceRecordsTests: XCTestCase {
  func testATraceArrivesAsItWasSent() throws {
    for trace in [TraceSamples.lostUpdate, TraceSamples.deadlock, TraceSamples.three] {
      XCTAssertEqual(try Trace(data: trace.data), trace)
    }
  }

  func testWhatIsMissingIsNotWhatIsEmpty() throws {
    var trace = TraceSamples.lostUpdate
    trace.steps[0].queue = ""
    trace.steps[1].queue = nil
    trace.steps[2].notes = ["", "two\nlines\tand a tab", "5 − 3"]
    trace.steps[3].notes = []
    trace.steps[3].touches = []
    trace.steps[4].stop = .waits(queue: "ended")
    trace.steps[5].stop = .waits(queue: "")
    trace.steps[6].stop = .abandoned
    trace.steps[7].choice = nil
    trace.steps[8].asker = 1
    XCTAssertEqual(try Trace(data: trace.data), trace)
    trace.steps = []
    trace.choices = []
    XCTAssertEqual(try Trace(data: trace.data), trace)
  }

  func testASeparatorInsideATextArrivesAsASpace() throws {
    var trace = TraceSamples.lostUpdate
    trace.steps[0].notes = ["a\u{1C}b\u{1D}c\u{1E}d\u{1F}e"]
    let arrived = try Trace(data: trace.data)
    XCTAssertEqual(arrived.steps[0].notes, ["a b c d e"])
    XCTAssertEqual(arrived.steps.dropFirst(), trace.steps.dropFirst())
  }

  func testHalfATraceIsNone() throws {
    let data = try TraceSamples.lostUpdate.data
    XCTAssertThrowsError(try Trace(data: data.prefix(20)))
  }
}
