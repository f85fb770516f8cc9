import CoreData
import Foundation
import XCTest

/// How unsaved changes show in the results of a fetch (section F.3).
final class FetchPendingSpecs: SpecCase {
  private struct Scene {
    let context: NSManagedObjectContext
    let byTitle: [String: Article]
  }

  /// Stored a, c, e, g with word counts 1, 3, 5, 7.
  private func scene() throws -> Scene {
    let container = try makeContainer()
    keep(container)
    let context = container.viewContext
    var byTitle: [String: Article] = [:]
    for (title, count) in [("a", 1), ("c", 3), ("e", 5), ("g", 7)] {
      let article = Article(context: context)
      article.title = title
      article.wordCount = Int64(count)
      byTitle[title] = article
    }
    try context.save()
    return Scene(context: context, byTitle: byTitle)
  }

  private func request(_ format: String? = nil) -> NSFetchRequest<Article> {
    let request = NSFetchRequest<Article>(entityName: "Article")
    if let format { request.predicate = NSPredicate(format: format) }
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return request
  }

  private func insert(_ title: String, _ count: Int64, in context: NSManagedObjectContext) {
    let article = Article(context: context)
    article.title = title
    article.wordCount = count
  }

  func testF10_pendingChangesAreIncludedUnlessSwitchedOff() throws {
    let scene = try scene()
    insert("b", 2, in: scene.context)
    let request = request()
    XCTAssertTrue(request.includesPendingChanges)
    XCTAssertEqual(try scene.context.fetch(request).map(\.title), ["a", "b", "c", "e", "g"])
    request.includesPendingChanges = false
    XCTAssertEqual(try scene.context.fetch(request).map(\.title), ["a", "c", "e", "g"])
    XCTAssertEqual(try scene.context.count(for: request), 4)
  }

  func testF17_idResultsContainTheTemporaryIdsOfInserts() throws {
    let scene = try scene()
    insert("b", 2, in: scene.context)
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
    request.resultType = .managedObjectIDResultType
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    XCTAssertEqual(
      try scene.context.fetch(request).map(\.isTemporaryID), [false, true, false, false, false])
  }

  func testF32_F35_insertsThatMatchStandInTheirPlace() throws {
    let scene = try scene()
    insert("f", 6, in: scene.context)
    insert("b", 2, in: scene.context)
    insert("z", 0, in: scene.context)
    XCTAssertEqual(
      try scene.context.fetch(request("wordCount > 1")).map(\.title), ["b", "c", "e", "f", "g"])
  }

  func testF33_F35_changedObjectsAreJudgedByTheirValuesInMemory() throws {
    let scene = try scene()
    scene.byTitle["a"]?.wordCount = 100
    scene.byTitle["g"]?.wordCount = 0
    scene.byTitle["e"]?.title = "b"
    XCTAssertEqual(
      try scene.context.fetch(request("wordCount > 1")).map(\.title), ["a", "b", "c"])
    XCTAssertEqual(try scene.context.count(for: request("wordCount > 1")), 3)
  }

  func testF34_deletedObjectsDoNotComeThoughTheirRowsAreThere() throws {
    let scene = try scene()
    try scene.context.delete(XCTUnwrap(scene.byTitle["c"]))
    XCTAssertEqual(try scene.context.fetch(request()).map(\.title), ["a", "e", "g"])
    XCTAssertEqual(try scene.context.count(for: request()), 3)
  }

  func testF32_F33_F34_F35_L15_insertUpdateAndDeleteTogether() throws {
    let scene = try scene()
    insert("b", 50, in: scene.context)
    scene.byTitle["g"]?.title = "0"
    try scene.context.delete(XCTUnwrap(scene.byTitle["a"]))
    XCTAssertEqual(try scene.context.fetch(request()).map(\.title), ["0", "b", "c", "e"])
    try scene.context.save()
    XCTAssertEqual(try reopened().fetch(request()).map(\.title), ["0", "b", "c", "e"])
  }

  func testF36_K13_limitAndOffsetAreAppliedAfterPendingChangesAreSortedIn() throws {
    let scene = try scene()
    insert("b", 2, in: scene.context)
    try scene.context.delete(XCTUnwrap(scene.byTitle["c"]))
    scene.byTitle["g"]?.title = "0"
    let request = request()
    var pages: [[String]] = []
    for offset in 0..<5 {
      request.fetchOffset = offset
      request.fetchLimit = 2
      pages.append(try scene.context.fetch(request).map(\.title))
    }
    XCTAssertEqual(pages, [["0", "a"], ["a", "b"], ["b", "e"], ["e"], []])
  }

  func testF3_F36_theGreatestLimitIsNone() throws {
    let scene = try scene()
    let request = request()
    (request.fetchLimit, request.fetchOffset) = (.max, 2)
    let rest = try scene.context.fetch(request).map(\.title)
    scene.byTitle["a"]?.wordCount = 9
    XCTAssertEqual(try scene.context.fetch(request).map(\.title), rest)
    XCTAssertEqual(try scene.context.count(for: request), rest.count)
    request.fetchOffset = -1
    XCTAssertEqual(try scene.context.fetch(request).count, rest.count + 2)
    scene.context.rollback()
    XCTAssertEqual(try scene.context.count(for: request), rest.count + 2)
  }

  func testF36_everyPageOfADirtyContextEqualsThePageAfterTheSave() throws {
    let scene = try scene()
    for number in 0..<8 { insert("m\(number)", Int64(number), in: scene.context) }
    scene.byTitle["a"]?.wordCount = 99
    scene.byTitle["e"]?.title = "m35"
    let request = request("wordCount > 2")
    let all = (0..<8).flatMap { offset in (0..<5).map { (offset, $0) } }
    let before = try all.map { offset, limit in
      request.fetchOffset = offset
      request.fetchLimit = limit
      let number = try scene.context.count(for: request)
      let titles = try scene.context.fetch(request).map(\.title)
      XCTAssertEqual(titles.count, number, "\(offset), \(limit)")
      return titles
    }
    try scene.context.save()
    let fresh = try reopened()
    let after = try all.map { offset, limit in
      request.fetchOffset = offset
      request.fetchLimit = limit
      return try fresh.fetch(request).map(\.title)
    }
    XCTAssertEqual(before, after)
  }

  func testF37_withoutPendingChangesTheRowsDecideAndTheInstancesShowTheirValues() throws {
    let scene = try scene()
    scene.byTitle["a"]?.wordCount = 100
    scene.byTitle["g"]?.wordCount = 0
    let request = request("wordCount > 3")
    request.includesPendingChanges = false
    let found = try scene.context.fetch(request)
    XCTAssertEqual(found.map(\.title), ["e", "g"])
    XCTAssertEqual(found.map(\.wordCount), [5, 0])
  }

  func testF28_F37_B40_aChildLeavesOutItsOwnChangesOnly() throws {
    let scene = try scene()
    insert("b", 2, in: scene.context)
    scene.byTitle["e"]?.title = "d"
    try scene.context.delete(XCTUnwrap(scene.byTitle["a"]))
    let child = makeMainChild(of: scene.context)
    insert("z", 9, in: child)
    let request = request()
    XCTAssertEqual(try child.fetch(request).map(\.title), ["b", "c", "d", "g", "z"])
    request.includesPendingChanges = false
    XCTAssertEqual(try child.fetch(request).map(\.title), ["b", "c", "d", "g"])
    XCTAssertEqual(try child.count(for: request), 4)
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
    ids.resultType = .managedObjectIDResultType
    ids.includesPendingChanges = false
    XCTAssertEqual(try child.fetch(ids).count, 4)
    request.fetchBatchSize = 2
    XCTAssertEqual(try child.fetch(request).map(\.title), ["b", "c", "d", "g"])
  }

  func testF38_memoryAndStoreJudgeAlike() throws {
    let scene = try scene()
    scene.byTitle["a"]?.body = "Straße"
    scene.byTitle["c"]?.body = "NAÏVE text"
    scene.byTitle["e"]?.body = ""
    let formats = [
      "body == nil", "body != nil", "body == ''", "body CONTAINS 'a'", "body CONTAINS[c] 'text'",
      "body BEGINSWITH 'S'", "body LIKE '*e'", "body != 'x'", "wordCount >= 3 AND body != nil",
      "NOT body == ''", "title IN {'a', 'e'}", "rating == nil", "rating > 1", "isOpen == YES",
    ]
    let before = try formats.map { try scene.context.fetch(request($0)).map(\.title) }
    try scene.context.save()
    let fresh = try reopened()
    for (format, inMemory) in zip(formats, before) {
      XCTAssertEqual(try fresh.fetch(request(format)).map(\.title), inMemory, format)
    }
  }
}
