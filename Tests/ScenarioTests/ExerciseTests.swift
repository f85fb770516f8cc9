import Foundation
import PlaygroundKit
import Scenarios
import XCTest

/// The verdicts on the exercise as shipped, on its solution, and on files that go wrong.
final class ExerciseTests: XCTestCase {
  private var desk = ExerciseDesk(folder: nil)
  private let exercise = Catalogue.exercises[0]

  override func setUpWithError() throws {
    desk = ExerciseDesk(
      folder: NSTemporaryDirectory() + "faultline-exercise-tests-\(UUID().uuidString)")
  }

  override func tearDown() { try? FileManager.default.removeItem(at: desk.folder) }

  private func check(_ code: String, runs: Int = 1, secondsMax: Double = 60) throws -> CheckRecord {
    let file = try desk.start(exercise).file
    try code.write(to: file, atomically: true, encoding: .utf8)
    return try check(file, runs: runs, secondsMax: secondsMax)
  }

  private func check(_ file: URL, runs: Int, secondsMax: Double = 60) throws -> CheckRecord {
    var check = ExerciseCheck(exercise, file: file)
    check.runs = runs
    check.secondsMax = secondsMax
    return try check.perform()
  }

  private func function(_ body: String) -> String {
    """
    import CoreData
    @MainActor
    func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
      \(body)
    }
    """
  }

  func testAsShippedItFailsBecauseTheMainLoopStandsStill() throws {
    let record = try check(try desk.start(exercise).file, runs: 1)
    XCTAssertEqual(record.verdict, .failed, record.output)
    XCTAssertEqual(record.status.rawValue, 1)
    XCTAssertEqual(
      record.findings.map(\.holds), [false, true, false, true], "\(record.findings)")
  }

  func testTheSolutionPasses() throws {
    let record = try check(try ExerciseDesk.shipped(exercise, "Solution"), runs: 2)
    XCTAssertEqual(record.verdict, .passed, "\(record.findings)\n\(record.output)")
    XCTAssertEqual(record.status.rawValue, 0)
    XCTAssertEqual(record.findings.count, 4)
  }

  func testRowsThatWereNotSavedAreMissed() throws {
    let record = try check(
      function("await container.newBackgroundContext().perform { }; return count"))
    XCTAssertEqual(record.verdict, .failed)
    XCTAssertEqual(record.findings.map(\.holds), [true, false, false, true])
  }

  func testTheArgumentIsNotTheNumberOfRows() throws {
    let solution = try ExerciseDesk.shipped(exercise, "Solution")
    let code = try String(contentsOf: solution, encoding: .utf8).replacing(
      "return try container.viewContext.count(for: Article.fetchRequest())", with: "return count")
    let record = try check(code)
    XCTAssertEqual(record.findings.map(\.holds), [true, true, false, true], "\(record.findings)")
    XCTAssertEqual(record.findings[2].seen, "returned 60,000, stored 60,007")
  }

  func testSleepingIsSeenButNotInWordsAboutIt() throws {
    let sleeping = try check(
      function("try await Task.sleep(nanoseconds: 1) // one\n  return 0"))
    XCTAssertEqual(sleeping.findings.last?.seen, "sleep on line 4")
    XCTAssertEqual(sleeping.findings.last?.holds, false)
    let talking = try check(function("let s = \"sleep\" // no sleep\n  return s.count"))
    XCTAssertEqual(talking.findings.last?.holds, true)
  }

  func testAFileThatDoesNotBuildGivesTheCompilersOwnWords() throws {
    let record = try check(function("return nothingOfThatName"))
    XCTAssertEqual(record.verdict, .notBuilt)
    XCTAssertEqual(record.status.rawValue, 4)
    XCTAssertTrue(
      record.output.contains("cannot find 'nothingOfThatName' in scope"), record.output)
  }

  func testAProgramWithoutAnEndHitsTheTimeLimit() throws {
    let record = try check(function("while true { }"), secondsMax: 1)
    XCTAssertEqual(record.verdict, .limit)
    XCTAssertEqual(record.status.rawValue, 5)
    XCTAssertTrue(record.output.contains("time: more than 1 s"), record.output)
  }

  func testAProgramThatTakesAllMemoryHitsTheMemoryLimit() throws {
    let grow = "kept.append([UInt8](repeating: 1, count: 1 << 20))"
    let record = try check(
      function("var kept: [[UInt8]] = []\n  while kept.count < 4096 { \(grow) }\n  return 0"))
    XCTAssertEqual(record.verdict, .limit)
    XCTAssertTrue(record.output.contains("memory: more than 512 MB"), record.output)
  }

  func testLeavingEarlyIsNotPassing() throws {
    let record = try check(function("exit(0)"))
    XCTAssertEqual(record.verdict, .failed)
    XCTAssertTrue(record.output.contains("before your function returned"), record.output)
  }

  func testACrashIsToldAndNotPassed() throws {
    let record = try check(function("fatalError(\"oh no\")"))
    XCTAssertEqual(record.verdict, .failed)
    XCTAssertTrue(record.output.contains("oh no"), record.output)
  }

  func testStartingTwiceKeepsWhatWasWritten() throws {
    let first = try desk.start(exercise)
    XCTAssertTrue(first.isNew)
    try "mine".write(to: first.file, atomically: true, encoding: .utf8)
    let again = try desk.start(exercise)
    XCTAssertFalse(again.isNew)
    XCTAssertEqual(try String(contentsOf: again.file, encoding: .utf8), "mine")
  }

  func testAFolderThatCannotBeWrittenIsAComplaint() {
    let nowhere = ExerciseDesk(folder: "/proc/nowhere")
    XCTAssertThrowsError(try nowhere.start(exercise)) { error in
      XCTAssertEqual((error as? Complaint)?.status, .input)
    }
  }

  func testCheckingWhatWasNeverStartedIsAComplaintThatSaysHowToStart() {
    let check = ExerciseCheck(exercise, file: desk.file(of: exercise))
    XCTAssertThrowsError(try check.perform()) { error in
      XCTAssertTrue("\(error)".contains("faultline start 8"), "\(error)")
    }
  }
}
