import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// The verdicts on the exercise as shipped, on its solution, and on files that go wrong.
@Suite final class ExerciseTests {
  private let desk = ExerciseDesk(
    folder: NSTemporaryDirectory() + "faultline-exercise-tests-\(UUID().uuidString)")
  private let exercise = Catalogue.exercises[0]

  deinit { try? FileManager.default.removeItem(at: desk.folder) }

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

  @Test func asShippedItFailsBecauseTheMainLoopStandsStill() throws {
    let record = try check(try desk.start(exercise).file, runs: 1)
    #expect(record.verdict == .failed, "\(record.output)")
    #expect(record.status.rawValue == 1)
    #expect(record.findings.map(\.holds) == [false, true, false, true], "\(record.findings)")
  }

  @Test func theSolutionPasses() throws {
    let record = try check(try ExerciseDesk.shipped(exercise, "Solution"), runs: 2)
    #expect(record.verdict == .passed, "\(record.findings)\n\(record.output)")
    #expect(record.status.rawValue == 0)
    #expect(record.findings.count == 4)
  }

  @Test func rowsThatWereNotSavedAreMissed() throws {
    let record = try check(
      function("await container.newBackgroundContext().perform { }; return count"))
    #expect(record.verdict == .failed)
    #expect(record.findings.map(\.holds) == [true, false, false, true])
  }

  @Test func theArgumentIsNotTheNumberOfRows() throws {
    let solution = try ExerciseDesk.shipped(exercise, "Solution")
    let code = try String(contentsOf: solution, encoding: .utf8).replacing(
      "return try container.viewContext.count(for: Article.fetchRequest())", with: "return count")
    let record = try check(code)
    #expect(record.findings.map(\.holds) == [true, true, false, true], "\(record.findings)")
    #expect(record.findings[2].seen == "returned 60,000, stored 60,007")
  }

  @Test func sleepingIsSeenButNotInWordsAboutIt() throws {
    let sleeping = try check(
      function("try await Task.sleep(nanoseconds: 1) // one\n  return 0"))
    #expect(sleeping.findings.last?.seen == "sleep on line 4")
    #expect(sleeping.findings.last?.holds == false)
    let talking = try check(function("let s = \"sleep\" // no sleep\n  return s.count"))
    #expect(talking.findings.last?.holds == true)
  }

  @Test func aFileThatDoesNotBuildGivesTheCompilersOwnWords() throws {
    let record = try check(function("return nothingOfThatName"))
    #expect(record.verdict == .notBuilt)
    #expect(record.status.rawValue == 4)
    #expect(record.output.contains("cannot find 'nothingOfThatName' in scope"), "\(record.output)")
  }

  @Test func aProgramWithoutAnEndHitsTheTimeLimit() throws {
    let record = try check(function("while true { }"), secondsMax: 1)
    #expect(record.verdict == .limit)
    #expect(record.status.rawValue == 5)
    #expect(record.output.contains("time: more than 1 s"), "\(record.output)")
  }

  @Test func aProgramThatTakesAllMemoryHitsTheMemoryLimit() throws {
    let grow = "kept.append([UInt8](repeating: 1, count: 1 << 20))"
    let record = try check(
      function("var kept: [[UInt8]] = []\n  while kept.count < 4096 { \(grow) }\n  return 0"))
    #expect(record.verdict == .limit)
    #expect(record.output.contains("memory: more than 512 MB"), "\(record.output)")
  }

  @Test func leavingEarlyIsNotPassing() throws {
    let record = try check(function("exit(0)"))
    #expect(record.verdict == .failed)
    #expect(record.output.contains("before your function returned"), "\(record.output)")
  }

  @Test func aCrashIsToldAndNotPassed() throws {
    let record = try check(function("fatalError(\"oh no\")"))
    #expect(record.verdict == .failed)
    #expect(record.output.contains("oh no"), "\(record.output)")
  }

  @Test func startingTwiceKeepsWhatWasWritten() throws {
    let first = try desk.start(exercise)
    #expect(first.isNew)
    try "mine".write(to: first.file, atomically: true, encoding: .utf8)
    let again = try desk.start(exercise)
    #expect(!again.isNew)
    #expect(try String(contentsOf: again.file, encoding: .utf8) == "mine")
  }

  @Test func aFolderThatCannotBeWrittenIsAComplaint() {
    let nowhere = ExerciseDesk(folder: "/proc/nowhere")
    let error = #expect(throws: Complaint.self) { try nowhere.start(exercise) }
    #expect(error?.status == .input)
  }

  @Test func checkingWhatWasNeverStartedIsAComplaintThatSaysHowToStart() {
    let check = ExerciseCheck(exercise, file: desk.file(of: exercise))
    let error = #expect(throws: Complaint.self) { try check.perform() }
    #expect(
      error?.description.contains("faultline start 8") == true, "\(String(describing: error))")
  }
}
