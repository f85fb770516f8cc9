import CoreData
import Foundation
import Testing
import XCTest

/// Scenarios that bring several rules together (section L).
final class ConformanceSpecs: SpecCase {
  func testL12_A53_D38_anEqualValueIsAChangeUntilTheSaveAndWritesNoVersion() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle("A")
    article.title = "A"
    XCTAssertTrue(context.hasChanges)
    XCTAssertTrue(article.isUpdated)
    try context.save()
    XCTAssertFalse(context.hasChanges)
    let other = makeMainContext(container)
    try other.only(Article.self).title = "B"
    try other.save()
    article.title = "C"
    do {
      try context.save()
      XCTFail("the save should meet a conflict, which tells the versions")
    } catch let error as CocoaError {
      let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
      XCTAssertEqual(conflict?.oldVersionNumber, 1, "the first save wrote it, the second did not")
      XCTAssertEqual(conflict?.newVersionNumber, 2)
    }
  }

  func testL16_A90_A91_aRefreshLosesTheChangeOrKeepsItOverNewValues() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle("stored")
    func changeHereAndThere(_ body: String) throws {
      article.title = "mine"
      let other = makeMainContext(container)
      try other.only(Article.self).body = body
      try other.save()
    }
    try changeHereAndThere("one")
    context.refresh(article, mergeChanges: false)
    XCTAssertTrue(article.isFault)
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual([article.title, article.body], ["stored", "one"])
    try changeHereAndThere("two")
    context.refresh(article, mergeChanges: true)
    XCTAssertTrue(article.isUpdated)
    XCTAssertEqual([article.title, article.body], ["mine", "two"])
    try context.save()
    let stored = try makeMainContext(container).only(Article.self)
    XCTAssertEqual([stored.title, stored.body], ["mine", "two"])
  }
}

/// Scenarios in which a process ends.
@Suite struct ConformanceEnds {
  @Test("L20, C17: what was committed survives the end of the process, but not in the main file")
  func l20ACommitSurvivesAKillInTheLog() async throws {
    let directory = try makeSpecDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("Library.sqlite").path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let container = try openContainer(
        model: SpecModel.library, at: URL(fileURLWithPath: path))
      try container.viewContext.savedAuthor("Ada")
      // The log holds the commit, and nobody has copied it into the main file yet.
      kill(getpid(), SIGKILL)
    }
    let main = directory.appendingPathComponent("Main.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: main.path)
    #expect(try names(at: URL(fileURLWithPath: path)) == ["Ada"])
    #expect((try? names(at: main)) ?? [] == [])
  }

  private func names(at url: URL) throws -> [String?] {
    let container = try openContainer(model: SpecModel.library, at: url)
    return try container.viewContext.all(Author.self).map(\.name)
  }
}
