import CoreData
import Foundation
import Testing
import XCTest

import class CoreData.NSExpression

/// Fetches whose results are dictionaries (section F.1).
final class DictionaryFetchSpecs: SpecCase {
  private var context: NSManagedObjectContext!

  /// Ada, born 1815, with three articles of 10, 20 and 30 words; Bob with one of 40; one of 50
  /// without an author and a review of 60 by Ada.
  override func setUpWithError() throws {
    try super.setUpWithError()
    let container = try makeContainer()
    let saver = makeMainContext(container)
    let (ada, bob) = (Author(context: saver), Author(context: saver))
    (ada.name, ada.born) = ("Ada", 1815)
    (bob.name, bob.born) = ("Bob", 1900)
    let authors = [ada, ada, ada, bob, nil]
    for (number, author) in authors.enumerated() {
      let article = Article(context: saver)
      article.title = "abcde".map(String.init)[number]
      article.wordCount = Int64(number + 1) * 10
      article.isOpen = number % 2 == 0
      article.publishedAt = Date(timeIntervalSinceReferenceDate: Double(number) * 100)
      article.author = author
    }
    let review = Review(context: saver)
    (review.title, review.wordCount, review.author) = ("r", 60, ada)
    try saver.save()
    context = makeMainContext(container)
  }

  private func request(_ properties: [Any]?) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Article")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = properties
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return request
  }

  private func sum(_ name: String, _ format: String) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = name
    description.expression = NSExpression(format: format)
    description.expressionResultType = .integer64AttributeType
    return description
  }

  func testF13_theIdOfARecordIsAPropertyThatCanBeFetched() throws {
    let found = try context.fetch(request(["objectID", "title"]))
    let articles = try context.all(Article.self, by: "title")
    XCTAssertEqual(found.map { $0["objectID"] as? NSManagedObjectID }, articles.map(\.objectID))
    XCTAssertEqual(found.map { $0["title"] as? String }, articles.map(\.title))
    let grouped = request(["objectID", "title"])
    grouped.propertiesToGroupBy = ["objectID", "title"]
    XCTAssertEqual(try context.fetch(grouped).count, 6)
    let objects = NSFetchRequest<Article>(entityName: "Article")
    objects.propertiesToFetch = ["objectID", "title"]
    XCTAssertEqual(try context.fetch(objects).count, 6)
  }

  func testF13_F16_dictionariesHaveThePropertiesThatWereAskedFor() throws {
    let found = try context.fetch(request(["title", "wordCount", "isOpen", "publishedAt", "body"]))
    XCTAssertEqual(found.count, 6)
    let first = try XCTUnwrap(found.first as? [String: Any])
    XCTAssertEqual(Set(first.keys), ["title", "wordCount", "isOpen", "publishedAt"])
    XCTAssertEqual(first["title"] as? String, "a")
    XCTAssertEqual((first["wordCount"] as? NSNumber)?.intValue, 10)
    XCTAssertEqual((first["isOpen"] as? NSNumber)?.boolValue, true)
    XCTAssertEqual(first["publishedAt"] as? Date, Date(timeIntervalSinceReferenceDate: 0))
    XCTAssertTrue(context.registeredObjects.isEmpty)
  }

  func testF13_withoutPropertiesAllAttributesCome() throws {
    let request = request(nil)
    request.predicate = NSPredicate(format: "title == 'a'")
    let found = try XCTUnwrap(try context.fetch(request).first as? [String: Any])
    XCTAssertEqual(Set(found.keys), ["title", "wordCount", "isOpen", "publishedAt"])
  }

  func testF13_whatIsComputedOverAllRowsStandsBesideEachOfThem() throws {
    let words = sum("words", "sum:(wordCount)")
    let rows = try context.fetch(request(["title", words, sum("one", "count:(author)")]))
    XCTAssertEqual(
      rows.map { $0["title"] as? String ?? "" }, ["a", "b", "c", "d", "e", "r"])
    XCTAssertEqual(rows.map { $0["words"] as? Int }, Array(repeating: 210, count: 6))
    XCTAssertEqual(rows.map { $0["one"] as? Int }, Array(repeating: 5, count: 6))
    let alone = request([words, sum("seven", "7")])
    alone.sortDescriptors = nil
    XCTAssertEqual(try context.fetch(alone).map { $0["words"] as? Int }, [210])
    let none = request(["title", words])
    none.predicate = NSPredicate(value: false)
    XCTAssertEqual(try context.fetch(none), [])
  }

  func testF13_descriptionsAndPathsOverToOneRelationshipsAreColumnsToo() throws {
    let entity = try XCTUnwrap(
      NSEntityDescription.entity(forEntityName: "Article", in: context))
    let request = request([try XCTUnwrap(entity.attributesByName["title"]), "author.name"])
    let found = try context.fetch(request).map { row in
      ["title", "author.name"].map { row[$0] as? String ?? "-" }.joined()
    }
    XCTAssertEqual(found, ["aAda", "bAda", "cAda", "dBob", "e-", "rAda"])
  }

  func testF13_recordsComeAsIds() throws {
    let me = NSExpressionDescription()
    me.name = "me"
    me.expression = NSExpression.expressionForEvaluatedObject()
    me.expressionResultType = .objectIDAttributeType
    let found = try context.fetch(request(["author", me]))
    let ids = found.compactMap { $0["me"] as? NSManagedObjectID }
    XCTAssertEqual(ids.map { $0.entity.name }, Array(repeating: "Article", count: 5) + ["Review"])
    let last = try XCTUnwrap(ids.last.map(context.object(with:)) as? Review)
    XCTAssertEqual(last.wordCount, 60)
    XCTAssertEqual(found.last?["author"] as? NSManagedObjectID, last.author?.objectID)
    XCTAssertNil(found[4]["author"])
  }

  func testF13_expressionsAreComputedByTheStore() throws {
    let request = request(["title", sum("twice", "wordCount * 2")])
    request.fetchLimit = 2
    XCTAssertEqual(
      try context.fetch(request).map { ($0["twice"] as? NSNumber)?.intValue }, [20, 40])
    let all = self.request([
      sum("sum", "sum:(wordCount)"), sum("count", "count:(title)"), sum("max", "max:(wordCount)"),
    ])
    all.sortDescriptors = nil
    let one = try XCTUnwrap(try context.fetch(all).first as? [String: NSNumber])
    XCTAssertEqual(one, ["sum": 210, "count": 6, "max": 60])
  }

  func testF13_aDateThatIsComputedIsADate() throws {
    let latest = sum("latest", "max:(publishedAt)")
    latest.expressionResultType = .dateAttributeType
    let request = request([latest])
    request.sortDescriptors = nil
    XCTAssertEqual(
      try context.fetch(request).first?["latest"] as? Date,
      Date(timeIntervalSinceReferenceDate: 400)
    )
  }

  func testF13_withObjectsThePropertiesAreAtHandAndTheOthersToo() throws {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.propertiesToFetch = ["title"]
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let found = try context.fetch(request)
    XCTAssertTrue(found.allSatisfy(\.isFault))
    XCTAssertEqual(found.map(\.title).joined(), "abcder")
    XCTAssertEqual(found.map(\.wordCount), [10, 20, 30, 40, 50, 60])
  }

  func testF10_dictionariesShowTheStoreAndNotWhatIsUnsaved() throws {
    let changed = try XCTUnwrap(try context.all(Article.self, by: "title").first)
    changed.title = "z"
    Article(context: context).title = "new"
    XCTAssertEqual(
      try context.fetch(request(["title"])).compactMap { $0["title"] as? String }.joined(),
      "abcder")
    let child = makeMainChild(of: context)
    XCTAssertEqual(try child.fetch(request(["title"])).count, 6)
  }

  func testF11_equalDictionariesCountOnceIfAskedFor() throws {
    let request = request(["author.name"])
    request.sortDescriptors = nil
    XCTAssertEqual(try context.fetch(request).count, 6)
    request.returnsDistinctResults = true
    XCTAssertEqual(
      Set(try context.fetch(request).map { $0["author.name"] as? String ?? "-" }),
      ["Ada", "Bob", "-"])
    XCTAssertEqual(try context.count(for: request), 3)
    let objects = NSFetchRequest<Article>(entityName: "Article")
    objects.returnsDistinctResults = true
    XCTAssertEqual(try context.fetch(objects).count, 6)
  }

  func testF14_groupsAreDictionariesOfWhatTheyHaveInCommonAndWhatIsComputed() throws {
    let request = request(["author.name", sum("words", "sum:(wordCount)")])
    request.propertiesToGroupBy = ["author.name"]
    request.predicate = NSPredicate(format: "author != nil")
    request.sortDescriptors = nil
    let found = try context.fetch(request).map { row in
      "\(row["author.name"] as? String ?? "-") \((row["words"] as? NSNumber)?.intValue ?? 0)"
    }
    XCTAssertEqual(Set(found), ["Ada 120", "Bob 40"])
  }

  func testF15_groupsMustSatisfyTheHavingPredicate() throws {
    let request = request(["isOpen", sum("count", "count:(title)")])
    request.propertiesToGroupBy = ["isOpen"]
    request.havingPredicate = NSPredicate(format: "count:(title) > 2")
    request.sortDescriptors = nil
    XCTAssertEqual(
      try context.fetch(request).map { [$0["isOpen"], $0["count"]] as? [NSNumber] }, [[1, 4]])
  }

  func testF15_aVariableIsTheColumnOfItsName() throws {
    let request = request(["isOpen", sum("count", "count:(title)")])
    request.propertiesToGroupBy = ["isOpen"]
    request.havingPredicate = NSPredicate(
      format: "%@ > 2 AND $isOpen == YES", NSExpression(forVariable: "count"))
    request.sortDescriptors = nil
    XCTAssertEqual(
      try context.fetch(request).map { [$0["isOpen"], $0["count"]] as? [NSNumber] }, [[1, 4]])
  }

  func testF13_nothingAddsUpToZeroAndNoSumIsTooLarge() throws {
    let request = request([sum("sum", "sum:(wordCount)")])
    request.sortDescriptors = nil
    request.predicate = NSPredicate(format: "title == 'none'")
    XCTAssertEqual(try context.fetch(request).map { $0["sum"] as? Int }, [0])
    for article in try context.all(Article.self) { article.wordCount = .max }
    try context.save()
    request.predicate = nil
    let wide = sum("sum", "sum:(wordCount)")
    wide.expressionResultType = .doubleAttributeType
    request.propertiesToFetch = [wide]
    XCTAssertEqual(
      try context.fetch(request).map { $0["sum"] as? Double }, [6 * Double(Int64.max)])
  }

  func testF40_dictionariesAreFetchedAsynchronouslyToo() throws {
    let finished = expectation(description: "the completion block ran")
    let fetch = NSAsynchronousFetchRequest(fetchRequest: request(["title"])) { result in
      XCTAssertEqual(result.finalResult?.first?["title"] as? String, "a")
      finished.fulfill()
    }
    try context.execute(fetch)
    wait(for: [finished], timeout: 30)
  }
}

/// The mistakes with dictionaries that stop the process.
@Suite struct DictionaryFetchStops {
  /// Runs a request that must stop in a process of its own.
  private static func fetch(_ change: (NSFetchRequest<NSDictionary>) -> Void) throws {
    let context = try openThrowawayContainer().viewContext
    let request = NSFetchRequest<NSDictionary>(entityName: "Article")
    request.resultType = .dictionaryResultType
    change(request)
    nowStops()
    _ = try context.fetch(request)
  }

  @Test("F13: a to-many relationship is no column")
  func f13AToManyRelationshipIsNoColumn() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop { try Self.fetch { $0.propertiesToFetch = ["tags"] } }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F13: with objects nothing can be computed")
  func f13ExpressionsWithObjectsStop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop {
        try Self.fetch {
          let description = NSExpressionDescription()
          description.name = "twice"
          description.expression = NSExpression(format: "wordCount * 2")
          $0.resultType = .managedObjectResultType
          $0.propertiesToFetch = [description]
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F14: a property that is neither grouped nor aggregated is no column of a group")
  func f14AnUngroupedPropertyStops() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop {
        try Self.fetch {
          $0.propertiesToFetch = ["title", "isOpen"]
          $0.propertiesToGroupBy = ["isOpen"]
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F14: objects are not grouped")
  func f14GroupsOfObjectsStop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop {
        try Self.fetch {
          $0.resultType = .managedObjectResultType
          $0.propertiesToGroupBy = ["isOpen"]
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F15: a having predicate needs groups")
  func f15HavingWithoutGroupsStops() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      mustStop { try Self.fetch { $0.havingPredicate = NSPredicate(format: "wordCount > 1") } }
    }
    #expect(reachedTheMistake(result))
  }
}
