import CoreData
import Foundation
import XCTest

/// Relationships across faults, saves and contexts (rules of A.2, A.4, A.6 and B.5 put together).
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

  func testA16_B41_aChildsInstanceWithItsOldTemporaryIdStillSavesIntoTheSameRecord() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    author.name = "first"
    try child.save()
    try root.save()
    author.name = "second"
    try child.save()
    try root.save()
    XCTAssertEqual(try makeContainer().viewContext.all(Author.self).map(\.name), ["second"])
    child.delete(author)
    try child.save()
    try root.save()
    XCTAssertTrue(try makeContainer().viewContext.all(Author.self).isEmpty)
  }

  func testB41_aNewChildObjectMayPointToOneThatWasPushedBefore() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    author.name = "Ada"
    try child.save()
    let article = Article(context: child)
    article.author = author
    try child.save()
    try root.save()
    let later = Article(context: child)
    later.title = "after the root's save"
    later.author = author
    try child.save()
    try root.save()
    let stored = try makeContainer().viewContext.only(Author.self)
    XCTAssertEqual(stored.articles.count, 2)
    XCTAssertEqual(root.insertedObjects.count, 0)
  }

  func testB41_threeLevelsPassAnInsertAUpdateAndADeleteDown() throws {
    let root = try makeContainer().viewContext
    try root.savedAuthor("updated")
    try root.savedAuthor("deleted")
    let middle = makeMainChild(of: root)
    let leaf = makeMainChild(of: middle)
    let seen = try leaf.all(Author.self, by: "name")
    XCTAssertEqual(seen.map(\.name), ["deleted", "updated"])
    leaf.delete(seen[0])
    seen[1].name = "changed"
    Author(context: leaf).name = "inserted"
    try leaf.save()
    XCTAssertFalse(root.hasChanges)
    try middle.save()
    XCTAssertTrue(root.hasChanges)
    XCTAssertEqual(try makeContainer().viewContext.all(Author.self).count, 2)
    try root.save()
    XCTAssertEqual(
      try makeContainer().viewContext.all(Author.self, by: "name").map(\.name),
      ["changed", "inserted"])
  }

  func testB41_manyToManyIsPushedThroughAChild() throws {
    let root = try makeContainer().viewContext
    let article = try root.savedArticle()
    let old = Tag(context: root)
    old.name = "old"
    article.tags = [old]
    try root.save()
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.object(with: article.objectID) as? Article)
    let new = Tag(context: child)
    new.name = "new"
    mine.tags = [new]
    try child.save()
    XCTAssertEqual(article.tags.compactMap(\.name), ["new"])
    XCTAssertTrue(old.articles.isEmpty)
    try root.save()
    XCTAssertEqual(
      try makeContainer().viewContext.only(Article.self).tags.compactMap(\.name), ["new"])
  }

  func testB44_K4_aChildAddsMembersWithoutDroppingThoseTheParentAdded() throws {
    let root = try makeContainer().viewContext
    let author = try root.savedAuthor("Ada")
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    XCTAssertEqual(mine.articles.count, 0)
    let fromRoot = Article(context: root)
    fromRoot.title = "root's"
    fromRoot.author = author
    let fromChild = Article(context: child)
    fromChild.title = "child's"
    fromChild.author = mine
    try child.save()
    XCTAssertEqual(author.articles.map(\.title).sorted(), ["child's", "root's"])
    try root.save()
    XCTAssertEqual(try makeContainer().viewContext.only(Author.self).articles.count, 2)
  }

  func testA66_B43_aPushedToOneLeavesNoTraceAtTheDestinationTheParentHadChosen() throws {
    let root = try makeContainer().viewContext
    let first = try root.savedAuthor("first")
    let byRoot = try root.savedAuthor("by root")
    let byChild = try root.savedAuthor("by child")
    let article = try root.savedArticle(by: first)
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.object(with: article.objectID) as? Article)
    mine.author = try XCTUnwrap(child.object(with: byChild.objectID) as? Author)
    article.author = byRoot
    try child.save()
    XCTAssertIdentical(article.author, byChild)
    XCTAssertEqual(byChild.articles, [article])
    XCTAssertTrue(byRoot.articles.isEmpty)
    XCTAssertTrue(first.articles.isEmpty)
  }

  func testB46_aRolledBackChildLeavesTheParentAlone() throws {
    let root = try makeContainer().viewContext
    let author = try root.savedAuthor("Ada")
    author.name = "parent's"
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    mine.name = "child's"
    child.rollback()
    XCTAssertEqual(mine.name, "parent's", "what the child last read from its parent")
    XCTAssertFalse(child.hasChanges)
    XCTAssertTrue(root.hasChanges)
  }

  func testB41_aCascadeInAChildReachesTheStoreThroughTheRoot() throws {
    let root = try makeContainer().viewContext
    let author = try root.savedAuthor("Ada")
    let draft = Draft(context: root)
    draft.owner = author
    try root.save()
    let child = makeMainChild(of: root)
    child.delete(child.object(with: author.objectID))
    try child.save()
    XCTAssertEqual(root.deletedObjects, [author, draft])
    try root.save()
    let fresh = try makeContainer().viewContext
    XCTAssertTrue(try fresh.all(Author.self).isEmpty)
    XCTAssertTrue(try fresh.all(Draft.self).isEmpty)
  }

  func testB41_B51_anObjectThatTheParentDeletedIsNotBroughtBackByAChild() throws {
    let root = try makeContainer().viewContext
    let author = try root.savedAuthor("Ada")
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    mine.name = "child's"
    root.delete(author)
    try child.save()
    try root.save()
    XCTAssertTrue(try makeContainer().viewContext.all(Author.self).isEmpty)
  }

  func testB40_aChildSeesAMembershipThatItsParentChanged() throws {
    let root = try makeContainer().viewContext
    let author = try root.savedAuthor("Ada")
    let article = try root.savedArticle("stored", by: author)
    let child = makeMainChild(of: root)
    article.author = nil
    let fresh = Article(context: root)
    fresh.title = "unsaved"
    fresh.author = author
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    XCTAssertEqual(mine.articles.map(\.title), ["unsaved"])
    XCTAssertNil(try XCTUnwrap(child.object(with: article.objectID) as? Article).author)
  }

  func testB41_aChildMayDeleteWhatItsParentHasNotSavedYet() throws {
    let root = try makeContainer().viewContext
    let author = Author(context: root)
    author.name = "unsaved"
    let child = makeMainChild(of: root)
    let mine = try child.only(Author.self)
    XCTAssertEqual(mine.name, "unsaved")
    child.delete(mine)
    try child.save()
    XCTAssertTrue(root.insertedObjects.isEmpty)
    try root.save()
    XCTAssertTrue(try makeContainer().viewContext.all(Author.self).isEmpty)
  }

  func testB41_aChildsInsertMadeAndDeletedBeforeItsSaveIsNotPushed() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    child.delete(author)
    try child.save()
    XCTAssertFalse(root.hasChanges)
  }

  func testA50_B43_aChildsSavedValuesAreReadBackFromItsParentAfterARefresh() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    author.name = "pushed"
    try child.save()
    child.refresh(author, mergeChanges: false)
    XCTAssertTrue(author.isFault)
    XCTAssertEqual(author.name, "pushed")
    try root.save()
    child.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.name, "pushed")
  }

  func testA66_B41_anInsertMayReferToAnotherInsertOfTheSameSave() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    author.name = "Ada"
    let profile = Profile(context: child)
    profile.author = author
    for number in 0..<3 {
      let article = Article(context: child)
      article.title = "\(number)"
      author.articles.insert(article)
    }
    try child.save()
    try root.save()
    let stored = try makeContainer().viewContext.only(Author.self)
    XCTAssertEqual(stored.articles.map(\.title).sorted(), ["0", "1", "2"])
    XCTAssertNotNil(stored.profile)
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
