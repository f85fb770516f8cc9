import CoreData
import Foundation
import XCTest

/// When and how a deletion spreads along relationships (section D.2).
final class DeletePropagationSpecs: SpecCase {
  private func authorWithDraft(
    in context: NSManagedObjectContext
  ) throws -> (author: Author, draft: Draft) {
    let author = Author(context: context)
    let draft = Draft(context: context)
    draft.owner = author
    try context.save()
    return (author, draft)
  }

  func testD12_byDefaultProcessingPendingChangesPropagates() throws {
    let context = try makeContainer().viewContext
    XCTAssertTrue(context.propagatesDeletesAtEndOfEvent)
    let (author, draft) = try authorWithDraft(in: context)
    context.delete(author)
    context.processPendingChanges()
    XCTAssertTrue(draft.isDeleted)
  }

  func testD12_withTheFlagOffOnlyTheSavePropagates() throws {
    let container = try makeContainer()
    let context = container.viewContext
    context.propagatesDeletesAtEndOfEvent = false
    let (author, draft) = try authorWithDraft(in: context)
    context.delete(author)
    context.processPendingChanges()
    XCTAssertFalse(draft.isDeleted)
    try context.save()
    XCTAssertTrue(try reader(container).all(Draft.self).isEmpty)
  }

  func testD13_beforeProcessingChildrenLiveAndInversesStillPointAtTheParent() throws {
    let context = try makeContainer().viewContext
    let (author, draft) = try authorWithDraft(in: context)
    let article = try context.savedArticle(by: author)
    context.delete(author)
    XCTAssertTrue(author.isDeleted)
    XCTAssertFalse(draft.isDeleted)
    XCTAssertIdentical(article.author, author)
    context.processPendingChanges()
    XCTAssertTrue(draft.isDeleted)
    XCTAssertNil(article.author)
  }

  func testD13_D14_D37_A98_whoIsFirstReadAfterADeletionLosesTheMemberToTheDeleteRule() throws {
    let container = try makeContainer()
    let writer = makeMainContext(container)
    let author = try writer.savedAuthor()
    let id = try writer.savedArticle(by: author).objectID
    for (prefetches, reverts) in [(false, true), (true, true), (false, false)] {
      let context = makeMainContext(container)
      let article = try XCTUnwrap(context.existingObject(with: id) as? Article)
      context.delete(article)
      let request = NSFetchRequest<Author>(entityName: "Author")
      if prefetches { request.relationshipKeyPathsForPrefetching = ["articles"] }
      let owner = try XCTUnwrap(context.fetch(request).first)
      XCTAssertEqual(owner.articles, [article])
      context.processPendingChanges()
      XCTAssertTrue(owner.articles.isEmpty)
      XCTAssertTrue(owner.isUpdated)
      if reverts {
        context.rollback()
        XCTAssertIdentical(article.author, owner)
        XCTAssertEqual(owner.articles, [article])
      } else {
        let log = NotificationLog([.NSManagedObjectContextDidSave], from: context)
        try context.save()
        XCTAssertEqual(log.entries.first?.ids[NSUpdatedObjectsKey], [owner.objectID])
        XCTAssertTrue(owner.articles.isEmpty)
      }
    }
  }

  func testD12_D13_withTheFlagOffADeletedMemberStaysUntilTheSave() throws {
    let container = try makeContainer()
    let writer = makeMainContext(container)
    let id = try writer.savedArticle(by: writer.savedAuthor()).objectID
    let context = makeMainContext(container)
    context.propagatesDeletesAtEndOfEvent = false
    let article = try XCTUnwrap(context.existingObject(with: id) as? Article)
    let owner = try XCTUnwrap(article.author)
    context.delete(article)
    context.processPendingChanges()
    XCTAssertEqual(owner.articles, [article])
    try context.save()
    XCTAssertTrue(owner.articles.isEmpty)
  }

  func testD14_nullifyClearsTheInverseAndMarksTheDestinationUpdated() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    XCTAssertFalse(article.isUpdated)
    context.delete(author)
    context.processPendingChanges()
    XCTAssertNil(article.author)
    XCTAssertTrue(article.isUpdated)
    XCTAssertFalse(article.isDeleted)
    try context.save()
    XCTAssertNil(try reader(container).only(Article.self).author)
  }

  func testD14_nullifyTakesADeletedMemberOutOfAManyToManyRelationship() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle()
    let kept = Tag(context: context)
    kept.name = "kept"
    let gone = Tag(context: context)
    gone.name = "gone"
    article.tags = [kept, gone]
    try context.save()
    context.delete(gone)
    try context.save()
    XCTAssertEqual(article.tags, [kept])
    let reread = try reopened().only(Article.self)
    XCTAssertEqual(reread.tags.map(\.name), ["kept"])
  }

  func testD15_cascadeDeletesEveryDestination() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    author.drafts = Set((0..<5).map { _ in Draft(context: context) })
    author.profile = Profile(context: context)
    try context.save()
    context.delete(author)
    try context.save()
    let other = makeMainContext(container)
    XCTAssertTrue(try other.all(Draft.self).isEmpty)
    XCTAssertTrue(try other.all(Profile.self).isEmpty)
    XCTAssertTrue(try other.all(Author.self).isEmpty)
  }

  func testD15_cascadesGoDownLevelByLevelAndEndWhereTheyMeetACycle() throws {
    let container = try makeContainer(model: ChainModel.model)
    let context = container.viewContext
    let links = (0..<6).map { _ in ChainLink(context: context) }
    for (link, next) in zip(links, links.dropFirst() + links.prefix(1)) { link.next = next }
    let bystander = ChainLink(context: context)
    try context.save()
    context.delete(links[2])
    context.processPendingChanges()
    XCTAssertTrue(links.allSatisfy(\.isDeleted))
    XCTAssertFalse(bystander.isDeleted)
    try context.save()
    XCTAssertEqual(try reader(container).all(ChainLink.self).count, 1)
  }

  func testD16_denyFailsTheSaveAndUndoesNothing() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    let contract = Contract(context: context)
    contract.signatory = author
    try context.save()
    context.delete(author)
    let error = cocoaError(1600) { try context.save() }
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, author)
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "contracts")
    XCTAssertTrue(author.isDeleted)
    XCTAssertTrue(context.deletedObjects.contains(author))
    context.delete(contract)
    XCTAssertNoThrow(try context.save())
  }

  func testD12_E31_whatAMergeEndsBeforeItWasPropagatedFollowsTheDeleteRulesToo() throws {
    let container = try makeContainer()
    let (view, other) = (container.viewContext, makeMainContext(container))
    view.propagatesDeletesAtEndOfEvent = false
    let author = try view.savedAuthor()
    let article = Article(context: view)
    article.author = author
    view.delete(author)
    view.processPendingChanges()
    XCTAssertTrue(article.author === author)
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: other, queue: nil
    ) { view.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    other.delete(other.object(with: author.objectID))
    try other.save()
    XCTAssertNil(author.managedObjectContext)
    XCTAssertNil(article.author)
    try view.save()
    XCTAssertNil(try makeMainContext(container).only(Article.self).author)
  }

  func testD17_noActionLeavesADanglingReference() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor()
    let letter = Letter(context: context)
    letter.sender = author
    try context.save()
    let letterID = letter.objectID
    context.delete(author)
    try context.save()
    let other = makeMainContext(container)
    let reread = try XCTUnwrap(try other.existingObject(with: letterID) as? Letter)
    let dangling = try XCTUnwrap(reread.sender, "the reference itself is still there")
    XCTAssertNil(dangling.name)
    XCTAssertTrue(dangling.isDeleted, "reading it found that its row is gone")
  }

  func testD17_D24_aChangeThatLeadsToADeletedObjectIsADanglingReference() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle()
    context.delete(author)
    context.processPendingChanges()
    article.author = author
    let error = cocoaError(1550) { try context.save() }
    XCTAssertEqual(error?.localizedDescription, "Dangling reference to an invalid object.")
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, article)
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "author")
    XCTAssertIdentical(error?.userInfo[NSValidationValueErrorKey] as? NSManagedObject, author)
    let letter = Letter(context: context)
    letter.sender = author
    let all = cocoaError(1560) { try context.save() }
    let details = all?.userInfo[NSDetailedErrorsKey] as? [CocoaError]
    XCTAssertEqual(details?.map(\.code.rawValue), [1550, 1550])
    article.author = nil
    letter.sender = nil
    try context.save()
    XCTAssertTrue(try reader(container).all(Author.self).isEmpty)
  }

  func testD17_aMemberThatIsToBeDeletedIsNotStored() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle()
    let tag = Tag(context: context)
    tag.name = "gone"
    try context.save()
    context.delete(tag)
    context.processPendingChanges()
    article.tags.insert(tag)
    try context.save()
    XCTAssertEqual(try reader(container).only(Article.self).tags, [])
  }

  func testD16_aLinkWhoseOtherEndForbidsTheDeletionIsReportedOnce() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let contract = Contract(context: context)
    contract.signatory = author
    context.delete(author)
    let error = cocoaError(1600) { try context.save() }
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, author)
  }

  func testD18_L11_nullifyTowardsAMandatoryInverseBlamesTheOtherObject() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    let invoice = Invoice(context: context)
    invoice.payer = author
    try context.save()
    context.delete(author)
    let error = cocoaError(1570) { try context.save() }
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, invoice)
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "payer")
  }

  func testD19_onlyTheRuleOfTheDeletedSideCounts() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let (author, draft) = try authorWithDraft(in: context)
    let contract = Contract(context: context)
    contract.signatory = author
    try context.save()
    context.delete(draft)
    context.delete(contract)
    try context.save()
    XCTAssertFalse(author.isDeleted)
    XCTAssertEqual(author.drafts, [])
    XCTAssertEqual(try reader(container).all(Author.self).count, 1)
  }

  func testD20_propagationReachesDestinationsThatWereNeverLoaded() throws {
    let container = try makeContainer()
    let id = try authorWithDraft(in: reader(container)).author.objectID
    let context = reader(container)
    let author = try context.existingObject(with: id)
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "drafts"))
    context.delete(author)
    try context.save()
    XCTAssertTrue(try reader(container).all(Draft.self).isEmpty)
  }

  func testD21_deletedObjectsAreValidatedForDeletionAndNotForUpdate() throws {
    Journal.clear()
    defer { Journal.clear() }
    let context = try makeContainer(model: WitnessModel.model).viewContext
    let witness = Witness(context: context)
    try context.save()
    Journal.clearEntries()
    witness.name = "changed, then deleted"
    context.delete(witness)
    try context.save()
    XCTAssertEqual(Journal.count("validateForDelete"), 1)
    XCTAssertEqual(Journal.count("validateForUpdate"), 0)
  }

  func testD21_aDeletedObjectMayLackWhatIsMandatory() throws {
    let context = try makeContainer().viewContext
    let tag = Tag(context: context)
    tag.name = "word"
    try context.save()
    tag.name = nil
    context.delete(tag)
    XCTAssertNoThrow(try context.save())
  }
}

/// A link that takes the next one with it.
final class ChainLink: NSManagedObject {
  /// Cascaded.
  @Managed var next: ChainLink?
  /// Nullified.
  @Managed var previous: ChainLink?
}

/// The model of a chain.
enum ChainModel {
  /// Made once in the process.
  static let model: NSManagedObjectModel = {
    let link = SpecModel.entity("ChainLink", ChainLink.self, [])
    SpecModel.relate(
      SpecModel.toOne("next", link, rule: .cascadeDeleteRule), SpecModel.toOne("previous", link))
    let model = NSManagedObjectModel()
    model.entities = [link]
    return model
  }()
}
