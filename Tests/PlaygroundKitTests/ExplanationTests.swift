import XCTest

@testable import PlaygroundKit

final class ExplanationTests: XCTestCase {
  func testALostUpdateNamesWhoReadWhatBeforeWhoseCommit() {
    XCTAssertEqual(
      Explanation(TraceSamples.lostUpdate).sentences,
      [
        "Let A = the block on left, B = the block on right.",
        "A read version 5 of Article 1 (step 4: views = 5) before B's commit (step 10); "
          + "B read version 5 (step 7: views = 5) before A's commit (step 15).",
        "Both wrote the row: B made version 6 (views = 6), and A made version 7 (views = 6) from"
          + " the older version that it had read.",
        "A never read B's change of Article 1, so this change is lost.",
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
    XCTAssertFalse(kept.contains("lost"), kept)
    // Even if the outcome is forbidden, the touches do not bear an update lost out.
    XCTAssertFalse(Explanation(run.trace("OTHER", .forbidden)).text.contains("is lost"))
  }

  func testAnUpdateIsLostTooIfThePolicyLeavesTheSecondSaveNothingToCommit() {
    var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
    run.step(1, "fetch", queue: "left", touches: .read("Article", 1, 1))
    run.step(2, "fetch", queue: "right", touches: .read("Article", 1, 1))
    write(&run, 2, "Article", 1, 2)
    run.step(
      1, "save: row", touches: .write("Article", 1, 2), changes: [.conflict("Article 1", over: 2)])
    let refused = Explanation(run.trace("LOST", .forbidden)).text
    XCTAssertTrue(
      refused.hasSuffix("A committed no change of this row, so only the change of B is stored."),
      refused)
    run.step(1, "save: committed")
    let text = Explanation(run.trace("LOST", .forbidden)).text
    XCTAssertTrue(
      text.contains(
        "A tried to write its change over version 1; the row already held version 2."), text)
    XCTAssertTrue(
      text.hasSuffix(
        "A wrote nothing, but its save() reported success. One of the two updates is lost."), text)
    // A save that tries again and commits has lost nothing.
    run.step(1, "fault", queue: "left", touches: .read("Article", 1, 2))
    run.step(1, "save: begin")
    write(&run, 1, "Article", 1, 3)
    let redone = Explanation(run.trace("OTHER", .forbidden)).text
    XCTAssertFalse(redone.contains("is lost"), redone)
    let known = Explanation(run.trace("REDONE", .accepted)).text
    XCTAssertTrue(
      known.contains("A's save found Article 1 replaced (step 5); A committed version 3"), known)
  }

  //  A, B   read 1, 2 and 3
  //  B      commits 2
  //  A      tries 1, 2 and 3: only 2 conflicts
  func testOfTheRowsOfARefusedSaveOnlyThoseThatConflictAreToldSo() {
    var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
    for (party, label) in [(1, "left"), (2, "right")] {
      for key in 1...3 {
        run.step(party, "fetch", queue: label, touches: .read("Article", key, 1))
      }
    }
    write(&run, 2, "Article", 2, 2)
    for key in 1...3 { run.step(1, "save: row", touches: .write("Article", key, 2)) }
    run.step(1, "block ends", changes: [.conflict("Article 2", "refused", over: 2)])
    let trace = run.trace("REFUSED", .accepted)
    let words = StepWords(RunHistory(trace))
    XCTAssertEqual(
      (8...10).map { words.line(of: $0) },
      [
        "tries to write Article 1 version 2: the transaction is rolled back",
        "tries to write Article 2 version 2, but finds a conflict: the transaction is rolled back",
        "tries to write Article 3 version 2: the transaction is rolled back",
      ])
    XCTAssertEqual(
      Explanation(trace).sentences[1],
      "B committed version 2 of Article 2 (step 8); A's save found Article 2 replaced (step 10).")
    XCTAssertEqual(RunHistory(trace).conflicts.map(\.thing), ["row Article 2"])
  }

  func testWhatAPolicyDecidedIsToldWithTheValues() {
    func text(_ field: Trace.Change.Field, _ result: String = "merged") -> String {
      var run = TraceMaker(lanes: ["main", #"queue "left""#, #"queue "right""#])
      for (party, label) in [(1, "left"), (2, "right")] {
        run.step(
          party, "fetch", queue: label, touches: .read("Article", 1, 1, ["views": "5"]))
      }
      write(&run, 2, "Article", 1, 2, ["views": "6"])
      run.step(1, "save: row", touches: .write("Article", 1, 2, ["views": field.own ?? "5"]))
      run.step(
        1, "block ends",
        changes: [
          Trace.Change(
            row: "Article 1", kind: "updated", fields: [field],
            decision: .init(policy: "storeTrump", read: 1, stored: 2, result: result))
        ])
      if result == "merged" { run.step(1, "save: committed") }
      return Explanation(run.trace("LOST", .forbidden)).text
    }
    let own = text(.init(name: "views", read: "5", own: "6", stored: "6", kept: "6"))
    XCTAssertTrue(
      own.contains(
        "storeTrump kept A's views = 6 (the store also had 6). The row already held the"
          + " result, so A wrote nothing"), own)
    let stored = text(.init(name: "views", read: "5", own: "7", stored: "6", kept: "6"))
    XCTAssertTrue(stored.contains("took views = 6 from the store (A had 7)"), stored)
    let whole = text(.init(name: "title", read: "old", stored: "new", kept: "old"))
    XCTAssertTrue(whole.contains("kept A's title = old (the store had new)"), whole)
    let sum = Trace.Change.Field(name: "views", read: "5", own: "6", stored: "6", kept: "7")
    XCTAssertTrue(text(sum).contains("set views = 7 (A had 6, the store 6)"), text(sum))
    XCTAssertEqual(sum.decided, "sets views = 7 (the context had 6, the store 6)")
    let refused = text(.init(name: "views", read: "5", own: "7", stored: "6"), "refused")
    XCTAssertTrue(
      refused.contains("The merge policy storeTrump refused the save (step 6)."), refused)
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
    XCTAssertTrue(text.contains("Between these steps main ran (step 2)."), text)
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
    XCTAssertTrue(torn.contains(had + "between these steps (step 5)"), torn)
    let stale = run(["get name", "get views", "main"])
    XCTAssertTrue(stale.contains(had + "only after these steps (step 6)"), stale)
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
      text.contains("B read Doctor 1 version 1 (step 2) before A's commit of it (step 4)"), text)
    XCTAssertTrue(text.contains("A read Doctor 2 version 1 (step 1) before B's"), text)
    XCTAssertTrue(
      text.contains("neither save met a conflict. This is write skew (Adya: G2-item)."), text)
  }

  func testDuplicatesSayThatEachLookedBeforeTheOthersCommit() {
    let text = Explanation(TraceSamples.three).text
    XCTAssertTrue(text.contains("A searched the rows of Tag (step 6) before B's commit"), text)
    XCTAssertTrue(text.contains("each inserted one: B Tag 2, A Tag 1"), text)
  }

  func testAStaleReadSaysWhichVersionReplacedIt() {
    var run = TraceMaker(lanes: ["main", #"queue "bg""#])
    run.step(0, "fetch", queue: "main", touches: .read("Article", 1, 1))
    write(&run, 1, "Article", 1, 2)
    let text = Explanation(run.trace("STALE", .forbidden)).text
    XCTAssertTrue(
      text.contains("main read version 1 of Article 1 (step 1); A replaced it by version 2"), text)
  }

  func testACycleIsToldInWords() {
    XCTAssertEqual(
      Explanation(TraceSamples.deadlock).sentences,
      [
        "Let A = the block on articles, B = the block on shelves.",
        #"A waits for queue "shelves", which B holds; "#
          + #"B waits for queue "articles", which A holds."#,
        "Each releases its queue only after it gets the other one, so neither ever does.",
      ])
  }

  func testACycleThatTheStepsDoNotShowIsToldAsTheRunToldIt() {
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
    XCTAssertTrue(
      text.contains("The rows that the steps read and wrote do not show the reason."), text)
    let crash = Explanation(
      TraceMaker(lanes: ["main"]).trace("C", nil, ending: Ending(.crashed, "SIGILL"))
    ).text
    XCTAssertTrue(crash.contains("SIGILL") && crash.contains("show no more"), crash)
  }

  func testASaveIntoAParentIsToldOfARunThatWasKilled() {
    var run = TraceMaker(lanes: ["main", #"queue "form""#])
    run.step(1, "save", "form", queue: "form")
    run.step(1, "enter queue", "main", queue: "form", stop: .waits(queue: "main"))
    run.step(0, "block begins", "main", queue: "main")
    run.step(1, "save: committed", "form", queue: "form")
    let killed = Ending(.killed, "by itself")
    let lost = Explanation(run.trace("LOST", .forbidden, ending: killed)).text
    XCTAssertTrue(lost.contains("A's save (steps 1 to 4) began no transaction"), lost)
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
    _ run: inout TraceMaker, _ party: Int, _ entity: String, _ key: Int, _ version: Int,
    _ values: [String: String] = [:]
  ) {
    run.step(party, "save: row", touches: .write(entity, key, version, values))
    run.step(party, "save: commit", touches: [.table(entity, true)])
  }
}
