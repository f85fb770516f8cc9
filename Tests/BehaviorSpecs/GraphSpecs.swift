import CoreData
import Foundation
import XCTest

/// Relationships across faults, refreshes and saves (rules of A.2, A.4 and A.6 put together).
final class GraphSpecs: SpecCase {
  func testA41_A66_addingToAnUnloadedToManyKeepsWhatTheStoreHas() throws {
    let (_, context, author) = try storedAuthorWithArticles(2)
    let added = Article(context: context)
    added.author = author
    XCTAssertEqual(author.articles.count, 3)
    try context.save()
    XCTAssertEqual(author.articles.count, 3)
    context.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.articles.count, 3)
    XCTAssertEqual(try makeContainer().viewContext.only(Author.self).articles.count, 3)
  }

  func testA41_A66_removingFromAnUnloadedToManyKeepsTheRest() throws {
    let (_, context, author) = try storedAuthorWithArticles(3)
    let one = try XCTUnwrap(context.all(Article.self, by: "title").first)
    one.author = nil
    XCTAssertEqual(author.articles.map(\.title).sorted(), ["1", "2"])
    try context.save()
    context.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.articles.map(\.title).sorted(), ["1", "2"])
  }

  func testA66_movingAwayAndBackLeavesTheMembershipUnchanged() throws {
    let (container, context, author) = try storedAuthorWithArticles(2)
    let other = try context.savedAuthor("other")
    let article = try XCTUnwrap(context.all(Article.self, by: "title").first)
    article.author = other
    article.author = author
    XCTAssertEqual(author.articles.count, 2)
    XCTAssertTrue(other.articles.isEmpty)
    try context.save()
    let stored = try makeMainContext(container).all(Author.self, by: "name")
    XCTAssertEqual(stored.map(\.articles.count), [2, 0])
  }

  func testA54_addingAndRemovingTheSameMemberIsNoPersistentChange() throws {
    let (_, context, author) = try storedAuthorWithArticles(1)
    let article = try context.savedArticle("loose")
    author.articles.insert(article)
    XCTAssertTrue(author.hasPersistentChangedValues)
    author.articles.remove(article)
    XCTAssertFalse(author.hasPersistentChangedValues)
    XCTAssertFalse(article.hasPersistentChangedValues)
    XCTAssertTrue(author.hasChanges)
  }

  func testA91_aMergingRefreshKeepsAddedAndRemovedMembers() throws {
    let (container, context, author) = try storedAuthorWithArticles(2)
    let articles = try context.all(Article.self, by: "title")
    let mine = Article(context: context)
    mine.title = "mine"
    mine.author = author
    articles[0].author = nil

    let other = makeMainContext(container)
    let theirs = Article(context: other)
    theirs.title = "theirs"
    theirs.author = try other.only(Author.self)
    try other.save()

    context.refresh(author, mergeChanges: true)
    XCTAssertEqual(author.articles.map(\.title).sorted(), ["1", "mine", "theirs"])
    XCTAssertNil(articles[0].author)
  }

  func testA98_rollbackForgetsMembersAddedToAnUnloadedToMany() throws {
    let (_, context, author) = try storedAuthorWithArticles(2)
    let added = Article(context: context)
    added.author = author
    context.rollback()
    XCTAssertEqual(author.articles.count, 2)
    XCTAssertFalse(author.articles.contains(added))
    XCTAssertFalse(context.hasChanges)
  }

  func testA96_resetFreesEvenObjectsThatHoldEachOther() throws {
    let (_, context, _) = try storedAuthorWithArticles(3)
    context.reset()
    weak var author: Author?
    weak var article: Article?
    func realise() throws {
      let found = try context.only(Author.self)
      author = found
      article = found.articles.first
      XCTAssertIdentical(article?.author, found)
    }
    try realise()
    XCTAssertNotNil(author)
    context.reset()
    XCTAssertNil(author)
    XCTAssertNil(article)
  }

  func testA29_aContextThatGoesFreesItsGraph() throws {
    let (container, _, _) = try storedAuthorWithArticles(3)
    weak var author: Author?
    func realise() throws {
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = container.persistentStoreCoordinator
      let found = try context.only(Author.self)
      author = found
      XCTAssertEqual(found.articles.compactMap(\.author).count, 3)
      XCTAssertNotNil(author)
    }
    try realise()
    XCTAssertNil(author)
  }

  func testA43_aDestinationDeletedElsewhereReadsNil() throws {
    let (container, context, author) = try storedAuthorWithArticles(1)
    let article = try context.only(Article.self)
    XCTAssertIdentical(article.author, author)
    let other = makeMainContext(container)
    let gone = other.object(with: author.objectID)
    other.delete(gone)
    try other.save()
    context.refresh(author, mergeChanges: false)
    XCTAssertNil(author.name)
    XCTAssertTrue(author.isDeleted)
    XCTAssertTrue(author.articles.isEmpty)
  }

  func testA9_A19_theObtainedIdFindsTheSameUnsavedInstance() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    let temporary = author.objectID
    try context.obtainPermanentIDs(for: [author])
    XCTAssertIdentical(context.object(with: author.objectID), author)
    XCTAssertIdentical(try context.existingObject(with: author.objectID), author)
    XCTAssertIdentical(context.registeredObject(for: author.objectID), author)
    XCTAssertNotEqual(author.objectID, temporary)
    let article = Article(context: context)
    article.author = author
    try context.save()
    XCTAssertEqual(
      try makeMainContext(container).only(Article.self).author?.objectID, author.objectID)
  }

  func testA19_existingObjectOfAnUnsavedInsertIsTheInsertItself() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    XCTAssertIdentical(try context.existingObject(with: author.objectID), author)
    XCTAssertIdentical(context.object(with: author.objectID), author)
  }

  func testA6_aToOneMayHoldAnObjectOfASubentity() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let review = Review(context: context)
    review.title = "review"
    review.verdict = "good"
    let tag = Tag(context: context)
    tag.name = "tag"
    review.tags = [tag]
    review.author = Author(context: context)
    try context.save()
    let fresh = makeMainContext(container)
    let author = try fresh.only(Author.self)
    XCTAssertEqual((author.articles.first as? Review)?.verdict, "good")
    XCTAssertEqual((try fresh.only(Tag.self).articles.first as? Review)?.title, "review")
    let asArticle = try fresh.all(Article.self)
    XCTAssertTrue(asArticle.first is Review)
  }

  func testB58_aMergedMembershipIsSeenOnBothSides() throws {
    let (container, context, author) = try storedAuthorWithArticles(1)
    context.automaticallyMergesChangesFromParent = true
    XCTAssertEqual(author.articles.count, 1)
    let loose = try context.savedArticle("loose")
    let other = makeMainContext(container)
    let theirs = try XCTUnwrap(other.object(with: loose.objectID) as? Article)
    theirs.author = try other.only(Author.self)
    try other.save()
    drain(context)
    XCTAssertIdentical(loose.author, author)
    XCTAssertEqual(author.articles.count, 2)
    XCTAssertFalse(context.hasChanges)
  }

  /// A container, a fresh context over it, and in that context an author with so many articles,
  /// titled "0", "1" and so on.
  private func storedAuthorWithArticles(
    _ count: Int
  ) throws -> (NSPersistentContainer, NSManagedObjectContext, Author) {
    let container = try makeContainer()
    let writer = container.viewContext
    let author = try writer.savedAuthor("Ada")
    for number in 0..<count { try writer.savedArticle("\(number)", by: author) }
    let context = makeMainContext(container)
    return (container, context, try context.only(Author.self))
  }
}
