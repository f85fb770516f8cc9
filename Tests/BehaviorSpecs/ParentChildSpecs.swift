import CoreData
import Foundation
import XCTest

/// How a child context reads from and saves into its parent (section B.5).
final class ParentChildSpecs: SpecCase {
  func testB37_aChildReadsTheRootsCoordinator() throws {
    let container = try makeContainer()
    let child = makeMainChild(of: container.viewContext)
    let grandchild = makeMainChild(of: child)
    XCTAssertIdentical(child.parent, container.viewContext)
    XCTAssertIdentical(
      grandchild.persistentStoreCoordinator, container.persistentStoreCoordinator)
    XCTAssertNil(container.viewContext.parent)
  }

  func testB40_aChildSeesItsAncestorsUnsavedState() throws {
    let parent = try makeContainer().viewContext
    let updated = try parent.savedAuthor("updated")
    let deleted = try parent.savedAuthor("deleted")
    updated.name = "updated by the parent"
    parent.delete(deleted)
    let inserted = Author(context: parent)
    inserted.name = "inserted by the parent"

    let child = makeMainChild(of: parent)
    let names = try child.all(Author.self, by: "name").map(\.name)
    XCTAssertEqual(names, ["inserted by the parent", "updated by the parent"])
  }

  func testB40_aChildsOwnChangesAreCombinedWithItsAncestors() throws {
    let parent = try makeContainer().viewContext
    try parent.savedAuthor("a")
    try parent.savedAuthor("b")
    let middle = makeMainChild(of: parent)
    Author(context: middle).name = "c"
    let child = makeMainChild(of: middle)
    let seen = try child.all(Author.self, by: "name")
    XCTAssertEqual(seen.map(\.name), ["a", "b", "c"])
    seen[0].name = "z"
    child.delete(seen[1])
    Author(context: child).name = "d"
    XCTAssertEqual(try child.all(Author.self, by: "name").map(\.name), ["c", "d", "z"])
  }

  func testB40_aChildsPredicateIsAskedOfItsAncestorsUnsavedValues() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("stored")
    author.name = "unsaved"
    let child = makeMainChild(of: parent)
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.predicate = NSPredicate(format: "name == %@", "unsaved")
    XCTAssertEqual(try child.fetch(request).map(\.objectID), [author.objectID])
    XCTAssertEqual(try child.count(for: request), 1)
    request.predicate = NSPredicate(format: "name == %@", "stored")
    XCTAssertEqual(try child.fetch(request), [])
    XCTAssertEqual(try child.count(for: request), 0)
  }

  func testF28_aChildCountsWhatOffsetAndLimitLeaveOnce() throws {
    let parent = try makeContainer().viewContext
    try parent.savedAuthors("a", "b", "c", "d", "e", "f", "g")
    let child = makeMainChild(of: makeMainChild(of: parent))
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.fetchOffset = 2
    for isUnsaved in [false, true] {
      if isUnsaved { Author(context: parent).name = "h" }
      request.fetchLimit = 0
      XCTAssertEqual(try child.count(for: request), isUnsaved ? 6 : 5)
      request.fetchLimit = 3
      XCTAssertEqual(try child.count(for: request), 3)
      let numbers: NSFetchRequest<NSNumber> = NSFetchRequest(entityName: "Author")
      numbers.resultType = .countResultType
      numbers.fetchOffset = 5
      XCTAssertEqual(try child.fetch(numbers), isUnsaved ? [3] : [2])
    }
  }

  func testB40_aChildsFaultReadsTheParentsUnsavedValues() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("stored")
    author.name = "unsaved"
    let article = Article(context: parent)
    article.author = author
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    XCTAssertEqual(mine.name, "unsaved")
    XCTAssertEqual(mine.articles.count, 1)
  }

  func testB41_aChildsSaveReachesTheParentsMemoryOnly() throws {
    let container = try makeContainer()
    let parent = container.viewContext
    let stored = try parent.savedAuthor("stored")
    let doomed = try parent.savedAuthor("doomed")
    let child = makeMainChild(of: parent)
    try XCTUnwrap(child.object(with: stored.objectID) as? Author).name = "changed"
    child.delete(child.object(with: doomed.objectID))
    Author(context: child).name = "new"
    XCTAssertFalse(parent.hasChanges)
    try child.save()

    XCTAssertFalse(child.hasChanges)
    XCTAssertTrue(parent.hasChanges)
    XCTAssertEqual(parent.insertedObjects.count, 1)
    XCTAssertEqual(parent.updatedObjects, [stored])
    XCTAssertEqual(parent.deletedObjects, [doomed])
    XCTAssertEqual(stored.name, "changed")
    let outside = try makeContainer().viewContext
    XCTAssertEqual(
      try outside.all(Author.self, by: "name").map(\.name), ["doomed", "stored"])

    try parent.save()
    outside.reset()
    XCTAssertEqual(
      try makeContainer().viewContext.all(Author.self, by: "name").map(\.name),
      ["changed", "new"])
  }

  func testB41_relationshipsArePushedOnBothSides() throws {
    let container = try makeContainer()
    let parent = container.viewContext
    let author = try parent.savedAuthor("Ada")
    let child = makeMainChild(of: parent)
    let article = Article(context: child)
    article.title = "pushed"
    article.author = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    try child.save()
    XCTAssertEqual(author.articles.map(\.title), ["pushed"])
    try parent.save()
    let stored = try makeContainer().viewContext.only(Article.self)
    XCTAssertEqual(stored.author?.name, "Ada")
  }

  //   parent's queue             child's queue            main
  //   ──────────────             ─────────────            ────
  //   block waits at the gate
  //                              save begins ──────────▶  works elsewhere, then opens the gate
  //   block ends
  //                              save ends
  func testB42_C7_I26_L5_aChildsSaveWaitsForABusyParent() throws {
    let container = try makeContainer()
    let parent = container.newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    let order = Box<[String]>([])
    let (gate, busy, saving) = (Gate(), Gate(), Gate())
    parent.perform {
      busy.open()
      gate.pass()
      order.update { $0.append("parent's block ends") }
    }
    XCTAssertTrue(busy.pass())
    child.perform {
      _ = Author(context: child)
      order.update { $0.append("child's save begins") }
      saving.open()
      try? child.save()
      order.update { $0.append("child's save ends") }
    }
    XCTAssertTrue(saving.pass())
    // Time enough, in work rather than in seconds, for a save that does not wait.
    let bystander = container.newBackgroundContext()
    for _ in 0..<50 { _ = try bystander.performAndWait { try bystander.savedAuthor() } }
    gate.open()
    drain(child)
    XCTAssertEqual(
      order.value, ["child's save begins", "parent's block ends", "child's save ends"])
  }

  func testB43_aChildsSaveKnowsNoConflict() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("stored")
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    mine.name = "child's"
    author.name = "parent's"
    XCTAssertNoThrow(try child.save())
    XCTAssertEqual(author.name, "child's")
  }

  func testB43_B49_ofTwoSiblingsTheLastPushWins() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("stored")
    let (one, two) = (makeMainChild(of: parent), makeMainChild(of: parent))
    let first = try XCTUnwrap(one.object(with: author.objectID) as? Author)
    let second = try XCTUnwrap(two.object(with: author.objectID) as? Author)
    first.name = "first"
    second.name = "second"
    try one.save()
    XCTAssertEqual(second.name, "second", "a sibling is told nothing")
    try two.save()
    XCTAssertEqual(author.name, "second")
    XCTAssertEqual(first.name, "first")
    one.refresh(first, mergeChanges: false)
    XCTAssertEqual(first.name, "second", "it learns through the parent when it looks again")
  }

  func testB44_K4_onlyWhatTheChildChangedOverwritesTheParent() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("stored")
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    mine.name = "child's"
    author.born = 1815
    try child.save()
    XCTAssertEqual(author.name, "child's")
    XCTAssertEqual(author.born, 1815)
  }

  func testB45_validationRunsAtEachLevel() throws {
    Journal.clear()
    defer { Journal.clear() }
    let parent = try makeContainer(model: WitnessModel.model).viewContext
    let child = makeMainChild(of: parent)
    _ = Witness(context: child)
    try child.save()
    XCTAssertEqual(Journal.count("validateForInsert"), 1)
    try parent.save()
    XCTAssertEqual(Journal.count("validateForInsert"), 2)
  }

  func testB46_K4_aFailedChildSaveLeavesTheParentAloneAndTheChildDirty() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("stored")
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    mine.name = "valid"
    let tag = Tag(context: child)
    XCTAssertThrowsError(try child.save(), "a tag needs a name")
    XCTAssertFalse(parent.hasChanges)
    XCTAssertEqual(author.name, "stored")
    XCTAssertTrue(child.hasChanges)
    XCTAssertTrue(mine.isUpdated)
    tag.name = "named"
    XCTAssertNoThrow(try child.save())
    XCTAssertEqual(author.name, "valid")
    XCTAssertEqual(parent.insertedObjects.count, 1)
  }

  func testB47_theChildAnnouncesItsSaveAndTheParentAChange() throws {
    let parent = try makeContainer().viewContext
    let child = makeMainChild(of: parent)
    let names: [Notification.Name] = [
      .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
      .NSManagedObjectContextObjectsDidChange,
    ]
    _ = Author(context: child)
    child.processPendingChanges()
    let (ofChild, ofParent) = (
      NotificationLog(names, from: child), NotificationLog(names, from: parent)
    )
    try child.save()
    parent.processPendingChanges()
    XCTAssertEqual(
      ofChild.entries.map(\.name).filter { $0 != .NSManagedObjectContextObjectsDidChange },
      [.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave])
    XCTAssertEqual(
      ofParent.entries.map(\.name), [.NSManagedObjectContextObjectsDidChange])
    XCTAssertEqual(ofParent.entries.first?.count(NSInsertedObjectsKey), 1)
    ofParent.clear()
    try parent.save()
    XCTAssertEqual(
      ofParent.entries.map(\.name).filter { $0 != .NSManagedObjectContextObjectsDidChange },
      [.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave])
  }

  func testB41_E30_E33_aParentThatMergesItsChildsSaveStillHasItToSave() throws {
    for name in [
      NSManagedObjectContext.didSaveObjectsNotification,
      NSManagedObjectContext.didSaveObjectIDsNotification,
    ] {
      let container = try makeContainer(name: name.rawValue)
      let root = container.viewContext
      let child = makeMainChild(of: root)
      let all = try root.savedAuthors("A", "B")
      let token = NotificationCenter.default.addObserver(
        forName: name, object: child, queue: nil
      ) { root.mergeChanges(fromContextDidSave: $0) }
      defer { NotificationCenter.default.removeObserver(token) }
      let changed = try XCTUnwrap(child.existingObject(with: all[0].objectID) as? Author)
      changed.name = "Z"
      child.delete(child.object(with: all[1].objectID))
      Author(context: child).name = "N"
      try child.save()
      XCTAssertEqual(root.insertedObjects.count, 1)
      XCTAssertEqual(root.updatedObjects, [all[0]])
      XCTAssertEqual(root.deletedObjects, [all[1]])
      try root.save()
      let stored = try makeMainContext(container).all(Author.self, by: "name")
      XCTAssertEqual(stored.map(\.name), ["N", "Z"])
    }
  }

  func testB41_D13_whatAChildLinksToADeletedObjectFollowsItsDeleteRules() throws {
    let container = try makeContainer()
    let root = container.viewContext
    let (author, article) = (try root.savedAuthor(), try root.savedArticle())
    let draft = Draft(context: root)
    try root.save()
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.existingObject(with: author.objectID) as? Author)
    try XCTUnwrap(child.existingObject(with: article.objectID) as? Article).author = mine
    try XCTUnwrap(child.existingObject(with: draft.objectID) as? Draft).owner = mine
    let fresh = Article(context: child)
    fresh.author = mine
    root.delete(author)
    try child.save()
    XCTAssertNil(article.author)
    XCTAssertTrue(draft.isDeleted)
    try root.save()
    let reread = makeMainContext(container)
    XCTAssertEqual(try reread.all(Article.self).map(\.author), [nil, nil])
    XCTAssertTrue(try reread.all(Draft.self).isEmpty)
    XCTAssertTrue(try reread.all(Author.self).isEmpty)
  }

  func testB41_D17_D24_whatAChildLinksToWhoseRulesHaveActedIsDangling() throws {
    let root = try makeContainer().viewContext
    let (author, article) = (try root.savedAuthor(), try root.savedArticle())
    let child = makeMainChild(of: root)
    let mine = try XCTUnwrap(child.existingObject(with: article.objectID) as? Article)
    mine.author = child.object(with: author.objectID) as? Author
    root.delete(author)
    root.processPendingChanges()
    try child.save()
    let error = cocoaError(1550) { try root.save() }
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, article)
    article.author = nil
    XCTAssertNoThrow(try root.save())
  }

  func testB48_theParentsChangesAreNotPushedDown() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("before")
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    XCTAssertEqual(mine.name, "before")
    author.name = "after"
    try parent.save()
    XCTAssertEqual(try child.only(Author.self).name, "before")
    child.refresh(mine, mergeChanges: true)
    XCTAssertEqual(mine.name, "after")
  }

  func testB50_L4_afterARootSaveTheRootsIdIsPermanentAndOneRowIsStored() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    try child.save()
    let pushed = try XCTUnwrap(root.insertedObjects.first)
    XCTAssertTrue(pushed.objectID.isTemporaryID)
    try root.save()
    XCTAssertFalse(pushed.objectID.isTemporaryID)
    XCTAssertTrue(author.objectID.isTemporaryID)
    XCTAssertEqual(try makeContainer().viewContext.all(Author.self).count, 1)
  }

  func testB51_aSiblingOfADeletingChildGetsAnInaccessibleFault() throws {
    let parent = try makeContainer().viewContext
    let id = try parent.savedAuthor("doomed").objectID
    let (one, two) = (makeMainChild(of: parent), makeMainChild(of: parent))
    let seen = try XCTUnwrap(two.object(with: id) as? Author)
    let mine = one.object(with: id)
    one.delete(mine)
    try one.save()
    XCTAssertEqual(parent.deletedObjects.map(\.objectID), [id])
    try parent.save()
    XCTAssertTrue(seen.isFault)
    XCTAssertNil(seen.name)
    XCTAssertTrue(seen.isDeleted)
    XCTAssertTrue(try parent.all(Author.self).isEmpty)
  }
}
