import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// Kinds of requirements and of credit, each held and missed by a file of exercise 8.
@Suite struct RequirementKindTests {
  private static let say = Requirement.Say(pass: "yes: {seen}", fail: "no: {seen}", hidden: "no")

  /// Checks some requirements against a side that writes as many articles as it is given, twice
  /// as many fetches, and notes a word.
  private func check(
    _ requirements: [Requirement], more: String = "", schedulesMaxOfWrong: Int = 2_000
  ) throws -> CheckRecord {
    let exercise = Exercise(
      of: PerformAndWaitOnMain.self, task: "", minutes: 1, file: "ImportArticles.swift",
      shown: .init(["rows": 10], bound: 0), hidden: .init(["rows": 20], bound: 0),
      requirements: requirements, hints: [], nearMisses: [])
    let desk = ExerciseDesk(
      folder: FileManager.default.temporaryDirectory
        .appendingPathComponent("faultline-kinds-\(UUID().uuidString)").path)
    defer { try? FileManager.default.removeItem(at: desk.folder) }
    _ = try desk.start(exercise)
    let file = desk.file(of: exercise)
    try """
    import CoreData
    import Foundation
    import PlaygroundKit
    final class Box { var number = 0 }
    @MainActor func yours(_ world: World) async throws {
      let context = world.container.viewContext
      for _ in 1...world["rows"] { _ = Article(context: context) }
      try context.save()
      world.observe("word", "wrote \\(world["rows"])")
      world.observe("tenth", world["rows"] / 10)
      \(more)
    }
    """.write(to: file, atomically: true, encoding: .utf8)
    let folder = try #require(
      try LearnerFolder(desk.folder(of: exercise).path, among: [exercise]))
    var judge = Judge(exercise, folder)
    judge.schedulesMaxOfWrong = schedulesMaxOfWrong
    return try judge.record()
  }

  @Test func eachKindHoldsOrDoesNot() throws {
    let held: [(String, Requirement.Kind)] = [
      ("never", .never(["STALL"])), ("reach", .reach("SMOOTH")), ("count", .schedules(atLeast: 1)),
      ("where", .reach("SMOOTH") { $0.text("word") == "wrote \($0["rows"])" }),
      ("budget", .budget("commits", 1...1)),
      ("store", .store { try $0.storedRows(of: "Article") == $0["rows"] }),
      ("golden", .golden("word") { "wrote \($0["rows"])" }),
      ("growth", .growth("tenth", over: "rows", values: [10, 20, 40], percentMax: 100)),
      ("accepts", .accepts("func use() { Box().number += 1 }")),
      ("refuses", .refuses("func use(_ b: Box) { Task { b.number = 1 } }", saying: "data race")),
      ("free", .free(of: ["performAndWait"])),
    ]
    let missed: [(String, Requirement.Kind)] = [
      ("never", .never(["SMOOTH"])), ("reach", .reach("STALL")), ("count", .schedules(atLeast: 9)),
      ("where", .reach("SMOOTH") { $0.text("word") == "wrote nothing" }),
      ("budget", .budget("commits", 2...3)),
      ("store", .store { try $0.storedRows(of: "Article") == 10 }),
      ("golden", .golden("word") { _ in "wrote 10" }),
      ("growth", .growth("tenth", over: "rows", values: [10, 20, 40], percentMax: 90)),
      ("accepts", .accepts("func use() { Box().name = 1 }")),
      ("refuses", .refuses("func use() { Box().number += 1 }", saying: "data race")),
      ("free", .free(of: ["save"])),
    ]
    for (kinds, status) in [(held, CheckRecord.Status.pass), (missed, .fail)] {
      let record = try check(
        kinds.map { Requirement($0.0, "", $0.1, points: 1, say: Self.say) })
      for finding in record.findings {
        #expect(finding.status == status, "\(finding.name): \(finding.message)")
        #expect(finding.points == (status == .pass ? 1 : 0), "\(finding.name)")
      }
    }
  }

  @Test func aCurveGivesWhatIsLeftAndABonusNeverLiftsAboveTheMost() throws {
    let record = try check([
      // Ten rows of a budget of five; from fifteen on there is nothing.
      Requirement(
        "curve", "", .budget("peak live objects", 0...5), points: 10, credit: .curve(none: 15),
        data: .shown, say: Self.say),
      Requirement("half", "", .reach("SMOOTH"), points: 5, say: Self.say),
      Requirement("bonus", "", .reach("SMOOTH"), points: 7, isBonus: true, say: Self.say),
      Requirement("bound", "", .reach("SMOOTH"), points: 3, needs: "curve", say: Self.say),
    ])
    #expect(record.findings.map(\.points) == [5, 5, 7, 0])
    #expect((record.points, record.pointsMax, record.isPassed) == (17, 18, false))
  }

  @Test func whatNeedsSomethingThatDoesNotHoldIsWorthNothing() throws {
    let record = try check([
      Requirement("open", "the first", .reach("STALL"), points: 1, say: Self.say),
      Requirement("near", "", .reach("SMOOTH"), points: 2, needs: "open", say: Self.say),
      Requirement("far", "", .never([]), points: 3, data: .shown, needs: "near", say: Self.say),
      Requirement("hidden", "", .never([]), points: 4, data: .hidden, needs: "open", say: Self.say),
    ])
    #expect(record.findings.map(\.points) == [0, 0, 0, 0])
    #expect(record.findings.map(\.status) == [.fail, .pass, .pass, .error])
    let without = " No points without “the first”."
    #expect(record.findings[1].message == "yes: \(without)")
    #expect(record.findings[2].message == "yes: in the only schedule\(without)")
    #expect(record.findings[3].message == "Checked once “the first” holds.")
    #expect(record.schedulesHidden == 0 && record.schedules == 1)
    let page = CheckPage(record).text
    #expect(page.contains("\n· ") && !page.contains("✓"), "\(page)")
  }

  @Test func thePageSaysHowManySchedulesHadOtherNumbersAndThatABonusHasACap() throws {
    let record = try check([
      Requirement("all", "", .never([]), points: 2, say: Self.say),
      Requirement("bonus", "", .reach("SMOOTH"), points: 7, isBonus: true, say: Self.say),
    ])
    let page = CheckPage(record).text
    let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("2 schedules, 1 of them with other numbers, each run twice"), "\(page)")
    #expect(page.contains("2 of 2 points, the most that there are with a bonus too."), "\(page)")
  }

  @Test func whatARunLeavesIsNotSaidOfOneThatDoesNotComeToItsEnd() throws {
    let record = try check(
      [
        Requirement(
          "store", "", .store { try $0.storedRows(of: "Article") == 9 }, points: 1, say: Self.say)
      ], more: "throw CocoaError(.featureUnsupported)")
    let message = record.findings[0].message
    #expect(message.hasPrefix("A run does not come to its end: THREW in the only schedule: "))
  }

  @Test func onceSomethingIsWrongOnlySoManySchedulesAreRun() throws {
    let store = { (rows: Int) in
      Requirement.Kind.store { try $0.storedRows(of: "Article") == rows }
    }
    let record = try check(
      [
        Requirement("wrong", "", store(9), points: 1, say: Self.say),
        Requirement("right", "", store(10), points: 1, say: Self.say),
      ],
      more: "async let one: () = Task.yield(); async let two: () = Task.yield(); await (one, two)",
      schedulesMaxOfWrong: 2)
    #expect(record.schedules == 2)
    #expect(record.findings.map(\.status) == [.fail, .error])
    let why = "No answer: something is wrong already in 2 schedules, and no more were run."
    #expect(record.findings[1].message == why)
  }

  @Test func aRunOutOfControlGivesNoAnswerAndItsReasonOnce() throws {
    let record = try check(
      [
        Requirement("never", "", .never([]), points: 1, say: Self.say),
        Requirement("golden", "", .golden("word") { _ in "wrote" }, points: 1, say: Self.say),
        Requirement(
          "store", "", .store { try $0.storedRows(of: "Article") == 0 }, points: 1, say: Self.say),
      ], more: "_ = DispatchIO(type: .stream, fileDescriptor: 0, queue: .global()) { _ in }")
    #expect(record.findings.map(\.status) == [.error, .error, .error])
    let messages = record.findings.map(\.message)
    #expect(messages[0].hasPrefix("No answer: a run could not be judged, because dispatch_io"))
    #expect(messages.dropFirst().allSatisfy { $0 == "No answer, for the same reason." })
    #expect(record.status == .inconclusive)
  }
}
