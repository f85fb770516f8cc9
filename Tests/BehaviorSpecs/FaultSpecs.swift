import CoreData
import Foundation
import XCTest

/// When an object's values are in memory and what loads them (section A.3).
final class FaultSpecs: SpecCase {
  func testA35_aFetchedObjectIsAFaultUntilAPropertyIsRead() throws {
    let context = try storedAuthorInFreshContext()
    let author = try context.only(Author.self)
    XCTAssertTrue(author.isFault)
    XCTAssertEqual(author.name, "Ada")
    XCTAssertFalse(author.isFault)
  }

  func testA36_identityAndStateCanBeAskedWithoutFiring() throws {
    let context = try storedAuthorInFreshContext()
    let author = try context.only(Author.self)
    _ = author.isEqual(author)
    _ = author.hash
    _ = author.managedObjectContext
    _ = author.entity
    _ = author.objectID
    _ = (author.isInserted, author.isUpdated, author.isDeleted, author.hasChanges)
    _ = author.faultingState
    _ = (author as NSManagedObject) is Author
    XCTAssertTrue(author.isFault)
    XCTAssertEqual(author.value(forKey: "name") as? String, "Ada")
    XCTAssertFalse(author.isFault, "key-value coding fires the fault")
  }

  func testA36_readingAToOneOrAToManyFiresTheObjectsOwnFault() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor())
    let context = makeMainContext(container)
    let article = try context.only(Article.self)
    _ = article.author
    XCTAssertFalse(article.isFault)
    let author = try context.only(Author.self)
    _ = author.articles
    XCTAssertFalse(author.isFault)
  }

  func testA37_printingAFaultSaysSoAndDoesNotFireIt() throws {
    let context = try storedAuthorInFreshContext()
    let author = try context.only(Author.self)
    let printed = author.description
    XCTAssertTrue(printed.contains("fault"), printed)
    XCTAssertFalse(printed.contains("Ada"), printed)
    XCTAssertTrue(author.isFault)
    _ = author.name
    XCTAssertTrue(author.description.contains("Ada"), author.description)
  }

  func testA39_willAccessValueWithoutKeyFiresTheFault() throws {
    let context = try storedAuthorInFreshContext()
    let author = try context.only(Author.self)
    author.willAccessValue(forKey: nil)
    XCTAssertFalse(author.isFault)
    author.didAccessValue(forKey: nil)
  }

  func testA40_aToOneMayPointToARowThatIsGone() throws {
    let container = try makeContainer()
    let writer = container.viewContext
    let author = try writer.savedAuthor()
    let letter = Letter(context: writer)
    letter.sender = author
    try writer.save()

    let context = makeMainContext(container)
    let dangling = try context.only(Letter.self)
    writer.delete(author)
    try writer.save()
    let sender = try XCTUnwrap(dangling.sender, "nobody checks that the row is there")
    XCTAssertTrue(sender.isFault)
    XCTAssertNil(sender.name)
    XCTAssertTrue(sender.isDeleted)
  }

  func testA40_aToOneIsAFaultUntilItsOwnPropertiesAreRead() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor("Ada"))
    let article = try makeMainContext(container).only(Article.self)
    let author = try XCTUnwrap(article.author)
    XCTAssertTrue(author.isFault)
    XCTAssertEqual(author.name, "Ada")
    XCTAssertFalse(author.isFault)
  }

  func testA41_aToManyIsAFaultOfItsOwn() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor())
    let author = try makeMainContext(container).only(Author.self)
    _ = author.name
    XCTAssertFalse(author.isFault)
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "articles"))
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "articles"), "asking does not fire")
    XCTAssertEqual(author.articles.count, 1)
    XCTAssertFalse(author.hasFault(forRelationshipNamed: "articles"))
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "drafts"))
  }

  func testA42_objectIDsOfARelationshipRealiseNobody() throws {
    let container = try makeContainer()
    let writer = container.viewContext
    let author = try writer.savedAuthor()
    let ids = try Set((0..<3).map { _ in try writer.savedArticle(by: author).objectID })
    let lonely = try writer.savedArticle("lonely")

    let context = makeMainContext(container)
    let mine = try XCTUnwrap(context.object(with: author.objectID) as? Author)
    XCTAssertEqual(Set(mine.objectIDs(forRelationshipNamed: "articles")), ids)
    XCTAssertTrue(ids.allSatisfy { context.registeredObject(for: $0)?.isFault ?? true })
    let article = context.object(with: try XCTUnwrap(ids.first))
    XCTAssertEqual(article.objectIDs(forRelationshipNamed: "author"), [author.objectID])
    XCTAssertEqual(
      context.object(with: lonely.objectID).objectIDs(forRelationshipNamed: "author"), [])
  }

  func testA43_L3_aFaultWhoseRowIsGoneReadsNilAndIsMarkedDeleted() throws {
    let (context, article) = try faultWithoutRow()
    XCTAssertTrue(context.shouldDeleteInaccessibleFaults)
    XCTAssertNil(article.body)
    XCTAssertNil(article.value(forKey: "title"), "mandatory ones too")
    XCTAssertEqual(article.wordCount, 0)
    XCTAssertFalse(article.isOpen, "zero, not the default value")
    XCTAssertNil(article.author)
    XCTAssertTrue(article.tags.isEmpty)
    XCTAssertTrue(article.isDeleted)
    XCTAssertTrue(context.deletedObjects.contains(article))
  }

  func testA43_aFaultWhoseRowIsGoneIsDroppedByTheNextSave() throws {
    let (context, article) = try faultWithoutRow()
    XCTAssertNil(article.body)
    try context.save()
    XCTAssertFalse(context.hasChanges)
    XCTAssertTrue(context.deletedObjects.isEmpty)
    XCTAssertTrue(try context.all(Article.self).isEmpty)
  }

  func testA46_theOverridePointDecidesAndIsToldWhichObject() throws {
    let container = try makeContainer()
    let context = Asking(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    let article = try faultWithoutRow(container, in: context)
    context.shouldDeleteInaccessibleFaults = false
    XCTAssertNil(article.body, "the override says yes although the flag says no")
    XCTAssertTrue(article.isDeleted)
    XCTAssertEqual(context.asked.value, [article.objectID])
  }

  func testA46_theOverridePointIsNotAskedByCallsThatThrow() throws {
    let container = try makeContainer()
    let context = Asking(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    let article = try faultWithoutRow(container, in: context)
    XCTAssertThrowsError(try context.existingObject(with: article.objectID))
    XCTAssertEqual(context.asked.value, [])
  }

  func testA46_deletingAFaultWhoseRowIsGoneAsksNobody() throws {
    let container = try makeContainer()
    let context = Asking(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    context.shouldDeleteInaccessibleFaults = false
    let article = try faultWithoutRow(container, in: context)
    context.delete(article)
    XCTAssertEqual(context.asked.value, [])
    XCTAssertTrue(article.isDeleted)
    try context.save()
    XCTAssertFalse(context.hasChanges)
  }

  func testA46_B41_aParentIsAskedAboutAChangeOfARowThatIsGoneAndNotAboutItsDeletion() throws {
    let container = try makeContainer()
    let root = Asking(concurrencyType: .mainQueueConcurrencyType)
    root.persistentStoreCoordinator = container.persistentStoreCoordinator
    root.shouldDeleteInaccessibleFaults = false
    let child = makeMainChild(of: root)
    let writer = container.viewContext
    let (deleted, changed) = (try writer.savedAuthor(), try writer.savedAuthor())
    let mine = try [deleted, changed].map { try child.existingObject(with: $0.objectID) }
    writer.delete(deleted)
    writer.delete(changed)
    try writer.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectIDsKey: [mine[0].objectID]], into: [child])
    XCTAssertTrue(mine[0].isDeleted)
    mine[1].setValue("changed", forKey: "name")
    try child.save()
    try root.save()
    XCTAssertEqual(root.asked.value, [mine[1].objectID])
  }

  func testA43_B32_aFaultFoundWithoutARowIsAnnouncedAtTheEndOfTheTurn() throws {
    let (context, article) = try faultWithoutRow()
    turnMainQueue()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    XCTAssertNil(article.body)
    turnMainQueue()
    XCTAssertEqual(log.entries.map { $0.ids[NSDeletedObjectsKey] }, [[article.objectID]])
  }

  func testA48_deletingAFaultFiresIt() throws {
    let context = try storedAuthorInFreshContext()
    let author = try context.only(Author.self)
    XCTAssertTrue(author.isFault)
    context.delete(author)
    XCTAssertFalse(author.isFault)
  }

  func testA49_firingOneFaultLeavesItsSiblingsFaults() throws {
    let container = try makeContainer()
    for number in 0..<3 { try container.viewContext.savedAuthor("\(number)") }
    let authors = try makeMainContext(container).all(Author.self, by: "name")
    _ = authors[1].name
    XCTAssertEqual(authors.map(\.isFault), [true, false, true])
  }

  func testA50_becomingAFaultDropsValuesAndReferences() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor())
    let context = makeMainContext(container)
    let article = try context.only(Article.self)
    weak var author: Author?
    func realise() {
      author = article.author
      _ = author?.name
    }
    realise()
    XCTAssertNotNil(author, "a realised object holds its destination")
    context.refresh(article, mergeChanges: false)
    XCTAssertTrue(article.isFault)
    XCTAssertNil(author)
    XCTAssertNil(article.primitiveValue(forKey: "title"))
  }

  func testA51_anObjectWithPendingChangesIsNotMadeAFaultByOthersDoings() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "Ida"
    let other = makeMainContext(container)
    try other.only(Author.self).born = 1815
    try other.save()
    _ = try context.all(Author.self)
    context.refreshAllObjects()
    XCTAssertFalse(author.isFault)
    XCTAssertEqual(author.name, "Ida")
    XCTAssertTrue(author.isUpdated)
  }

  /// A context that knows nothing yet over a store that holds Ada.
  private func storedAuthorInFreshContext() throws -> NSManagedObjectContext {
    let container = try makeContainer()
    try container.viewContext.savedAuthor("Ada")
    return makeMainContext(container)
  }

  private func faultWithoutRow() throws -> (NSManagedObjectContext, Article) {
    let container = try makeContainer()
    let context = makeMainContext(container)
    return (context, try faultWithoutRow(container, in: context))
  }

  /// A fault in the context whose record another context has deleted.
  private func faultWithoutRow(
    _ container: NSPersistentContainer, in context: NSManagedObjectContext
  ) throws -> Article {
    let writer = container.viewContext
    let article = try writer.savedArticle("gone", by: writer.savedAuthor())
    let fault = try XCTUnwrap(context.object(with: article.objectID) as? Article)
    writer.delete(article)
    try writer.save()
    XCTAssertTrue(fault.isFault)
    return fault
  }
}

/// A context that answers for every inaccessible fault itself.
private final class Asking: NSManagedObjectContext, @unchecked Sendable {
  /// The ids it was asked about.
  let asked = Box<[NSManagedObjectID]>([])

  override func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    asked.update { $0.append(oid) }
    return true
  }
}
