import CoreData
import Foundation
import XCTest

/// Graphs of which a context knows one end too little, or one object too many.
///
/// Random programs found each of these; `ProgramSpecs` holds the engine against the rules as such.
final class StaleGraphSpecs: SpecCase {
  // MARK: Objects that are gone

  func testA43_anObjectWhoseRowIsGoneHasNoMembersEither() throws {
    let container = try makeContainer()
    let author = try container.viewContext.savedAuthor()
    let letter = Letter(context: container.viewContext)
    letter.sender = author
    try container.viewContext.save()
    let other = makeMainContext(container)
    let twin = try XCTUnwrap(other.object(with: author.objectID) as? Author)
    container.viewContext.delete(author)
    try container.viewContext.save()
    // The rule of `letters` is "no action", so the letter's row still names its sender.
    XCTAssertEqual(twin.letters, [])
    XCTAssertTrue(twin.isDeleted)
  }

  func testA43_A91_anObjectWhoseRowCameBackTakesItsValuesWithAMergingRefresh() throws {
    let container = try makeContainer()
    let root = container.viewContext
    let author = try root.savedAuthor("Ada")
    author.born = 1815
    try root.save()
    let child = makeMainChild(of: root)
    let twin = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    root.delete(author)
    XCTAssertNil(twin.name, "its parent has no row for it at the moment")
    root.rollback()
    child.refresh(twin, mergeChanges: true)
    XCTAssertEqual(twin.name, "Ada")
    XCTAssertEqual(twin.born, 1815, "reading zero was no change of this context")
  }

  func testA63_whatIsGoneForGoodDoesNotGetInTheWayOfDeletingItsOwner() throws {
    let container = try makeContainer()
    let (local, external) = (makeMainContext(container), makeMainContext(container))
    let ada = try local.savedAuthor("Ada")
    let bob = try local.savedAuthor("Bob")
    let article = try local.savedArticle(by: ada)
    let draft = Draft(context: local)
    draft.owner = ada
    try local.save()
    XCTAssertEqual(ada.articles, [article])
    XCTAssertEqual(ada.drafts, [draft])
    for object in [article, draft] {
      let key = object is Article ? "author" : "owner"
      let twin = try external.existingObject(with: object.objectID)
      twin.setValue(external.object(with: bob.objectID), forKey: key)
    }
    try external.save()
    for object in [article, draft] {
      local.refresh(object, mergeChanges: true)
      local.delete(object)
    }
    local.refresh(bob, mergeChanges: true)
    try local.save()
    // Ada still counts both among hers, because nobody has refreshed her.
    local.refresh(ada, mergeChanges: ada.articles.isEmpty)
    local.delete(ada)
    XCTAssertNoThrow(try local.save())
  }

  func testD16_aMemberThatIsGoneForGoodDeniesNothing() throws {
    let container = try makeContainer()
    let (local, external) = (makeMainContext(container), makeMainContext(container))
    let author = try local.savedAuthor()
    let contract = Contract(context: local)
    contract.signatory = author
    try local.save()
    XCTAssertEqual(author.contracts, [contract])
    local.refresh(contract, mergeChanges: false)
    let twin = try external.existingObject(with: contract.objectID)
    external.delete(twin)
    try external.save()
    XCTAssertNil(contract.name, "firing it shows that its row is gone")
    try local.save()
    local.refresh(author, mergeChanges: author.hasChanges)
    local.delete(author)
    XCTAssertNoThrow(try local.save())
  }

  // MARK: References that dangle

  func testD17_theWayToADeletedObjectLeadsToAFaultWithoutARow() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let letter = Letter(context: context)
    letter.sender = author
    try context.save()
    context.delete(author)
    try context.save()
    XCTAssertNil(author.managedObjectContext)
    let left = try XCTUnwrap(letter.sender)
    XCTAssertTrue(left.isFault)
    XCTAssertEqual(left.objectID, author.objectID)
    XCTAssertNil(left.name)
    letter.sender = nil
    XCTAssertNoThrow(try context.save())
  }

  func testD17_aReferenceToWhatWasNeverSavedIsStoredAsNil() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    let letter = Letter(context: context)
    letter.sender = author
    context.delete(author)
    try context.save()
    let stored = try reopened().only(Letter.self)
    XCTAssertNil(stored.sender)
  }

  func testD17_D29_D38_aReferenceThatASaveStoredAsNilReadsNilAndIsNoChangeAfterwards() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    let letter = Letter(context: context)
    letter.sender = author
    context.delete(author)
    try context.save()
    let other = makeMainContext(container)
    let twin = try XCTUnwrap(other.existingObject(with: letter.objectID) as? Letter)
    // The name is nil already, so the second save has nothing to write.
    letter.name = nil
    let log = NotificationLog(
      [NSManagedObjectContext.didSaveObjectsNotification], from: context)
    try context.save()
    XCTAssertEqual(log.entries.last?.count("updated"), 0)
    XCTAssertNil(letter.sender)
    twin.name = "Dear reader"
    XCTAssertNoThrow(try other.save(), "the version is the one of the first save")
  }

  func testD17_D29_B41_aPushedReferenceThatASaveStoredAsNilReadsNilAfterwards() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    let letter = Letter(context: child)
    letter.sender = author
    child.delete(author)
    try child.save()
    let pushed = try root.only(Letter.self)
    try root.save()
    XCTAssertFalse(pushed.hasPersistentChangedValues)
    XCTAssertNil(pushed.sender)
  }

  // MARK: One end that knows more

  func testA66_D54_aLinkThatOneEndAloneKnowsOfIsSavedWhicheverEndItIs() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle()
    let tags = (0..<2).map { _ in Tag(context: context) }
    for tag in tags { tag.name = "word" }
    tags[0].articles = [article]
    try context.save()
    tags[0].articles = []
    tags[1].articles = [article]
    // From here on the tags alone know of both changes.
    context.refresh(article, mergeChanges: false)
    try context.save()
    let stored = try reopened().only(Article.self)
    XCTAssertEqual(stored.tags.map(\.objectID), [tags[1].objectID])
  }

  func testD49_aRollbackForgetsAnAdditionOfWhoWasAMemberAlready() throws {
    let crossing = try makeCrossing()
    let (local, external) = try crossing.givenAuthor()
    let draft = Draft(context: crossing.external)
    draft.owner = external
    try crossing.external.save()
    crossing.local.refresh(local, mergeChanges: false)
    let twin = try crossing.local.existingObject(with: draft.objectID)
    // The relationship is unread, so the addition is kept beside it though it adds nobody.
    local.mutableSetValue(forKey: "drafts").add(twin)
    external.born = 2
    try crossing.external.save()
    crossing.local.mergePolicy = NSMergePolicy.rollback
    try crossing.local.save()
    external.born = 3
    XCTAssertNoThrow(try crossing.external.save(), "the version is the one of the save before")
    XCTAssertEqual(local.drafts, [twin])
  }

  func testD49_D55_aMergedObjectThatAnotherConflictChangesIsPartOfTheSave() throws {
    let crossing = try makeCrossing()
    let (ada, foreignAda) = try crossing.givenAuthor()
    let foreignBob = try crossing.external.savedAuthor("Bob")
    let foreignArticle = try crossing.external.savedArticle()
    let bob = try crossing.realised(foreignBob.objectID, in: crossing.local)
    XCTAssertEqual(ada.articles, [])
    foreignArticle.author = foreignAda
    try crossing.external.save()
    let found = try crossing.local.existingObject(with: foreignArticle.objectID)
    let article = try XCTUnwrap(found as? Article)
    ada.name = "Ada"
    article.author = bob
    foreignBob.born = 2
    try crossing.external.save()
    // Ada's conflict is resolved first; Bob's gives the article back to her.
    crossing.local.mergePolicy = NSMergePolicy.rollback
    let log = NotificationLog(
      [NSManagedObjectContext.didSaveObjectsNotification], from: crossing.local)
    try crossing.local.save()
    XCTAssertTrue(article.author === ada)
    XCTAssertTrue(log.entries.last?.ids["updated"]?.contains(ada.objectID) == true)
  }

  // MARK: Rows that came back

  func testD34_T6_whoReadARowBeforeItWasDeletedConflictsWithTheOneThatCameBack() throws {
    let container = try makeContainer()
    let contexts = (0..<3).map { _ in makeMainContext(container) }
    let id = try contexts[0].savedAuthor("Ada").objectID
    let twins = try contexts.map { try XCTUnwrap($0.existingObject(with: id) as? Author) }
    twins[0].born = 1815
    contexts[1].delete(twins[1])
    try contexts[1].save()
    contexts[0].mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try contexts[0].save()
    // Had the row begun at version 1 again, this would pass and lose the year.
    twins[2].name = "Ada Lovelace"
    XCTAssertEqual(try conflicts(savingFails: contexts[2]).count, 1)
  }

  func testD34_T6_eachLifeOfARowHasVersionsOfItsOwn() throws {
    let container = try makeContainer()
    let contexts = (0..<3).map { _ in makeMainContext(container) }
    let id = try contexts[0].savedAuthor("Ada").objectID
    let twins = try contexts.map { try XCTUnwrap($0.existingObject(with: id) as? Author) }
    for writer in 0..<2 {
      contexts[writer].mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      twins[writer].born = Int64(1815 + writer)
    }
    contexts[2].delete(twins[2])
    try contexts[2].save()
    try contexts[0].save()
    // Whoever reads the second life must not take the third for it: both began from one version.
    let reader = makeMainContext(container)
    let twin = try XCTUnwrap(reader.existingObject(with: id) as? Author)
    XCTAssertEqual(twin.born, 1815)
    contexts[0].delete(twins[0])
    try contexts[0].save()
    try contexts[1].save()
    twin.name = "Ada Lovelace"
    XCTAssertEqual(try conflicts(savingFails: reader).count, 1)
  }

  // MARK: Ids

  func testA19_B41_aFaultThatWasAskedForTooEarlyGivesWayToTheRecordThatAChildSaves() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    try child.obtainPermanentIDs(for: [author])
    let early = root.object(with: author.objectID)
    early.willAccessValue(forKey: nil)
    XCTAssertTrue(early.isDeleted, "it has no row yet")
    try child.save()
    XCTAssertNil(early.managedObjectContext)
    XCTAssertEqual(root.insertedObjects.map(\.objectID), [author.objectID])
    XCTAssertTrue(root.deletedObjects.isEmpty)
    try root.save()
    XCTAssertEqual(try root.all(Author.self).map(\.objectID), [author.objectID])
  }

  func testA1_A9_aPermanentIdObtainedInAChildIsItsParentsToo() throws {
    let root = try makeContainer().viewContext
    let author = Author(context: root)
    let child = makeMainChild(of: root)
    let twin = try XCTUnwrap(child.existingObject(with: author.objectID) as? Author)
    try child.obtainPermanentIDs(for: [twin])
    XCTAssertFalse(twin.objectID.isTemporaryID)
    XCTAssertEqual(author.objectID, twin.objectID)
    twin.name = "Ada"
    try child.save()
    try root.save()
    XCTAssertEqual(author.objectID, twin.objectID)
    XCTAssertEqual(author.name, "Ada")
  }

  func testA9_A19_anIdObtainedInAGrandchildNamesTheInstanceThatOlderRowsMean() throws {
    let root = try makeContainer().viewContext
    let author = Author(context: root)
    let draft = Draft(context: root)
    draft.owner = author
    let child = makeMainChild(of: root)
    let childsDraft = try XCTUnwrap(child.object(with: draft.objectID) as? Draft)
    XCTAssertEqual(childsDraft.owner?.objectID, author.objectID)
    let grandchild = makeMainChild(of: child)
    let twin = grandchild.object(with: author.objectID)
    try grandchild.obtainPermanentIDs(for: [twin])
    XCTAssertFalse(twin.objectID.isTemporaryID)
    let grandchildsDraft = try XCTUnwrap(grandchild.object(with: draft.objectID) as? Draft)
    XCTAssertIdentical(grandchildsDraft.owner, twin)
  }

  func testD7_afterAFailedSaveAChildSeesTheTemporaryId() throws {
    let crossing = try makeCrossing()
    let (local, external) = try crossing.givenAuthor()
    external.born = 2
    try crossing.external.save()
    local.born = 3
    let article = Article(context: crossing.local)
    let author = Author(context: crossing.local)
    article.author = author
    XCTAssertEqual(try conflicts(savingFails: crossing.local).count, 1)
    let child = makeMainChild(of: crossing.local)
    let twin = try child.only(Article.self)
    XCTAssertEqual(twin.author?.objectID, author.objectID)
    XCTAssertEqual(twin.author?.objectID.isTemporaryID, true)
  }
}
