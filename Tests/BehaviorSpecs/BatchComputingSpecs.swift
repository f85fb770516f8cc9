import CoreData
import Foundation
import Testing
import XCTest

import class CoreData.NSExpression

/// Batch updates that compute from the records themselves (rule F86).
final class BatchComputingSpecs: SpecCase {
  private var context: NSManagedObjectContext!

  /// Articles a to e of 0, 10, 20, 30 and 40 words, the last by Ada.
  override func setUpWithError() throws {
    try super.setUpWithError()
    let container = try makeContainer()
    let saver = makeMainContext(container)
    for (number, letter) in "abcde".enumerated() {
      let article = Article(context: saver)
      (article.title, article.wordCount) = (String(letter), Int64(number) * 10)
      article.body = "of \(letter)"
    }
    try saver.save()
    let last = try XCTUnwrap(try saver.all(Article.self, by: "title").last)
    last.author = Author(context: saver)
    last.author?.name = "Ada"
    try saver.save()
    context = makeMainContext(container)
  }

  private func update(
    _ values: [AnyHashable: Any], where format: String? = nil, _ arguments: [Any] = []
  ) throws -> Int {
    let request = NSBatchUpdateRequest(entityName: "Article")
    request.propertiesToUpdate = values
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    request.resultType = .updatedObjectsCountResultType
    let result = try context.execute(request) as? NSBatchUpdateResult
    context.reset()
    return try XCTUnwrap(result?.result as? Int)
  }

  func testF86_updateComputesFromTheRecordsOwnAttributes() throws {
    XCTAssertEqual(try update(["wordCount": NSExpression(format: "wordCount * 2 + 1")]), 5)
    XCTAssertEqual(
      try context.all(Article.self, by: "title").map(\.wordCount), [1, 21, 41, 61, 81])
  }

  func testF86_constantsAndExpressionsAndThePredicatesOwnConstantsKeepApart() throws {
    let values: [AnyHashable: Any] = [
      "body": "new", "isOpen": NSExpression(forConstantValue: false),
      "wordCount": NSExpression(format: "wordCount + %d", 5),
    ]
    XCTAssertEqual(
      try update(values, where: "wordCount > %@ AND title != %@", [5, "d"]), 3)
    let all = try context.all(Article.self, by: "title")
    XCTAssertEqual(all.map(\.wordCount), [0, 15, 25, 30, 45])
    XCTAssertEqual(all.map(\.body), ["of a", "new", "new", "of d", "new"])
    XCTAssertEqual(all.map(\.isOpen), [true, false, false, true, false])
  }

  func testF86_thePredicateMayLeadThroughRelationships() throws {
    XCTAssertEqual(
      try update(
        ["title": NSExpression(format: "uppercase:(title)")], where: "author.name == 'Ada'"), 1)
    XCTAssertEqual(
      try context.all(Article.self, by: "wordCount").map(\.title).joined(), "abcdE")
  }

  func testF84_deletionMayLeadThroughRelationshipsToo() throws {
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Article")
    fetch.predicate = NSPredicate(format: "author.name == 'Ada' OR wordCount < 10")
    try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    XCTAssertEqual(try context.all(Article.self, by: "title").map(\.title).joined(), "bcd")
  }
}

/// The mistakes with computed batch updates that stop the process.
@Suite struct BatchComputingStops {
  private static func update(_ expression: NSExpression) throws {
    let context = try openThrowawayFile().viewContext
    let request = NSBatchUpdateRequest(entityName: "Article")
    request.propertiesToUpdate = ["wordCount": expression]
    nowStops()
    try context.execute(request)
  }

  /// A store in a file, which is what batch requests need.
  private static func openThrowawayFile() throws -> NSPersistentContainer {
    try openContainer(
      model: SpecModel.library, at: makeSpecDirectory().appendingPathComponent("Library.sqlite"))
  }

  @Test("F86: a batch update does not compute from other records")
  func f86ComputingFromOtherRecordsStops() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop { try Self.update(NSExpression(format: "author.born + 1")) }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F86: a batch update does not set an attribute to something of another type")
  func f86ComputingAnotherTypeStops() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop { try Self.update(NSExpression(format: "title")) }
    }
    #expect(reachedTheMistake(result))
  }
}
