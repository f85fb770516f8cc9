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
    trace.steps[9].stack = [0x97d805, -3]
    trace.steps[9].place = "TheLostUpdate.swift:92"
    trace.steps[9].touches = .write("Article", 1, 2, ["name": "", "views": "1"])
    trace.steps[10].changes = []
    trace.steps[11].changes = [
      Trace.Change(
        row: "Article 1", kind: "updated",
        fields: [.init(name: "views", read: "0", own: "1", stored: nil, kept: "")],
        decision: .init(policy: "overwrite", read: 1, stored: nil, result: "reinserted"))
    ]
    XCTAssertEqual(try Trace(data: trace.data), trace)
    trace.steps = []
    trace.choices = []
    XCTAssertEqual(try Trace(data: trace.data), trace)
  }

  func testAnyTextAndAnyNumberArrives() throws {
    var trace = TraceSamples.lostUpdate
    trace.steps[0].notes = ["a\u{1C}b\u{0}c", String(repeating: "long ", count: 100), "🏳️‍🌈"]
    let numbers = [0, 127, 128, 16_383, 16_384, .max, -1, .min]
    for (index, number) in numbers.enumerated() { trace.steps[index].end = number }
    XCTAssertEqual(try Trace(data: trace.data), trace)
  }

  /// Millions of steps take fifteen bytes each in the file, and gigabytes in memory.
  func testATraceOfMoreStepsThanTheRunMayHaveMadeIsNone() throws {
    let trace = TraceSamples.lostUpdate
    let data = try trace.data
    XCTAssertEqual(try Trace(data: data, stepsMax: trace.steps.count), trace)
    XCTAssertThrowsError(try Trace(data: data, stepsMax: trace.steps.count - 1))
  }

  func testPartOfATraceIsNone() throws {
    let data = try TraceSamples.lostUpdate.data
    for length in 0..<data.count {
      XCTAssertThrowsError(try Trace(data: data.prefix(length)), "\(length) bytes")
    }
  }

  func testADamagedTraceIsNoTrap() throws {
    let data = try TraceSamples.lostUpdate.data
    for place in 0..<data.count {
      var damaged = data
      damaged[place] ^= 1 << (place % 8)
      _ = try? Trace(data: damaged)
    }
  }
}
