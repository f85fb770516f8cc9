import XCTest

@testable import PlaygroundKit

final class ExplanationTests: XCTestCase {
  func testALostUpdateNamesWhoReadWhatBeforeWhoseCommit() {
    XCTAssertEqual(
      Explanation(TraceSamples.lostUpdate).sentences,
      [
        #"Let A = queue "left", B = queue "right"."#,
        "A read version 5 of Article 1 (step 4) before B’s commit (step 10); "
          + "B read version 5 (step 7) before A’s (step 15).",
        "Both wrote it: B made version 6, and A made version 7 from what it had read before.",
        "The code of A never read what B wrote: of two changes to one value the first is gone.",
      ])
  }

  func testWhoReadsAgainBeforeItsCommitLosesNothing() {
    var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
    run.step(1, "fetch", queue: "left", touches: .read("Article", 1, 5))
    run.step(2, "fetch", queue: "right", touches: .read("Article", 1, 5))
    write(&run, 2, "Article", 1, 6)
    run.step(1, "fault", queue: "left", touches: .read("Article", 1, 6))
    write(&run, 1, "Article", 1, 7)
    let kept = Explanation(run.trace("KEPT", .accepted)).text
    XCTAssertTrue(kept.contains("B committed version 6 of Article 1 (step 4)"), kept)
    XCTAssertFalse(kept.contains("gone"), kept)
    // Even if the outcome is forbidden, the touches do not bear an update lost out.
    XCTAssertFalse(Explanation(run.trace("OTHER", .forbidden)).text.contains("is gone"))
  }

  func testAnUpdateIsLostTooIfThePolicyLeavesTheSecondSaveNothingToCommit() {
    var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
    run.step(1, "fetch", queue: "left", touches: .read("Article", 1, 1))
    run.step(2, "fetch", queue: "right", touches: .read("Article", 1, 1))
    write(&run, 2, "Article", 1, 2)
    run.step(1, "save: row", touches: .write("Article", 1, 2))
    run.step(1, "save: committed")
    let text = Explanation(run.trace("LOST", .forbidden)).text
    XCTAssertTrue(
      text.contains("A tried to write over version 1, found that it was replaced"), text)
    XCTAssertTrue(text.hasSuffix("Of two changes to one row only B’s was committed."), text)
    // Whoever tries again and commits has lost nothing.
    run.step(1, "fault", queue: "left", touches: .read("Article", 1, 2))
    run.step(1, "save: begin")
    write(&run, 1, "Article", 1, 3)
    let redone = Explanation(run.trace("OTHER", .forbidden)).text
    XCTAssertFalse(redone.contains("Of two changes"), redone)
    let known = Explanation(run.trace("REDONE", .accepted)).text
    XCTAssertTrue(
      known.contains("A’s save found that replaced (step 5); A committed version 3"), known)
  }

  func testWhoUsedObjectsOutsideTheirQueueIsNamedWithWhoRanInBetween() {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#])
    run.step(1, RunHistory.trespass, "get name", queue: "bg")
    run.step(0, "fault", touches: .read("Article", 1, 2))
    run.step(1, RunHistory.trespass, "get views", queue: "bg")
    let text = Explanation(run.trace("TORN", .forbidden)).text
    XCTAssertTrue(
      text.contains("A used objects outside their queue (steps 1 to 3: get name, get views)."), text
    )
    XCTAssertTrue(text.contains("In between main was let run (step 2)."), text)
  }

  func testObjectsUsedOutsideTheirQueueAreOfTheVersionThatTheirOwnerReadLast() {
    func run(_ uses: [String]) -> String {
      var run = TraceMaker(lanes: ["main", #"queue "bg""#, #"queue "export""#])
      run.step(0, "fetch", touches: .read("Article", 1, 1))
      write(&run, 1, "Article", 1, 2)
      for use in uses {
        if use == "main" {
          run.step(0, "fault", touches: .read("Article", 1, 2))
        } else {
          run.step(2, RunHistory.trespass, use, queue: "export")
        }
      }
      return Explanation(run.trace("OLD", .forbidden)).text
    }
    let had = "A had committed version 2 of Article 1 (step 3); main read it "
    let torn = run(["get name", "main", "get views"])
    XCTAssertTrue(torn.contains(had + "in the middle of that (step 5)"), torn)
    let stale = run(["get name", "get views", "main"])
    XCTAssertTrue(stale.contains(had + "only after that (step 6)"), stale)
    let current = run(["main", "get name", "get views"])
    XCTAssertFalse(current.contains("committed"), current)
  }

  func testAWriteSkewSaysThatEachReadWhatTheOtherWrote() {
    var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
    for (party, label) in [(1, "left"), (2, "right")] {
      run.step(
        party, "fetch", queue: label,
        touches: .read("Doctor", 1, 1) + .read("Doctor", 2, 1))
    }
    write(&run, 1, "Doctor", 1, 2)
    write(&run, 2, "Doctor", 2, 2)
    let text = Explanation(run.trace("NOBODY", .forbidden)).text
    XCTAssertTrue(
      text.contains("B read Doctor 1 at version 1 (step 2) before A’s commit of it (step 4)"), text)
    XCTAssertTrue(text.contains("A read Doctor 2 at version 1 (step 1) before B’s"), text)
    XCTAssertTrue(text.contains("neither save found its own row changed"), text)
  }

  func testDuplicatesSayThatEachLookedBeforeTheOthersCommit() {
    let text = Explanation(TraceSamples.three).text
    XCTAssertTrue(text.contains("A looked through rows of Tag (step 6) before B’s commit"), text)
    XCTAssertTrue(text.contains("each added one: B Tag 2, A Tag 1"), text)
  }

  func testAStaleReadSaysWhichVersionReplacedIt() {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#])
    run.step(0, "fetch", queue: "main", touches: .read("Article", 1, 1))
    write(&run, 1, "Article", 1, 2)
    let text = Explanation(run.trace("STALE", .forbidden)).text
    XCTAssertTrue(
      text.contains("main read version 1 of Article 1 (step 1); A replaced it by version 2"), text)
  }

  func testACircleIsToldInWords() {
    XCTAssertEqual(
      Explanation(TraceSamples.deadlock).sentences,
      [
        #"Let A = queue "articles", B = queue "shelves"."#,
        #"A waits for queue "shelves", which B is inside; "#
          + #"B waits for queue "articles", which A is inside."#,
        "Each would let go only after it got what it waits for, so none ever does.",
      ])
  }

  func testACircleThatTheStepsDoNotShowIsToldAsTheRunToldIt() {
    let run = TraceMaker(lanes: ["main"])
    let text = Explanation(
      run.trace("D", .forbidden, ending: Ending(.deadlock, "x"), waits: ["p waits for q"])
    ).text
    XCTAssertTrue(text.hasPrefix("p waits for q."), text)
  }

  func testWhatCannotBeExplainedIsNot() {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#])
    write(&run, 1, "Article", 1, 1)
    let text = Explanation(run.trace("ODD", .forbidden)).text
    XCTAssertTrue(text.contains("A committed version 1 of Article 1 (step 2)"), text)
    XCTAssertTrue(text.contains("does not say why; that is all that is known."), text)
    let crash = Explanation(
      TraceMaker(lanes: ["main"]).trace("C", nil, ending: Ending(.crashed, "SIGILL"))
    ).text
    XCTAssertTrue(crash.contains("SIGILL") && crash.contains("says no more"), crash)
  }

  func testASaveIntoAParentIsToldOfARunThatWasKilled() {
    var run = TraceMaker(lanes: ["main", #"queue "form""#])
    run.step(1, "save", "form", queue: "form")
    run.step(1, "enter queue", "main", queue: "form", stop: .waits(queue: "main"))
    run.step(0, "block begins", "main", queue: "main")
    run.step(1, "save: committed", "form", queue: "form")
    let killed = Ending(.killed, "by itself")
    let lost = Explanation(run.trace("LOST", .forbidden, ending: killed)).text
    XCTAssertTrue(lost.contains("A’s save (steps 1 to 4) made no transaction"), lost)
    XCTAssertTrue(lost.contains("its parent on queue \"main\""), lost)
    XCTAssertTrue(lost.contains("No row was committed before the process was killed"), lost)
    write(&run, 0, "Article", 1, 1)
    let stored = Explanation(run.trace("STORED", .accepted, ending: killed)).text
    XCTAssertTrue(stored.hasPrefix("main committed version 1 of Article 1 (step 6)."), stored)
    XCTAssertTrue(stored.contains("Then the process was killed"), stored)
  }

  func testAMainLoopThatStandsStillIsToldWithItsLongestTurn() {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#])
    run.step(0, "goes on", stop: .ended)
    run.step(0, "enter queue", "bg")
    run.step(0, "block begins", "bg", queue: "bg")
    write(&run, 0, "Article", 1, 1)
    run.step(0, "block ends", "bg", stop: .ended)
    run.step(0, "goes on", stop: .ended)
    var trace = run.trace(
      "STALL", .forbidden, metrics: [Metric(Metric.longestStall, 46_000_000, .nanoseconds)])
    for index in 5..<trace.steps.count { trace.steps[index].start = 62_000_000 }
    for index in 4..<trace.steps.count { trace.steps[index].end = 62_000_000 }
    trace.steps[1].start = 0
    let text = Explanation(trace).text
    XCTAssertTrue(text.contains("from step 2 to step 6: 62.0 ms of virtual time"), text)
    XCTAssertTrue(
      text.contains("it was inside queue \"bg\" and committed 1 row (step 5)"), text)
    trace.metrics = []
    XCTAssertFalse(Explanation(trace).text.contains("its loop"))
  }

  private func write(
    _ run: inout TraceMaker, _ party: Int, _ entity: String, _ key: Int, _ version: Int
  ) {
    run.step(party, "save: row", touches: .write(entity, key, version))
    run.step(party, "save: commit", touches: [.table(entity, true)])
  }
}
