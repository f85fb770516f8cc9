import CoreData
import Foundation
import XCTest

/// What a fetch request asks for and what comes back (sections F.1, F.2 and F.5).
final class FetchSpecs: SpecCase {
  /// Articles a (1), b (2), c (3), d (nil body) with the counts as word counts, saved.
  private func articles(in context: NSManagedObjectContext) throws {
    for (number, title) in ["b", "d", "a", "c"].enumerated() {
      let article = Article(context: context)
      article.title = title
      article.wordCount = Int64(number * 10)
      article.body = title == "d" ? nil : "text of \(title)"
      article.isOpen = number % 2 == 0
    }
    try context.save()
  }

  private func context() throws -> NSManagedObjectContext {
    let container = try makeContainer(name: "Library \(UUID().uuidString)")
    try articles(in: reader(container))
    keep(container)
    return reader(container)
  }

  private func request(
    _ format: String? = nil, _ arguments: [Any] = [], by key: String? = "title"
  ) -> NSFetchRequest<Article> {
    let request = NSFetchRequest<Article>(entityName: "Article")
    if let format { request.predicate = NSPredicate(format: format, argumentArray: arguments) }
    if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
    return request
  }

  private func titles(_ format: String, _ arguments: [Any] = []) throws -> String {
    try context().fetch(request(format, arguments)).map(\.title).joined()
  }

  func testF1_aRequestByNameIsResolvedAgainstTheCoordinatorsModel() throws {
    let context = try context()
    XCTAssertEqual(try context.fetch(NSFetchRequest<Article>(entityName: "Article")).count, 4)
    let byDescription = NSFetchRequest<Article>()
    byDescription.entity = SpecModel.library.entitiesByName["Article"]
    XCTAssertEqual(byDescription.entityName, "Article")
    XCTAssertEqual(try context.fetch(byDescription).count, 4)
  }

  func testF2_withoutAPredicateAllInstancesCome() throws {
    let context = try context()
    XCTAssertEqual(Set(try context.fetch(request(by: nil)).map(\.title)), ["a", "b", "c", "d"])
  }

  func testF3_limitAndOffsetCutThePageOutOfTheOrder() throws {
    let context = try context()
    let request = request()
    XCTAssertEqual(request.fetchLimit, 0)
    XCTAssertEqual(request.fetchOffset, 0)
    request.fetchLimit = 2
    XCTAssertEqual(try context.fetch(request).map(\.title), ["a", "b"])
    request.fetchOffset = 1
    XCTAssertEqual(try context.fetch(request).map(\.title), ["b", "c"])
    request.fetchLimit = 0
    request.fetchOffset = 3
    XCTAssertEqual(try context.fetch(request).map(\.title), ["d"])
    request.fetchOffset = 9
    XCTAssertEqual(try context.fetch(request).map(\.title), [])
  }

  func testF7_subentitiesComeAlongUnlessExcluded() throws {
    let context = try context()
    Review(context: context).title = "r"
    try context.save()
    let request = request()
    XCTAssertTrue(request.includesSubentities)
    XCTAssertEqual(try context.fetch(request).map(\.title), ["a", "b", "c", "d", "r"])
    XCTAssertTrue(try context.fetch(request).last is Review)
    request.includesSubentities = false
    XCTAssertEqual(try context.fetch(request).map(\.title), ["a", "b", "c", "d"])
    XCTAssertEqual(try context.count(for: request), 4)
    XCTAssertEqual(try context.all(Review.self).map(\.title), ["r"])
  }

  func testF9_resultsAreFaultsUnlessValuesAreAskedFor() throws {
    let container = try makeContainer()
    try articles(in: reader(container))
    let context = makeMainContext(container)
    let request = request()
    XCTAssertTrue(request.returnsObjectsAsFaults)
    let faults = try context.fetch(request)
    XCTAssertEqual(faults.map(\.isFault), [true, true, true, true])
    request.returnsObjectsAsFaults = false
    let other = makeMainContext(container)
    XCTAssertEqual(try other.fetch(request).map(\.isFault), [false, false, false, false])
  }

  func testF12_refetchingRefreshesRegisteredObjectsOnlyIfAsked() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    theirs.born = 2
    try crossing.external.save()
    let request = NSFetchRequest<Author>(entityName: "Author")
    XCTAssertFalse(request.shouldRefreshRefetchedObjects)
    XCTAssertEqual(try crossing.local.fetch(request).map(\.name), ["A"])
    mine.name = "L1"
    request.shouldRefreshRefetchedObjects = true
    XCTAssertEqual(try crossing.local.fetch(request).map(\.born), [2])
    XCTAssertEqual(mine.name, "L1", "a pending change stays on top")
  }

  func testF16_theResultTypesHaveApplesValues() {
    XCTAssertEqual(NSFetchRequestResultType.managedObjectResultType.rawValue, 0)
    XCTAssertEqual(NSFetchRequestResultType.managedObjectIDResultType.rawValue, 1)
    XCTAssertEqual(NSFetchRequestResultType.dictionaryResultType.rawValue, 2)
    XCTAssertEqual(NSFetchRequestResultType.countResultType.rawValue, 4)
  }

  func testF16_idResultsAreIdsInTheOrderAskedFor() throws {
    let context = try context()
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
    request.resultType = .managedObjectIDResultType
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    request.fetchLimit = 3
    let ids = try context.fetch(request)
    XCTAssertEqual(ids.count, 3)
    XCTAssertTrue(ids.allSatisfy { context.registeredObject(for: $0) == nil })
    XCTAssertEqual(
      try ids.map { try XCTUnwrap(try context.existingObject(with: $0) as? Article).title },
      ["d", "c", "b"])
  }

  func testF16_aCountResultIsOneNumber() throws {
    let context = try context()
    let request = NSFetchRequest<NSNumber>(entityName: "Article")
    request.resultType = .countResultType
    request.predicate = NSPredicate(format: "wordCount > 5")
    XCTAssertEqual(try context.fetch(request).map(\.intValue), [3])
  }

  func testF20_aRequestCanBeCopiedAndTheCopyChangedAlone() throws {
    let context = try context()
    let original = request("wordCount >= 10")
    original.fetchLimit = 2
    let copy = try XCTUnwrap(original.copy() as? NSFetchRequest<Article>)
    copy.fetchLimit = 0
    XCTAssertEqual(try context.fetch(original).count, 2)
    XCTAssertEqual(try context.fetch(copy).map(\.title), ["a", "c", "d"])
  }

  func testF21_sortsByKeysInTurnEitherWay() throws {
    let context = try context()
    let request = request(by: nil)
    request.sortDescriptors = [
      NSSortDescriptor(key: "isOpen", ascending: false),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    XCTAssertEqual(try context.fetch(request).map(\.title), ["a", "b", "c", "d"])
    request.sortDescriptors = [
      NSSortDescriptor(key: "isOpen", ascending: true),
      NSSortDescriptor(key: "wordCount", ascending: false),
    ]
    XCTAssertEqual(try context.fetch(request).map(\.title), ["c", "d", "a", "b"])
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Article.wordCount, ascending: false)]
    XCTAssertEqual(try context.fetch(request).map(\.title), ["c", "a", "d", "b"])
  }

  func testF24_aFetchAsksTheStoreEvenIfEverythingIsRegistered() throws {
    let container = try makeContainer()
    let saver = reader(container)
    let mine = reader(container)
    try articles(in: saver)
    let held = try mine.fetch(request())
    Article(context: saver).title = "e"
    try saver.save()
    XCTAssertEqual(try mine.fetch(request()).map(\.title), ["a", "b", "c", "d", "e"])
    XCTAssertEqual(held.count, 4)
  }

  func testF25_F26_aFetchReturnsTheInstanceThatIsAlreadyThereWithItsOldValues() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    let found = try crossing.local.only(Author.self)
    XCTAssertIdentical(found, mine)
    XCTAssertEqual(found.name, "A")
  }

  func testF27_anEmptyResultIsAnEmptyArray() throws {
    XCTAssertEqual(try titles("title == 'nobody'"), "")
  }

  func testF28_countingAgreesWithFetchingAndRegistersNothing() throws {
    let context = try context()
    let request = request("isOpen == YES")
    XCTAssertEqual(try context.count(for: request), 2)
    XCTAssertTrue(context.registeredObjects.isEmpty)
    XCTAssertEqual(try context.fetch(request).count, 2)
    request.fetchLimit = 1
    XCTAssertEqual(try context.count(for: request), 1)
  }

  func testF45_comparisonsInEverySpelling() throws {
    for (format, expected) in [
      ("wordCount = 10", "d"), ("wordCount == 10", "d"), ("wordCount != 10", "abc"),
      ("wordCount <> 10", "abc"), ("wordCount > 10", "ac"), ("wordCount >= 10", "acd"),
      ("wordCount => 10", "acd"), ("wordCount < 10", "b"), ("wordCount <= 10", "bd"),
      ("wordCount =< 10", "bd"),
    ] {
      XCTAssertEqual(try titles(format), expected, format)
    }
  }

  func testF46_andOrNotAndParentheses() throws {
    for (format, expected) in [
      ("wordCount > 0 AND isOpen == YES", "a"), ("title == 'a' || title == 'b'", "ab"),
      ("NOT title == 'a'", "bcd"), ("!(title == 'a' OR title == 'b')", "cd"),
      ("title == 'a' or title == 'b' and wordCount > 100", "a"),
    ] {
      XCTAssertEqual(try titles(format), expected, format)
    }
  }

  func testF47_stringOperators() throws {
    for (format, expected) in [
      ("body BEGINSWITH 'text'", "abc"), ("body ENDSWITH ' b'", "b"), ("body CONTAINS 'of c'", "c"),
      ("body LIKE '*of ?'", "abc"), ("body BEGINSWITH 'TEXT'", ""),
      ("body BEGINSWITH[c] 'TEXT'", "abc"),
    ] {
      XCTAssertEqual(try titles(format), expected, format)
    }
  }

  func testF48_inTakesACollection() throws {
    XCTAssertEqual(try titles("title IN %@", [["a", "d", "x"]]), "ad")
    XCTAssertEqual(try titles("title IN {'b', 'c'}"), "bc")
    XCTAssertEqual(try titles("NOT title IN %@", [["a", "d"]]), "bc")
    XCTAssertEqual(try titles("title IN %@", [[String]()]), "")
  }

  func testF52_valuesAndKeysAreSubstitutedAndQuotedPlaceholdersAreNot() throws {
    XCTAssertEqual(try titles("%K == %@", ["title", "a"]), "a")
    XCTAssertEqual(try titles("title == '%@'"), "")
    let format = NSPredicate(format: "wordCount > %d", 10)
    let request = request()
    request.predicate = format
    XCTAssertEqual(try context().fetch(request).map(\.title), ["a", "c"])
  }

  func testF55_selfAndRelationshipsCompareWithObjectsAndIds() throws {
    let context = try context()
    let author = try context.savedAuthor()
    let found = try context.fetch(request("title == 'a'"))
    let article = try XCTUnwrap(found.first)
    article.author = author
    try context.save()
    for value in [author, author.objectID] as [Any] {
      XCTAssertEqual(try context.fetch(request("author == %@", [value])), [article])
    }
    XCTAssertEqual(try context.fetch(request("SELF IN %@", [[article]])), [article])
    XCTAssertEqual(try context.fetch(request("SELF IN %@", [[article.objectID]])), [article])
    XCTAssertEqual(try context.fetch(request("author.name == 'Ada'")), [article])
  }

  func testF60_F61_K13_nilIsFoundByEqualityAndSkippedByInequality() throws {
    XCTAssertEqual(try titles("body == nil"), "d")
    XCTAssertEqual(try titles("body != nil"), "abc")
    XCTAssertEqual(try titles("body != 'text of a'"), "bc")
  }

  func testF62_equalityOfStringsIsExact() throws {
    let context = try context()
    Article(context: context).title = "É"
    try context.save()
    XCTAssertEqual(try context.fetch(request("title == 'A'")).count, 0)
    XCTAssertEqual(try context.fetch(request("title ==[c] 'A'")).map(\.title), ["a"])
    XCTAssertEqual(try context.fetch(request("title == 'E'")).count, 0)
  }

  func testF65_datesAndNumbersCompareByValue() throws {
    let context = try context()
    let moment = Date(timeIntervalSinceReferenceDate: 1000.25)
    let article = Article(context: context)
    article.title = "dated"
    article.publishedAt = moment
    article.setValue(2, forKey: "rating")
    try context.save()
    for (format, value) in [
      ("publishedAt == %@", moment), ("publishedAt > %@", moment - 0.001),
      ("rating == %@", NSNumber(value: 2.0)), ("rating < %@", NSNumber(value: 2.5)),
    ] as [(String, Any)] {
      XCTAssertEqual(try context.fetch(request(format, [value])).map(\.title), ["dated"], format)
    }
  }
}
