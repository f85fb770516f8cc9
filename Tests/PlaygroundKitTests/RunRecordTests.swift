import XCTest

@testable import PlaygroundKit

final class RunRecordTests: XCTestCase {
  func testARecordSurvivesBeingWrittenAndReadAndIsWrittenTheSameAgain() throws {
    for record in [Samples.twoSides(), Samples.columns(5), Samples.crashes()] {
      let json = try record.json()
      let read = try RunRecord(json: json)
      XCTAssertEqual(read, record)
      XCTAssertEqual(try read.json(), json)
    }
  }

  func testARecordOfANewerFormatSaysWhichVersionWroteIt() throws {
    var record = Samples.twoSides()
    record.format = RunRecord.currentFormat + 1
    record.tool = "9.9.9"
    XCTAssertThrowsError(try RunRecord(json: record.json())) { error in
      let complaint = error as? Complaint
      XCTAssertEqual(complaint?.status, .input)
      XCTAssertEqual(complaint?.description.contains("9.9.9"), true)
    }
  }

  func testWhatIsNoRecordIsRefused() throws {
    for text in ["", "{}", "[1, 2]", "{\"format\": 1, \"tool\": \"0.1.0\"}"] {
      XCTAssertThrowsError(try RunRecord(json: Data(text.utf8)), text) { error in
        XCTAssertEqual((error as? Complaint)?.status, .input, text)
      }
    }
  }

  func testAForbiddenOutcomeIsTheLessonOnTheWrongSideAndAFailureElsewhere() {
    func holds(_ side: Side, _ grade: Grade?) -> Bool {
      var trial = Trial.sample(outcome: "X", metrics: [])
      trial.grade = grade
      var record = Samples.columns(1)
      record.sides = SideRecord.columns([(side.description, .off, [trial])])
      return record.holds
    }
    XCTAssertTrue(holds(.wrong("w") { _ in }, .forbidden))
    XCTAssertFalse(holds(.right("r") { _ in }, .forbidden))
    XCTAssertFalse(holds(.column("c", "c") { _ in }, .forbidden))
    XCTAssertTrue(holds(.right("r") { _ in }, .interesting))
    XCTAssertFalse(holds(.wrong("w") { _ in }, nil), "an outcome nobody declared")
  }

  func testAJournalIsReadUpToTheLineThatWasCutOff() throws {
    let path = NSTemporaryDirectory() + "journal-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let journal = try Journal(writingTo: path)
    journal.write(.metric(Metric("rows", 3)))
    journal.write(.killsItself)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try (whole + Data("{\"metric\":{\"_0\":{\"na".utf8)).write(to: URL(fileURLWithPath: path))
    let entries = Journal.read(path)
    XCTAssertEqual(entries.count, 2)
    guard case .metric(let metric)? = entries.first else { return XCTFail("no metric") }
    XCTAssertEqual(metric, Metric("rows", 3))
  }

  func testASentenceGoesWithTheNumberInIt() {
    let sentence = "{writers|one writer counts|# writers count} {n} and {other}; {n|it|them}"
    XCTAssertEqual(
      ScenarioRecord.filled(sentence, ["writers": 1, "n": 1]),
      "one writer counts 1 and {other}; it")
    XCTAssertEqual(
      ScenarioRecord.filled(sentence, ["writers": 0, "n": 2_000]),
      "0 writers count 2,000 and {other}; them")
  }

  func testTheReportOfAStoppedProcessIsReadBackIntoItsParts() throws {
    let report = """
      CoreData: annotation: Core Data multi-threading assertions enabled.
      CoreData: concurrency violation: get name outside its context's queue.
        object   Article <x-coredata://1/Article/p1>
        context  main-queue context "viewContext"
        allowed  on the main queue
        called   from "context 7", on thread 7
        at       readTheObjects(_:)
        fix      pass objectID
      File.swift:12: Fatal error: CoreData
      """
    let violation = try XCTUnwrap(
      ViolationRecord(report: report.split(separator: "\n").map(String.init)))
    XCTAssertEqual(violation.operation, "get name")
    XCTAssertEqual(violation.object, "Article <x-coredata://1/Article/p1>")
    XCTAssertEqual(violation.fix, "pass objectID")
    XCTAssertEqual(violation.callerThread, "on thread 7")
    XCTAssertEqual(violation.report.split(separator: "\n").count, 7)
    XCTAssertNil(ViolationRecord(report: ["Fatal error: something else"]))
  }

  func testTheHighWaterMarkIsFoundInTheSystemsOwnWords() {
    let reading = ProcessUse.parse("Name:\tfaultline\nVmHWM:\t   41000 kB\nVmRSS:\t   40000 kB\n")
    XCTAssertEqual(reading?.peak, 41_000 * 1024)
    XCTAssertEqual(reading?.resident, 40_000 * 1024)
    XCTAssertNil(ProcessUse.parse("Name:\tfaultline\n"))
  }
}
