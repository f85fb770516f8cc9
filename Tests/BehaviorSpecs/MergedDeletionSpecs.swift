import CoreData
import Foundation
import XCTest

/// What a context makes of records that others deleted (E30 to E32, E39).
final class MergedDeletionSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  /// Merges every save of `saver` into `receiver` while the body runs.
  private func merging(
    _ saver: Context, into receiver: Context, _ body: () throws -> Void
  ) rethrows {
    let token = NotificationCenter.default.addObserver(
      forName: Context.didSaveObjectsNotification, object: saver, queue: nil
    ) { receiver.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
  }

  private func batchDelete(_ objects: [NSManagedObject], _ context: Context) throws {
    let request = NSBatchDeleteRequest(objectIDs: objects.map(\.objectID))
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request) as? NSBatchDeleteResult
    let ids = try XCTUnwrap(result?.result as? [NSManagedObjectID])
    Context.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
  }

  // MARK: Owners

  func testE30_E31_anOwnerWhoIsReadIsNotChangedByADeletionThatIsMerged() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    let author = try saver.savedAuthor()
    let article = try saver.savedArticle(by: author)
    let tag = Tag(context: saver)
    tag.name = "word"
    article.tags = [tag]
    try saver.save()
    let shown = try XCTUnwrap(view.existingObject(with: article.objectID) as? Article)
    let owner = try XCTUnwrap(shown.author)
    XCTAssertEqual(owner.name, "Ada")
    XCTAssertEqual(shown.tags.count, 1)
    try merging(saver, into: view) {
      saver.delete(article)
      try saver.save()
    }
    XCTAssertTrue(view.updatedObjects.isEmpty, "\(view.updatedObjects)")
    XCTAssertFalse(view.hasChanges)
    Tag(context: view).name = "something to save"
    try view.save()
    author.name = "x"
    XCTAssertNoThrow(try saver.save(), "nobody else changed the author")
    XCTAssertEqual(owner.articles, [])
  }

  func testB58_E30_anOwnerWhoIsNotRegisteredIsNotLoaded() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    let author = try saver.savedAuthor()
    let article = try saver.savedArticle(by: author)
    let shown = try view.existingObject(with: article.objectID)
    try merging(saver, into: view) {
      saver.delete(article)
      try saver.save()
    }
    XCTAssertNil(view.registeredObject(for: author.objectID))
    XCTAssertNil(shown.managedObjectContext)
  }

  func testE30_whatOnlyTheReceiverKnowsFollowsTheDeleteRules() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let draft = Draft(context: crossing.local)
    draft.owner = mine
    let article = Article(context: crossing.local)
    article.author = mine
    try merging(crossing.external, into: crossing.local) {
      crossing.external.delete(theirs)
      try crossing.external.save()
    }
    XCTAssertNil(draft.managedObjectContext, "the cascade reaches what was not saved yet")
    XCTAssertNil(article.author)
    XCTAssertEqual(crossing.local.insertedObjects, [article])
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testE30_E38_whatMovedAwayBeforeItsOwnerWasDeletedStays() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let bob = try crossing.external.savedAuthor("Bob")
    let draft = Draft(context: crossing.external)
    draft.owner = theirs
    try crossing.external.save()
    crossing.local.refresh(mine, mergeChanges: false)
    let held = try XCTUnwrap(mine.drafts.first)
    XCTAssertEqual(held.owner, mine)
    try merging(crossing.external, into: crossing.local) {
      draft.owner = bob
      crossing.external.delete(theirs)
      try crossing.external.save()
    }
    XCTAssertFalse(held.isDeleted)
    XCTAssertEqual(held.owner?.name, "Bob")
    try crossing.local.save()
    XCTAssertEqual(try crossing.reread().all(Draft.self).count, 1)
  }

  func testE30_anOrderedOwnerForgetsAMemberWithoutAChange() throws {
    let crossing = try makeCrossing()
    let (local, external) = (crossing.local, crossing.external)
    let anthology = Anthology(context: local)
    for name in ["a", "b", "c"] {
      let piece = Piece(context: local)
      (piece.name, piece.anthology) = (name, anthology)
    }
    try local.save()
    XCTAssertEqual(anthology.pieceNames, ["a", "b", "c"])
    let doomed = try XCTUnwrap(anthology.pieces[1] as? NSManagedObject)
    external.delete(try external.existingObject(with: doomed.objectID))
    try external.save()
    Context.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [doomed.objectID]], into: [local])
    XCTAssertEqual(anthology.pieceNames, ["a", "c"])
    XCTAssertFalse(anthology.hasChanges)
  }

  func testE32_B41_aParentThatMergedADeletionTakesNoChangeOfTheRecord() throws {
    let container = try makeContainer()
    let (saver, root) = (makeMainContext(container), makeMainContext(container))
    let author = try saver.savedAuthor()
    let shown = try root.existingObject(with: author.objectID)
    let child = makeMainChild(of: root)
    let twin = try XCTUnwrap(child.existingObject(with: author.objectID) as? Author)
    twin.name = "x"
    try merging(saver, into: root) {
      saver.delete(author)
      try saver.save()
    }
    XCTAssertNil(shown.managedObjectContext)
    XCTAssertNoThrow(try child.save())
    XCTAssertNoThrow(try root.save())
    XCTAssertTrue(try root.all(Author.self).isEmpty)
  }

  // MARK: Conflicts

  /// A crossing under each policy that takes what the store has.
  private func underPoliciesOfTheStore(_ body: (Crossing) throws -> Void) throws {
    for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
      let url = storeURL("\(policy.mergeType.rawValue)")
      let crossing = try Crossing(at: url, place: .sameCoordinator) { self.keep($0) }
      crossing.local.mergePolicy = policy
      try body(crossing)
    }
  }

  func testT6_whatLedToARecordThatIsTakenAsDeletedFollowsTheDeleteRules() throws {
    try underPoliciesOfTheStore { crossing in
      let (local, external) = (crossing.local, crossing.external)
      let (mine, theirs) = try crossing.givenAuthor()
      let old = try external.savedArticle(by: theirs)
      let held = try XCTUnwrap(local.existingObject(with: old.objectID) as? Article)
      XCTAssertEqual(mine.articles, [held])
      let (article, draft) = (Article(context: local), Draft(context: local))
      (article.author, draft.owner, mine.name) = (mine, mine, "L1")
      external.delete(theirs)
      try external.save()
      let log = NotificationLog([Context.didSaveObjectsNotification], from: local)
      try local.save()
      XCTAssertNil(mine.managedObjectContext)
      XCTAssertNil(held.author)
      XCTAssertNil(article.author)
      XCTAssertNil(draft.managedObjectContext, "the cascade reaches what was never saved")
      XCTAssertFalse(local.hasChanges)
      XCTAssertEqual(log.entries.first?.ids[NSDeletedObjectsKey], [mine.objectID])
      XCTAssertEqual(log.entries.first?.ids[NSInsertedObjectsKey], [article.objectID])
      let reader = try crossing.reread()
      XCTAssertEqual(try reader.all(Article.self).map(\.author), [nil, nil])
      XCTAssertEqual(try reader.all(Draft.self), [])
    }
  }

  func testT7_aDeletionThatIsDroppedLeavesWhatItsRulesDidToOthers() throws {
    try underPoliciesOfTheStore { crossing in
      let (local, external) = (crossing.local, crossing.external)
      let (mine, theirs) = try crossing.givenAuthor()
      (theirs.articles, theirs.drafts) = ([Article(context: external)], [Draft(context: external)])
      theirs.profile = Profile(context: external)
      try external.save()
      local.refreshAllObjects()
      local.delete(mine)
      local.processPendingChanges()
      theirs.name = "S1"
      try external.save()
      try local.save()
      XCTAssertEqual(mine.name, "S1")
      XCTAssertEqual(mine.articles, [])
      XCTAssertEqual(mine.drafts, [])
      XCTAssertNil(mine.profile, "what is deleted with it is not led to")
      XCTAssertFalse(local.hasChanges)
      let reader = try crossing.reread()
      XCTAssertNil(try reader.only(Article.self).author)
      XCTAssertEqual(try reader.all(Draft.self), [])
      XCTAssertEqual(try reader.all(Profile.self), [])
      XCTAssertNil(try reader.only(Author.self).profile)
    }
  }

  func testT7_whoIsRestoredAlthoughItsOwnerGoesLosesTheOwner() throws {
    let crossing = try makeCrossing()
    let (local, external) = (crossing.local, crossing.external)
    local.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    let (mine, theirs) = try crossing.givenAuthor()
    let draft = Draft(context: external)
    draft.owner = theirs
    try external.save()
    local.refreshAllObjects()
    let held = try XCTUnwrap(mine.drafts.first)
    local.delete(mine)
    local.processPendingChanges()
    draft.name = "S1"
    try external.save()
    try local.save()
    XCTAssertEqual(held.name, "S1")
    XCTAssertNil(held.owner)
    let reader = try crossing.reread()
    XCTAssertNil(try reader.only(Draft.self).owner)
    XCTAssertEqual(try reader.all(Author.self), [])
  }

  // MARK: Batch requests

  func testF89_E31_D42_afterAMergedBatchDeletionWhatItUnlinkedCanBeSaved() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    XCTAssertEqual(author.articles.count, 1)
    try batchDelete([author], context)
    XCTAssertNil(article.author)
    XCTAssertFalse(article.hasChanges, "the request had unlinked it")
    XCTAssertNoThrow(try context.save())
    article.title = "B"
    XCTAssertNoThrow(try context.save())
  }

  func testF85_F89_whatABatchDeletionTookAlongIsGoneToo() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let draft = Draft(context: context)
    draft.owner = author
    try context.save()
    XCTAssertEqual(author.drafts, [draft])
    try batchDelete([author], context)
    XCTAssertNil(draft.managedObjectContext)
    XCTAssertFalse(context.hasChanges)
  }

  // MARK: Afterwards

  func testE31_aMergedDeletionIsNotPending() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    let author = try saver.savedAuthor()
    let shown = try XCTUnwrap(view.existingObject(with: author.objectID) as? Author)
    weak var released: Author?
    try merging(saver, into: view) {
      let second = try saver.savedAuthor("Bea")
      released = try view.existingObject(with: second.objectID) as? Author
      withExtendedLifetime(released) {}
      saver.delete(author)
      saver.delete(second)
      try saver.save()
    }
    XCTAssertFalse(view.hasChanges)
    XCTAssertTrue(view.deletedObjects.isEmpty)
    XCTAssertTrue(shown.isDeleted)
    XCTAssertNil(shown.managedObjectContext)
    XCTAssertNil(shown.name)
    XCTAssertNil(released, "nobody holds it")
  }

  func testE31_E32_A98_aMergedDeletionEndsAPendingOneWhichNoRollbackTakesBack() throws {
    for isProcessed in [false, true] {
      let container = try makeContainer(name: "\(isProcessed)")
      let (saver, view) = (makeMainContext(container), makeMainContext(container))
      let shown = try view.savedAuthors("Ada", "Bea")
      let article = try view.savedArticle(by: shown[1])
      let (controller, journal) = try authors(in: view)
      view.delete(shown[1])
      if isProcessed { view.processPendingChanges() }
      try merging(saver, into: view) {
        saver.delete(saver.object(with: shown[1].objectID))
        try saver.save()
      }
      XCTAssertNil(shown[1].managedObjectContext)
      XCTAssertTrue(view.deletedObjects.isEmpty)
      view.rollback()
      XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["Ada"])
      XCTAssertTrue(journal.lines.contains("Bea: delete 0.1 to nil"))
      view.refresh(article, mergeChanges: false)
      XCTAssertNil(article.author)
      try view.save()
    }
  }

  func testE31_A104_undoingADeletionThatAnotherMadeTooInsertsTheRecordAgain() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    let author = try view.savedAuthor()
    let article = try view.savedArticle(by: author)
    view.undoManager = UndoManager()
    view.delete(author)
    view.processPendingChanges()
    try merging(saver, into: view) {
      saver.delete(saver.object(with: author.objectID))
      try saver.save()
    }
    view.undo()
    XCTAssertEqual(view.insertedObjects, [author])
    XCTAssertTrue(article.author === author)
    try view.save()
    XCTAssertEqual(try makeMainContext(container).only(Article.self).author?.name, "Ada")
  }

  func testE29_A104_aRecordThatComesBackIsShownAgain() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    saver.undoManager = UndoManager()
    let author = try saver.savedAuthor()
    let shown = try XCTUnwrap(view.existingObject(with: author.objectID) as? Author)
    try merging(saver, into: view) {
      saver.delete(author)
      try saver.save()
      XCTAssertTrue(try view.all(Author.self).isEmpty)
      saver.undo()
      try saver.save()
    }
    let again = try view.only(Author.self)
    XCTAssertFalse(again === shown)
    XCTAssertEqual(again.name, "Ada")
  }

  func testA43_E29_anObjectThatWasFoundWithoutARowIsShownAgain() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    saver.undoManager = UndoManager()
    let author = try saver.savedAuthor()
    let held = try XCTUnwrap(view.object(with: author.objectID) as? Author)
    saver.delete(author)
    try saver.save()
    XCTAssertNil(held.name)
    XCTAssertTrue(view.deletedObjects.contains(held))
    try merging(saver, into: view) {
      saver.undo()
      try saver.save()
    }
    XCTAssertEqual(held.name, "Ada")
    XCTAssertEqual(try view.all(Author.self), [held])
  }

  func testT6_D47_aLinkToARecordThatCameBackIsMadeAtBothEnds() throws {
    let container = try makeContainer()
    let (view, other, deleter) = (
      makeMainContext(container), makeMainContext(container), makeMainContext(container)
    )
    for context in [view, other, deleter] { context.mergePolicy = NSMergePolicy.overwrite }
    let author = try view.savedAuthor()
    let id = author.objectID
    let draft = Draft(context: view)
    draft.owner = author
    try view.save()
    let foreign = try XCTUnwrap(other.existingObject(with: draft.objectID) as? Draft)
    foreign.owner = nil
    try other.save()
    view.refresh(author, mergeChanges: true)
    draft.name = "kept"
    let returning = try XCTUnwrap(other.existingObject(with: id) as? Author)
    returning.name = "Ada again"
    try merging(deleter, into: view) {
      deleter.delete(deleter.object(with: id))
      try deleter.save()
    }
    try other.save()
    let log = NotificationLog([NSManagedObjectContext.didSaveObjectsNotification], from: view)
    try view.save()
    let changed = log.entries.first?.ids[NSUpdatedObjectsKey]
    XCTAssertEqual(changed, [draft.objectID, id], "a new member is a change of its owner")
    let returned = try XCTUnwrap(draft.owner)
    XCTAssertFalse(returned === author)
    XCTAssertTrue(returned === view.registeredObject(for: id))
    XCTAssertEqual(returned.drafts, [draft])
  }
}
