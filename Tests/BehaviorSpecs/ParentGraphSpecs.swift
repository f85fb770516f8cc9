import CoreData
import Foundation
import XCTest

/// Relationships across parents and children (rules of A.1, A.4 and B.5 put together).
final class ParentGraphSpecs: SpecCase {
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

  func testA16_I5_aRootThatResetsAfterItsSaveStillKnowsTheRecordsOfItsChildren() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    author.name = "first"
    try child.save()
    try root.save()
    root.reset()
    author.name = "second"
    try child.save()
    try root.save()
    XCTAssertEqual(try makeContainer().viewContext.all(Author.self).map(\.name), ["second"])
    root.reset()
    child.delete(author)
    try child.save()
    try root.save()
    XCTAssertTrue(try makeContainer().viewContext.all(Author.self).isEmpty)
  }

  func testE30_E32_aChildHearsOfItsParentsSavedDeletionInTheMiddleOfThatSave() throws {
    let container = try makeContainer()
    let parent = makeMainContext(container)
    let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    child.parent = parent
    let author = try parent.savedAuthor()
    let doomed = child.object(with: author.objectID)
    child.delete(doomed)
    let found = Box<Int?>(nil)
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: parent, queue: nil
    ) { saved in
      child.mergeChanges(fromContextDidSave: saved)
      MainActor.assumeIsolated { found.value = try? child.fetch(Author.fetchRequest()).count }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    parent.delete(author)
    try parent.save()
    XCTAssertEqual(found.value, 0)
    XCTAssertNil(doomed.managedObjectContext, "no row is left to delete")
    XCTAssertFalse(child.hasChanges)
  }
}
