import CoreData
import Foundation
import XCTest

/// `#Predicate` as the predicate of a fetch: it finds what Swift itself finds.
final class SwiftPredicateSpecs: SpecCase {
  private var context: NSManagedObjectContext!
  private var articles: [Article] = []

  override func setUpWithError() throws {
    try super.setUpWithError()
    context = try makeContainer().viewContext
    let tags = ["red", "blue"].map { name in
      let tag = Tag(context: context)
      tag.name = name
      return tag
    }
    let author = Author(context: context)
    author.name = "Ada"
    author.born = 1815
    articles = (0..<6).map { number in
      let article = Article(context: context)
      article.title = "Title \(number)"
      article.body = number.isMultiple(of: 2) ? "even" : nil
      article.wordCount = Int64(number)
      article.isOpen = number < 3
      article.publishedAt = Date(timeIntervalSinceReferenceDate: Double(number))
      article.author = number > 3 ? author : nil
      article.tags = Set(tags.prefix(number % 3))
      return article
    }
    try context.save()
  }

  /// Asserts that the store, the memory and Swift find the same articles with a predicate.
  private func expect(
    _ numbers: [Int64], _ predicate: Predicate<Article>, line: UInt = #line
  ) throws {
    let converted = try XCTUnwrap(NSPredicate(predicate), "\(predicate)", line: line)
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.predicate = converted
    let found = try context.fetch(request).map(\.wordCount).sorted()
    XCTAssertEqual(found, numbers, "\(converted)", line: line)
    let held = articles.filter { converted.evaluate(with: $0) }.map(\.wordCount)
    XCTAssertEqual(held, numbers, "\(converted) in memory", line: line)
    XCTAssertEqual(
      try articles.filter { try predicate.evaluate($0) }.map(\.wordCount), numbers,
      "Swift itself", line: line)
  }

  func testF45_F46_comparisonsAndLogicOfSwift() throws {
    let limit: Int64 = 4
    try expect([0, 1], #Predicate { $0.wordCount < 2 })
    try expect([4, 5], #Predicate { $0.wordCount >= limit && !$0.isOpen })
    try expect([0, 5], #Predicate { $0.wordCount == 0 || $0.title == "Title 5" })
    try expect([2, 3, 4], #Predicate { (2...4).contains($0.wordCount) })
    try expect([2, 3], #Predicate { (2..<4).contains($0.wordCount) && $0.wordCount != 7 })
    let moment = Date(timeIntervalSinceReferenceDate: 3)
    try expect([4, 5], #Predicate { $0.publishedAt.flatMap { $0 > moment } ?? false })
    try expect([1, 2], #Predicate { [1, 2, 9].contains($0.wordCount) })
    try expect([0, 1, 2], #Predicate { $0.isOpen })
  }

  func testF47_textsOfSwift() throws {
    try expect([3], #Predicate { $0.title.contains("e 3") })
    try expect([0, 1, 2, 3, 4, 5], #Predicate { $0.title.starts(with: "Ti") && !$0.title.isEmpty })
    try expect([0, 2, 4], #Predicate { $0.body?.contains("eve") ?? false })
    try expect([1, 3, 5], #Predicate { ($0.body ?? "none") == "none" })
    try expect([1, 3, 5], #Predicate { $0.body == nil })
  }

  func testF48_F50_collectionsAndOptionalPathsOfSwift() throws {
    try expect([4, 5], #Predicate { $0.author?.name == "Ada" })
    try expect([4, 5], #Predicate { $0.author != nil && $0.author!.born > 1800 })
    try expect([0, 3], #Predicate { $0.tags.isEmpty })
    try expect([2, 5], #Predicate { $0.tags.count > 1 })
    try expect([1, 2, 4, 5], #Predicate { $0.tags.contains { $0.name == "red" } })
    try expect([0, 1, 3, 4], #Predicate { $0.tags.allSatisfy { $0.name == "red" } })
    try expect([2, 5], #Predicate { $0.tags.filter { $0.name == "blue" }.count == 1 })
  }

  func testF60_whatIsMadeOfNilIsNil() throws {
    articles[5].author?.articles = [articles[4]]
    let nameless = Author(context: context)
    articles[0].author = nameless
    let lonely = Author(context: context)
    lonely.name = "Bo"
    try context.save()
    try expect([], #Predicate { $0.author?.articles.isEmpty ?? false })
    try expect([1, 2, 3, 5], #Predicate { $0.author?.articles.isEmpty ?? true })
    try expect([], #Predicate { $0.author?.articles.count == 0 })
    try expect([0, 2, 4], #Predicate { $0.body.flatMap { !$0.contains("x") } ?? false })
    try expect([1, 3, 5], #Predicate { !($0.body?.contains("eve") ?? false) })
    try expect([0, 1, 2, 3, 5], #Predicate { ($0.author?.name ?? "none") == "none" })
    try expect([1, 2, 3, 5], #Predicate { ($0.author?.articles.count ?? 9) == 9 })
    try expect(
      [0, 1, 2, 3, 5], #Predicate { $0.author.flatMap { $0.name.flatMap { $0 != "x" } } == nil })
    try expect(
      [0, 1, 2, 3, 4, 5],
      #Predicate { $0.author.flatMap { $0.name.flatMap { $0 == "Ada" } } ?? true })
  }

  func testF56_arithmeticOfSwift() throws {
    try expect([3], #Predicate { $0.wordCount * 2 + 1 == 7 })
    try expect([1, 3, 5], #Predicate { $0.wordCount % 2 == 1 })
    try expect([4, 5], #Predicate { $0.wordCount / 2 == 2 && -$0.wordCount < 0 })
    try expect([0, 1], #Predicate { ($0.wordCount > 1 ? $0.wordCount : 9) == 9 })
  }

  func testF31_whatHasNoCounterpartIsNil() {
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.title.dropped == "x" }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { ($0 as? Review) != nil }))
  }

  func testF31_F57_aPropertyThatIsComputedHasNoCounterpart() throws {
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.isLong }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.hasWords }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.isClosed }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.initial == "T" }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.heading == "Ada" }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.isGood }))
    XCTAssertNil(NSPredicate(#Predicate<Article> { $0.author?.hasName ?? false }))
    try expect([3], #Predicate { $0.length == 3 })
    try expect([4, 5], #Predicate { $0.writer?.name == "Ada" })
  }
}

extension Article {
  /// Computed from a number.
  fileprivate var isLong: Bool { wordCount > 100 }
  /// The number itself, if it is 0 or 1.
  fileprivate var hasWords: Bool { wordCount > 0 }
  /// The contrary of a property.
  fileprivate var isClosed: Bool { !isOpen }
  /// There is none where there is no title.
  fileprivate var initial: String { String(title.first!) }
  /// Of two objects.
  fileprivate var heading: String { author?.name ?? title }
  /// Of two properties.
  fileprivate var isGood: Bool { isOpen && wordCount > 2 }
  /// Another name of a property.
  fileprivate var length: Int64 { wordCount }
  /// Another name of a relationship.
  fileprivate var writer: Author? { author }
}

extension Author {
  /// Computed from a text.
  fileprivate var hasName: Bool { name != nil }
}

extension String {
  /// Something that no store knows.
  fileprivate var dropped: String { String(dropFirst()) }
}
