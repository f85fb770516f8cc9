import CoreData
import Foundation
import XCTest

/// The calls that real Core Data code makes most, each made once, with a look at what it did.
///
/// They are the 130 names that 62 public repositories use most often. Three of them cannot exist
/// without the Objective-C runtime and stand in the deviations.
final class UsageSpecs: SpecCase {
  /// The names that cannot exist on Linux.
  private static let absent = ["@NSManaged", "@objc(ClassName)", "#keyPath"]

  func testEveryCallThatRealCodeMakesMostCompilesAndBehaves() throws {
    for usage in Usage.all {
      let container = try makeContainer(name: "Usage \(UUID().uuidString)")
      let scene = UsageScene(container: container, context: makeMainContext(container), spec: self)
      do { try usage.check(scene) } catch { XCTFail("\(usage.name): \(error)") }
      XCTAssertTrue(scene.hasLooked, "\(usage.name) was called and nobody looked what it did")
    }
  }

  func testAnObjectMadeByTheBaseClassDoesNotMakeTheEntityOneOfTheBaseClass() throws {
    let entity = SpecModel.entity("Loose", Loose.self, [SpecModel.text("name")])
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let container = try makeContainer(model: model, name: "Loose")
    let object = NSManagedObject(entity: entity, insertInto: container.viewContext)
    object.setValue("l", forKey: "name")
    try container.viewContext.save()
    XCTAssertTrue(Loose.entity() === entity)
    let found = try makeMainContext(container).fetch(NSFetchRequest<Loose>(entityName: "Loose"))
    XCTAssertEqual(found.map(\.name), ["l"])
  }

  func testTheTableHasEachNameOnceAndWhatIsAbsentIsADeviation() throws {
    let names = Usage.all.map(\.name)
    XCTAssertEqual(Set(names).count, names.count)
    XCTAssertEqual(names.count + Self.absent.count, 130)
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Guide/reference/deviations.md"), encoding: .utf8)
    for name in ["@NSManaged", "@objc", "#keyPath"] {
      XCTAssertTrue(page.contains(name), "deviations.md does not speak of \(name)")
    }
  }
}

/// One call and what it is to do.
struct Usage: Sendable {
  let name: String
  let check: @Sendable (UsageScene) throws -> Void

  init(_ name: String, _ check: @escaping @Sendable (UsageScene) throws -> Void) {
    self.name = name
    self.check = check
  }

  static let all = stack + stores + models + objects + saving + fetching + results
}

/// A store of its own, a main-queue context on it, and the means to look.
final class UsageScene {
  let container: NSPersistentContainer
  let context: NSManagedObjectContext
  let spec: SpecCase
  private(set) var hasLooked = false

  init(container: NSPersistentContainer, context: NSManagedObjectContext, spec: SpecCase) {
    self.container = container
    self.context = context
    self.spec = spec
  }

  var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

  /// Looks whether two values are equal.
  func expect<T: Equatable>(
    _ value: T, _ expected: T, file: StaticString = #filePath, line: UInt = #line
  ) {
    hasLooked = true
    XCTAssertEqual(value, expected, file: file, line: line)
  }

  /// Looks whether something is so.
  func expect(_ isSo: Bool, file: StaticString = #filePath, line: UInt = #line) {
    hasLooked = true
    XCTAssertTrue(isSo, file: file, line: line)
  }

  /// Three saved articles: a, b and c, with 1, 2 and 3 words.
  @discardableResult
  func articles() throws -> [Article] {
    let articles = ["a", "b", "c"].enumerated().map { number, title in
      let article = Article(context: context)
      article.title = title
      article.wordCount = Int64(number + 1)
      return article
    }
    try context.save()
    return articles
  }

  /// A request for all articles by title.
  func request() -> NSFetchRequest<Article> {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return request
  }

  /// The notifications of a name that the body leads to.
  func notifications(
    _ name: Notification.Name, _ body: () throws -> Void
  ) rethrows -> [Notification] {
    nonisolated(unsafe) var seen: [Notification] = []
    let token = NotificationCenter.default.addObserver(
      forName: name, object: context, queue: nil
    ) { seen.append($0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
    return seen
  }
}

/// A class of an entity that is first used by its base class.
final class Loose: NSManagedObject {
  @Managed var name: String?
}
