import XCTest

@testable import PlaygroundKit

final class DrawingTests: XCTestCase {
  private func text(_ drawing: Drawing, _ style: PageStyle = PageStyle()) -> String {
    drawing.rendered(as: .text, style: style)
  }

  func testNoLineIsWiderThanAskedForAndEveryStepIsInSomeBand() {
    for (name, drawing) in TraceSamples.all {
      for width in 60...140 {
        let lines = text(drawing, PageStyle(width: width)).split(separator: "\n")
        for line in lines { XCTAssertLessThanOrEqual(line.count, width, "\(name): \(line)") }
        let numbers = lines.filter { $0.hasPrefix("step ") }.flatMap {
          $0.split(separator: " ").dropFirst().map(String.init)
        }
        XCTAssertEqual(numbers, drawing.columns.map(\.numbers), "\(name) at \(width)")
      }
    }
  }

  func testAnASCIIDrawingHasNoOtherCharacterAndTheSameLines() {
    for (name, drawing) in TraceSamples.all {
      let ascii = text(drawing, PageStyle(ascii: true))
      XCTAssertTrue(ascii.allSatisfy(\.isASCII), name)
      XCTAssertFalse(ascii.contains("?"), name)
      XCTAssertEqual(
        text(drawing).split(separator: "\n").map(\.count),
        ascii.split(separator: "\n").map(\.count), name)
    }
  }

  func testColourOnlyRepeatsWhatIsThereWithoutIt() {
    for (name, drawing) in TraceSamples.all {
      let painted = text(drawing, PageStyle(colour: true))
      XCTAssertTrue(painted.contains("\u{1B}["), name)
      XCTAssertEqual(
        painted.replacingOccurrences(
          of: "\u{1B}\\[[0-9]+m", with: "", options: .regularExpression), text(drawing), name)
    }
  }

  func testEveryLaneSaysInEveryStepWhatItDidOrWhyNot() {
    for (name, drawing) in TraceSamples.all {
      for column in drawing.columns {
        XCTAssertEqual(column.gaps.count, drawing.lanes.count, name)
        XCTAssertEqual(column.gaps.indices.filter { column.gaps[$0] == nil }, [column.lane], name)
      }
    }
  }

  func testAGapHasTheReasonThatTheTraceGives() {
    let lost = Drawing(TraceSamples.lostUpdate, id: "", title: "")
    func gap(_ drawing: Drawing, _ number: Int, _ lane: Int) -> Drawing.Gap? {
      drawing.columns.first { $0.number == number }?.gaps[lane]
    }
    XCTAssertEqual(gap(lost, 4, 0), .nothing)
    XCTAssertEqual(gap(lost, 4, 2), .ready)
    XCTAssertEqual(gap(lost, 10, 1), .ready)
    XCTAssertEqual(gap(lost, 14, 2), .ended)
    let deadlock = Drawing(TraceSamples.deadlock, id: "", title: "")
    XCTAssertEqual(gap(deadlock, 8, 2), .waits("A"))
    XCTAssertEqual(gap(deadlock, 8, 0), .nothing)
    var late = TraceMaker(lanes: ["main", "tasks"])
    late.step(0, "fetch", touches: [.table("Tag", false)])
    late.step(1, "fetch", touches: [.table("Tag", false)])
    XCTAssertEqual(gap(Drawing(late.trace("A", nil), id: "", title: ""), 1, 1), .notBegun)
    // Inside a transaction there is no choice, though the other thread was interrupted.
    var inside = TraceMaker(lanes: ["main", "tasks"])
    for point in ["fetch", "save"] {
      inside.step(1, point, touches: .read("Tag", 1, 1), options: [1, 0])
    }
    inside.step(0, "fetch", touches: .read("Tag", 1, 1), options: [1, 0], chosen: 1)
    inside.step(0, "save: row", touches: .write("Tag", 1, 2))
    let drawing = Drawing(inside.trace("A", nil), id: "", title: "")
    XCTAssertEqual([3, 4].map { gap(drawing, $0, 1) }, [.ready, .noChoice])
  }

  func testASwitchIsNeededOnlyIfItsChoiceIsAmongTheNeededOnes() throws {
    func turn(_ needed: Set<Int>) throws -> Drawing.Turn? {
      let drawing = Drawing(TraceSamples.lostUpdate, id: "", title: "", needed: needed)
      return try XCTUnwrap(drawing.columns.first { $0.number == 6 }).turn
    }
    XCTAssertEqual(try turn([3]), Drawing.Turn(isNeeded: true, from: 1))
    XCTAssertEqual(try turn([]), Drawing.Turn(isNeeded: false, from: 1))
    // A choice that went the default way is no turn, whoever says that it is needed.
    let drawing = Drawing(TraceSamples.lostUpdate, id: "", title: "", needed: [3, 4])
    XCTAssertEqual(drawing.columns.compactMap(\.turn).count, 1)
  }

  func testRoutineStepsAreLeftOutAndCounted() {
    let drawing = Drawing(TraceSamples.lostUpdate, id: "", title: "")
    XCTAssertFalse(drawing.columns.contains { $0.deed == "block ends" || $0.deed == "enqueue" })
    XCTAssertEqual(drawing.leftOut, drawing.trace.steps.count - drawing.columns.count)
    XCTAssertTrue(text(drawing).contains("\(drawing.leftOut) of 17 steps are not drawn"))
  }

  func testARowHasANewVersionWhereItWasCommittedAndNotWhereItWasWritten() throws {
    let drawing = Drawing(TraceSamples.lostUpdate, id: "", title: "")
    let row = try XCTUnwrap(drawing.rows.first)
    XCTAssertEqual(row.first, "v5 views=5")
    XCTAssertEqual(row.commits.map(\.version), ["v6 views=6", "v7 views=6"])
    XCTAssertEqual(row.commits.map { drawing.columns[$0.column].number }, [10, 15])
  }

  func testAVersionKeepsTheValuesThatItsSaveDidNotChange() {
    var run = TraceMaker(lanes: ["main"])
    let first = ["articleCount": "15"]
    for (version, values) in [(2, ["articleCount": "14"]), (3, [:])] {
      run.step(0, "fetch", touches: .read("Tag", 1, version - 1, version == 2 ? first : [:]))
      run.step(0, "save: row", touches: .write("Tag", 1, version, values))
      run.step(0, "save: commit")
    }
    // A batch request does not say what it writes.
    run.step(0, "save: begin", touches: .write("Tag", 1, 4))
    run.step(0, "save: commit")
    let drawing = Drawing(run.trace("A", nil), id: "", title: "")
    XCTAssertEqual(
      drawing.rows[0].commits.map(\.version), ["v2 articleCount=14", "v3 articleCount=14", "v4"])
    // The name is cut where there is no room, and the value is not.
    let page = text(drawing)
    XCTAssertTrue(page.contains("v2 art"), page)
    XCTAssertTrue(page.contains("…=14 v3"), page)
    XCTAssertFalse(page.contains("articleCo… "), page)
    // The last column has room for what it ends with.
    var last = TraceMaker(lanes: ["main"])
    last.step(0, "save: row", touches: .write("Tag", 1, 2, first))
    last.step(0, "save: commit")
    let end = text(Drawing(last.trace("A", nil), id: "", title: ""))
    XCTAssertTrue(end.contains(" v2 articleCount=15"), end)
  }

  func testWhatWasWrittenAndRolledBackIsNoVersion() {
    var run = TraceMaker(lanes: ["main"])
    for point in ["save", "save: begin"] { run.step(0, point) }
    run.step(0, "save: row", touches: .write("Tag", 1, 4))
    run.step(0, "save: begin")
    run.step(0, "save: row", touches: .write("Tag", 1, 5))
    run.step(0, "save: commit")
    let history = RunHistory(run.trace("A", nil))
    XCTAssertEqual(history.commits.map(\.version), [5])
    XCTAssertEqual(history.attempts.map(\.version), [4])
  }

  func testStepsOfOneSortInARowAreOneColumn() throws {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#, "tasks"])
    for key in 1...3 { run.step(1, "fault", queue: "bg", touches: .read("Tag", key, 1)) }
    run.step(0, "fault", touches: .read("Tag", 1, 1))
    for key in 1...2 { run.step(1, "fault", queue: "bg", touches: .read("Tag", key, 1)) }
    run.step(1, "fetch", queue: "bg", touches: .read("Tag", 1, 1))
    run.step(2, "enqueue", stop: .ended)
    let drawing = Drawing(run.trace("A", nil), id: "", title: "")
    XCTAssertEqual(drawing.columns.map(\.numbers), ["1–3", "4", "5–6", "7"])
    XCTAssertEqual(
      drawing.columns.map(\.deed), ["fault 3 rows", "fault v1", "fault 2 rows", "fetch v1"])
    // Nothing of the tasks is drawn, so they have no lane.
    XCTAssertEqual(drawing.lanes.map(\.label), ["main", "A bg"])
    XCTAssertEqual(drawing.leftOut, 1)
  }

  func testAnObjectThatIsReadOutsideItsQueueIsNobodysOwn() {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#])
    run.step(0, "fetch", touches: .read("Tag", 1, 1))
    run.step(1, RunHistory.trespass, "get name", queue: "bg")
    run.step(1, "fault", queue: "bg", touches: .read("Tag", 1, 1))
    let drawing = Drawing(run.trace("A", nil), id: "", title: "")
    XCTAssertEqual(drawing.owners, ["Tag 1: main has its own object from step 1 on"])
    XCTAssertTrue(drawing.columns.contains { $0.deed == "outside" })
  }

  func testRowsWhoseObjectsHaveTheSameOwnersShareALine() {
    var run = TraceMaker(lanes: ["main"])
    let rows = (1...7).flatMap { [Trace.Touch].read("Tag", $0, 1) }
    run.step(0, "fetch", queue: "main", touches: rows)
    let drawing = Drawing(run.trace("DONE", .accepted), id: "", title: "", needed: [])
    XCTAssertEqual(
      drawing.owners,
      ["Tag 1, Tag 2, Tag 3, Tag 4 and 3 more: main has its own object from step 1 on"])
  }

  func testAPageOpensOnTheFirstStepThatMatters() {
    func first(_ trace: Trace, _ needed: Set<Int> = []) -> Int {
      let drawing = Drawing(trace, id: "", title: "", needed: needed)
      let page = drawing.rendered(as: .html)
      XCTAssertTrue(page.contains("data-first=\"\(drawing.firstColumn)\""))
      return drawing.columns[drawing.firstColumn].number
    }
    XCTAssertEqual(first(TraceSamples.lostUpdate, [3]), 6, "the needed switch")
    XCTAssertEqual(first(TraceSamples.lostUpdate), 10, "the first commit")
    XCTAssertEqual(first(TraceSamples.deadlock), 7, "the first wait")
  }

  func testARunOfNothingIsDrawnToo() {
    let empty = Drawing(TraceMaker(lanes: ["main"]).trace("A", nil), id: "", title: "")
    XCTAssertTrue(text(empty).contains("A (undeclared)"))
  }

  func testADrawingIsTheOneThatWasLookedAt() throws {
    for (name, drawing) in TraceSamples.all {
      for width in [80, 100] {
        try compare(text(drawing, PageStyle(width: width)), with: "draw-\(name)-\(width).txt")
      }
    }
  }

  func testAPictureInEveryFormatIsTheOneThatWasLookedAt() throws {
    for (name, drawing) in TraceSamples.all {
      for (format, ending) in [
        (DrawingFormat.mermaid, "mmd"), (.svg, "svg"), (.html, "html"), (.chromeTrace, "json"),
      ] {
        try compare(drawing.rendered(as: format), with: "draw-\(name).\(ending)")
      }
    }
  }

  /// Compares with a file that a person has looked at; FAULTLINE_BLESS=1 writes it anew.
  private func compare(_ text: String, with name: String, line: UInt = #line) throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/\(name)")
    if ProcessInfo.processInfo.environment["FAULTLINE_BLESS"] == "1" {
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    XCTAssertEqual(text, try String(contentsOf: url, encoding: .utf8), name, line: line)
  }
}
