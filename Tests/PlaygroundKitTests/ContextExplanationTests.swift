import XCTest

@testable import PlaygroundKit

/// Explanations of rows that are gone, of merges, and of saves into a parent.
final class ContextExplanationTests: XCTestCase {
  private let queues = ["main", #"queue "left""#, #"queue "right""#]

  private func sentences(_ run: TraceMaker) -> [String] {
    Explanation(run.trace("BAD", .forbidden)).sentences
  }

  private func commit(_ run: inout TraceMaker, _ party: Int, _ key: Int, _ version: Int?) {
    run.step(party, "save: row", touches: .write("Article", key, version))
    run.step(party, "save: commit", touches: [.table("Article", true)])
  }

  /// A child reads through main.
  private func read(_ run: inout TraceMaker, _ party: Int, _ label: String, _ version: Int) {
    run.step(party, "fetch", queue: label)
    run.step(party, "enter queue", "main", queue: label, stop: .waits(queue: "main"))
    run.step(
      0, "block begins", "main", queue: "main",
      touches: .read("Article", 1, version) + .object("Article 1", "main", false, version),
      asker: party)
    run.step(0, "block ends", "main", queue: "main", asker: party)
  }

  /// A child saves into main, which reads the row for it.
  private func save(
    _ run: inout TraceMaker, _ party: Int, _ label: String, _ name: String = "Article 1",
    over version: Int? = nil
  ) {
    run.step(party, "save: validated", label, queue: label)
    run.step(party, "enter queue", "main", queue: label, stop: .waits(queue: "main"))
    run.step(0, "block begins", "main", queue: "main", asker: party)
    run.step(
      0, "fault", "Article", queue: "main",
      touches: .read("Article", 1, 1) + .object(name, "main", true, version), asker: party)
    run.step(0, "block ends", "main", queue: "main", asker: party)
    run.step(party, "save: committed", label, queue: label)
  }

  func testAChangeOfADeletedRowIsInNoRow() {
    var run = TraceMaker(lanes: queues)
    run.step(1, "fetch", queue: "left", touches: .read("Article", 1, 1))
    commit(&run, 2, 1, nil)
    run.step(1, "save: begin", queue: "left")
    run.step(
      1, "save: row", queue: "left", touches: .write("Article", 1, 2),
      changes: [.conflict("Article 1", "refused", over: nil)])
    run.step(1, "save: begin", queue: "left")
    XCTAssertEqual(
      sentences(run).dropFirst(),
      [
        "A read version 1 of Article 1 (step 1); B deleted the row (step 3) before A's save"
          + " (step 5).",
        "A's save found no such row (step 5), and committed nothing.",
        "So the change is stored in no row.",
      ])
    let accepted = Explanation(run.trace("REFUSED", .accepted)).text
    XCTAssertTrue(
      accepted.contains("B deleted Article 1 (step 3); A's save found Article 1 deleted (step 5)."),
      accepted)
  }

  func testARowThatIsWrittenAgainHasANewLife() {
    var run = TraceMaker(lanes: queues)
    run.step(1, "fetch", queue: "left", touches: .read("Article", 1, 1))
    commit(&run, 2, 1, nil)
    run.step(1, "save: begin", queue: "left")
    run.step(
      1, "save: row", queue: "left", touches: .write("Article", 1, 2),
      changes: [.conflict("Article 1", "reinserted", over: nil)])
    run.step(1, "save: begin", queue: "left")
    commit(&run, 1, 1, 8_589_934_593)
    let text = sentences(run).joined(separator: " ")
    XCTAssertTrue(
      text.contains("and wrote the row again as version 1 of a new life (step 8). So a change of"),
      text)
    XCTAssertEqual(
      [2, 8_589_934_594].map(RowVersion.short) + [7].map(RowVersion.words),
      ["v2", "new v2", "version 7"])
    let trace = run.trace("BAD", .forbidden)
    XCTAssertEqual(StepWords(RunHistory(trace)).deed(of: 7), "commit new v1")
  }

  func testASaveIntoAParentDoesNotMissARow() {
    var run = TraceMaker(lanes: queues)
    read(&run, 1, "left", 1)
    commit(&run, 2, 1, nil)
    save(&run, 1, "left")
    run.step(
      0, "save: row", queue: "store", touches: .write("Article", 1, 2),
      changes: [.conflict("Article 1", "refused", over: nil)])
    XCTAssertEqual(
      sentences(run).dropFirst(),
      [
        "A read version 1 of Article 1 (step 3); B deleted the row (step 6) before A's save into"
          + " main (step 10).",
        "A save into a parent does not look for the row: A's save succeeded before a save to the"
          + " store found no row (step 13), and committed nothing.",
        "So the change is stored in no row.",
      ])
  }

  func testAMergeUnderUnsavedChangesLeavesNoConflict() {
    func run(_ isDirty: Bool) -> TraceMaker {
      var run = TraceMaker(lanes: queues)
      run.step(1, "fetch", queue: "left", touches: .read("Article", 1, 1))
      run.step(2, "fetch", queue: "right", touches: .read("Article", 1, 1))
      commit(&run, 2, 1, 2)
      run.step(
        1, "merge", queue: "left",
        touches: .read("Article", 1, 2) + (isDirty ? .object("Article 1", "left", true, 2) : []))
      commit(&run, 1, 1, 3)
      return run
    }
    XCTAssertEqual(
      sentences(run(true)).dropFirst(),
      [
        "A read version 1 of Article 1 (step 1) before B's commit (step 4), and had unsaved changes"
          + " of the row when it merged version 2 (step 5).",
        "The merge kept the fields that A had changed and replaced the others, so A's save found"
          + " version 2 unchanged, met no conflict, and committed version 3 (step 7).",
        "So some fields have the values that A chose from version 1, and others have the values"
          + " that B saved.",
      ])
    XCTAssertFalse(sentences(run(false)).joined().contains("unsaved changes"))
  }

  func testTwoSavesIntoOneParentCompareNothing() {
    var run = TraceMaker(lanes: queues)
    read(&run, 1, "left", 1)
    read(&run, 2, "right", 1)
    save(&run, 1, "left")
    save(&run, 2, "right", over: 1)
    commit(&run, 0, 1, 2)
    XCTAssertEqual(
      sentences(run).dropFirst(),
      [
        "B read version 1 of Article 1 (step 7) before A's save into main (step 12); A read version"
          + " 1 (step 3) before B's save into main (step 18).",
        "A save into a parent compares no versions: B's save overwrote the fields that it had"
          + " changed with its own values, kept the others, and reported no conflict.",
        "So of A's change only the fields remain that B did not change.",
      ])
  }

  func testWhoSavedIntoAParentAfterTheOtherHadSavedIsNotBehindIt() {
    var run = TraceMaker(lanes: queues)
    read(&run, 1, "left", 1)
    save(&run, 1, "left")
    read(&run, 2, "right", 2)
    save(&run, 2, "right")
    commit(&run, 0, 1, 2)
    let text = sentences(run).joined(separator: " ")
    XCTAssertTrue(text.contains("do not show the reason"), text)
  }

  func testAChildsSaveIntoUnsavedChangesMixesThem() {
    var run = TraceMaker(lanes: queues)
    read(&run, 1, "left", 1)
    run.step(0, "fetch", queue: "main", touches: .read("Article", 1, 1))
    save(&run, 1, "left", over: 1)
    commit(&run, 0, 1, 2)
    XCTAssertEqual(
      sentences(run).dropFirst(),
      [
        "main read version 1 of Article 1 (step 5), and had unsaved changes of it when A's save"
          + " changed the same object (step 9).",
        "main's commit (step 13) wrote the fields of both as version 2.",
        "A save into a parent compares no versions, so it reported no conflict.",
      ])
  }

  func testWhoHasChangedARowItselfIsNotBehindIt() {
    var run = TraceMaker(lanes: queues)
    read(&run, 1, "left", 1)
    read(&run, 2, "right", 1)
    save(&run, 1, "left")
    commit(&run, 0, 1, 2)
    let text = sentences(run).joined(separator: " ")
    XCTAssertTrue(
      text.contains("B read version 1 of Article 1 (step 7); main replaced it by version 2"), text)
  }

  func testWritesThroughAParentCanBeSkewAndDuplicates() {
    var skew = TraceMaker(lanes: queues)
    for (party, label) in [(1, "left"), (2, "right")] {
      skew.step(
        0, "block begins", "main", queue: "main",
        touches: .object("Article 1", "main", false, 1) + .object("Article 2", "main", false, 1),
        asker: party)
      skew.step(party, "save", label, queue: label)
    }
    save(&skew, 1, "left", "Article 1")
    save(&skew, 2, "right", "Article 2")
    let skewed = sentences(skew).joined(separator: " ")
    XCTAssertTrue(
      skewed.contains(
        "B read Article 1 version 1 (step 3) before A's save of it into main (step 8); A read"
          + " Article 2 version 1 (step 1) before B's save into main (step 14)."), skewed)
    var added = TraceMaker(lanes: queues)
    for party in [1, 2] {
      added.step(
        0, "block begins", "main", queue: "main", touches: [.table("Article", false)],
        asker: party)
    }
    save(&added, 1, "left", "new Article")
    save(&added, 2, "right", "new Article")
    let text = sentences(added).joined(separator: " ")
    XCTAssertTrue(
      text.contains(
        "B searched the rows of Article (step 2) before A's save into main (step 6); A searched"
          + " them (step 1) before B's save into main (step 12). Neither could see the row of the"
          + " other, so each inserted one."), text)
  }

  func testAnObjectOfAContextIsToldInWords() {
    var run = TraceMaker(lanes: queues)
    save(&run, 1, "left")
    run.step(
      0, "block begins", "main", queue: "main", touches: .object("Article 1", "main", false, 3),
      asker: 2)
    let words = StepWords(RunHistory(run.trace("X", nil)))
    XCTAssertEqual(words.deed(of: 3), "changes main")
    XCTAssertTrue(words.line(of: 3).hasSuffix("changes object Article 1 in main"))
    XCTAssertTrue(words.line(of: 6).hasSuffix("reads object Article 1 in main version 3"))
  }
}
