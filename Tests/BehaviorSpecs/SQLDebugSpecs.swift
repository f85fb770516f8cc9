import CoreData
import Foundation
import Testing

/// What the SQL log prints (section C.2).
@Suite struct SQLDebugSpecs {
  @Test("C22: at level 1 each statement is printed as Core Data prints it, with its time")
  func c22LevelOnePrintsStatements() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(0), observing: [\.standardErrorContent]
    ) { try sayHello(level: "1") }
    let lines = Self.lines(result)
    #expect(
      lines.contains {
        $0.hasPrefix("CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.Z")
          && $0.contains(" FROM ZTAG t0")
      }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("CoreData: annotation: sql connection fetch time: 0.") })
    #expect(lines.contains { $0.hasPrefix("CoreData: annotation: sql execution time: 0.") })
    #expect(lines.contains { $0.hasPrefix("CoreData: sql: INSERT ") && $0.contains("ZTAG") })
    #expect(!lines.contains { $0.contains("the word") })
  }

  @Test("C22: level 2 prints the values too, and level 3 what SQLite had to do")
  func c22HigherLevelsPrintMore() async throws {
    let second = await #expect(
      processExitsWith: .exitCode(0), observing: [\.standardErrorContent]
    ) { try sayHello(level: "2") }
    #expect(Self.lines(second).contains { $0.contains("details") && $0.contains("the word") })
    #expect(!Self.lines(second).contains { $0.contains("full scans") })
    let third = await #expect(
      processExitsWith: .exitCode(0), observing: [\.standardErrorContent]
    ) { try sayHello(level: "3") }
    #expect(Self.lines(third).contains { $0.contains("full scans") })
  }

  @Test("C22: without the argument nothing is printed")
  func c22WithoutTheArgumentNothingIsPrinted() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(0), observing: [\.standardErrorContent]
    ) { try sayHello(level: nil) }
    #expect(!Self.lines(result).contains { $0.contains("CoreData: sql") })
  }

  private static func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}

/// Saves and fetches a tag in a process that was started with the argument.
private func sayHello(level: String?) throws {
  if let level {
    UserDefaults.standard.setVolatileDomain(
      ["com.apple.CoreData.SQLDebug": level], forName: UserDefaults.argumentDomain)
  }
  let directory = try makeSpecDirectory()
  let url = directory.appendingPathComponent("Library.sqlite")
  let container = try openContainer(model: SpecModel.library, at: url)
  // The body of an exit test runs on any thread.
  let context = container.newBackgroundContext()
  try context.performAndWait {
    Tag(context: context).name = "the word"
    try context.save()
    context.reset()
    _ = try context.fetch(NSFetchRequest<Tag>(entityName: "Tag"))
  }
  try FileManager.default.removeItem(at: directory)
  exit(0)
}
