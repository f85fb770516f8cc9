import XCTest

@testable import PlaygroundKit

final class SettledNamesTests: XCTestCase {
  private func trace(contexts: [Int], threads: [String], run: Int) -> Trace {
    let labels = contexts.map { "context \($0)" }
    var maker = TraceMaker(lanes: ["main"] + labels.map { "queue \"\($0)\"" })
    maker.step(
      1, "save", "private-queue context \"\(labels[0])\"", queue: labels[0],
      touches: [.queue(labels[0])])
    maker.step(2, "coordinator", "store run-\(run)", queue: labels[1])
    maker.step(
      2, "enter queue", labels[0], queue: labels[1], stop: .waits(queue: labels[0]))
    let wait = "thread \(threads[0]) waits for \"\(labels[1])\", held by thread \(threads[1])"
    return maker.trace(
      "DEADLOCK", .forbidden, ending: Ending(.deadlock, wait), waits: [wait])
  }

  func testTheSameRunHasTheSameNamesWhateverTheProcessDidBefore() {
    let first = SettledNames.settled(
      trace(contexts: [9, 10], threads: ["100000009", "10000000a"], run: 1))
    let later = SettledNames.settled(
      trace(contexts: [214, 215], threads: ["1000000ff", "100000100"], run: 97))
    XCTAssertEqual(first, later)
    XCTAssertEqual(
      first.parties.map(\.lane), ["main", "queue \"context 1\"", "queue \"context 2\""])
    XCTAssertEqual(first.steps[0].subject, "private-queue context \"context 1\"")
    XCTAssertEqual(first.steps[1].subject, "store")
    XCTAssertEqual(first.steps[2].stop, .waits(queue: "context 1"))
    XCTAssertEqual(first.waits, ["thread 1 waits for \"context 2\", held by thread 2"])
    XCTAssertEqual(first.ending.detail, first.waits[0])
  }

  func testNamesThatSomebodyGaveStay() {
    let named = TraceSamples.deadlock
    XCTAssertEqual(SettledNames.settled(named), named)
  }
}
