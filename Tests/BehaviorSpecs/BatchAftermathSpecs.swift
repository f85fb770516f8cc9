import CoreData
import Foundation
import XCTest

/// What batch requests do to relationships, and what contexts make of them afterwards (sections
/// D.7 and F.7).
final class BatchAftermathSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  private func delete(_ objects: [NSManagedObject], _ context: Context) throws
    -> [NSManagedObjectID]
  {
    let request = NSBatchDeleteRequest(objectIDs: objects.map(\.objectID))
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request) as? NSBatchDeleteResult
    return try XCTUnwrap(result?.result as? [NSManagedObjectID])
  }

  @discardableResult
  private func rename(_ title: String, _ context: Context) throws -> [NSManagedObjectID] {
    let request = NSBatchUpdateRequest(entityName: "Article")
    request.propertiesToUpdate = ["title": title]
    request.resultType = .updatedObjectIDsResultType
    let result = try context.execute(request) as? NSBatchUpdateResult
    return try XCTUnwrap(result?.result as? [NSManagedObjectID])
  }

  private func refusal(_ body: () throws -> Void) throws -> CocoaError {
    do {
      try body()
    } catch let error as CocoaError { return error }
    XCTFail("it was not refused")
    return CocoaError(.featureUnsupported)
  }

  func testF85_cascadeAndNullifyActBetweenRows() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let other = try context.savedAuthor("Bea")
    for owner in [author, author, other] { Draft(context: context).owner = owner }
    author.profile = Profile(context: context)
    let article = try context.savedArticle(by: author)
    XCTAssertEqual(try delete([author], context), [author.objectID])
    let fresh = try makeContainer().viewContext
    XCTAssertEqual(try fresh.only(Author.self).name, "Bea")
    XCTAssertEqual(try fresh.only(Draft.self).owner?.name, "Bea")
    XCTAssertEqual(try fresh.all(Profile.self).count, 0)
    XCTAssertNil(try fresh.only(Article.self).author)
    XCTAssertIdentical(article.author, author, "no context was told")
  }

  func testF85_pairsOfManyToManyRelationshipsGoWithEitherEnd() throws {
    let context = try makeContainer().viewContext
    let (one, two) = (try context.savedArticle("A"), try context.savedArticle("B"))
    let tag = Tag(context: context)
    tag.name = "history"
    tag.articles = [one, two]
    try context.save()
    _ = try delete([one], context)
    let fresh = try makeContainer().viewContext
    XCTAssertEqual(try fresh.only(Tag.self).articles.map(\.title), ["B"])
    _ = try delete([tag], context)
    XCTAssertEqual(try makeContainer().viewContext.only(Article.self).tags, [])
  }

  func testF85_aRuleThatDeniesFailsTheWholeRequest() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let other = try context.savedAuthor("Bea")
    let contract = Contract(context: context)
    contract.signatory = author
    try context.save()
    let error = try refusal { _ = try delete([author, other], context) }
    XCTAssertEqual(error.code.rawValue, NSSQLiteError)
    XCTAssertEqual(try makeContainer().viewContext.all(Author.self).count, 2)
    _ = try delete([contract], context)
    _ = try delete([author, other], context)
    XCTAssertEqual(try makeContainer().viewContext.all(Author.self).count, 0)
  }

  func testF85_aMandatoryInverseThatWouldBeEmptiedFailsTheRequest() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let invoice = Invoice(context: context)
    invoice.payer = author
    try context.save()
    let error = try refusal { _ = try delete([author], context) }
    XCTAssertEqual(error.code.rawValue, NSSQLiteError)
    XCTAssertNotNil(try makeContainer().viewContext.only(Invoice.self).payer)
  }

  func testF85_rowsThatAreLeftAloneMayPointNowhere() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let letter = Letter(context: context)
    letter.sender = author
    try context.save()
    _ = try delete([author], context)
    let fresh = try makeContainer().viewContext
    let sender = try XCTUnwrap(try fresh.only(Letter.self).sender)
    XCTAssertNil(sender.name)
    XCTAssertTrue(sender.isDeleted, "its row is gone")
  }

  func testF92_K13_aBatchUpdateBumpsTheVersion() throws {
    let container = try makeContainer()
    let article = try container.viewContext.savedArticle("A")
    try rename("B", container.viewContext)
    article.title = "C"
    do {
      try container.viewContext.save()
      XCTFail("the save should meet a conflict")
    } catch let error as CocoaError {
      let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
      XCTAssertEqual(conflict?.oldVersionNumber, 1)
      XCTAssertEqual(conflict?.newVersionNumber, 2)
    }
  }

  func testD72_aConflictWithABatchRequestIsOneWithTheFile() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle("A")
    try rename("B", context)
    article.title = "C"
    do {
      try context.save()
      XCTFail("the save should meet a conflict")
    } catch let error as CocoaError {
      XCTAssertEqual(error.code.rawValue, NSManagedObjectMergeError)
      let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
      XCTAssertEqual(conflict?.cachedSnapshot?["title"] as? String, "A")
      XCTAssertEqual(conflict?.persistedSnapshot?["title"] as? String, "B")
    }
  }

  func testL14_F89_E39_E41_aBatchUpdateShowsOnlyAfterItsIdsAreMerged() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle("A")
    let ids = try rename("B", container.viewContext)
    XCTAssertEqual(article.title, "A", "the context is stale")
    context.refresh(article, mergeChanges: true)
    XCTAssertEqual(article.title, "A", "a refresh finds the cached row")
    Context.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
    XCTAssertEqual(article.title, "B")
    article.title = "C"
    XCTAssertNoThrow(try context.save())
    XCTAssertEqual(try makeMainContext(container).only(Article.self).title, "C")
  }

  func testF89_E39_aBatchDeletionShowsAfterItsIdsAreMerged() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    let ids = try delete([author], context)
    XCTAssertFalse(author.isDeleted)
    Context.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
    XCTAssertTrue(author.isDeleted)
    XCTAssertEqual(
      article.author?.objectID, author.objectID,
      "its row was changed too, which no result tells")
    Context.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [article.objectID]], into: [context])
    XCTAssertNil(article.author)
    try context.save()
    XCTAssertNil(author.managedObjectContext)
  }

  func testF89_E39_aBatchInsertionIsAnnouncedWhenItsIdsAreMerged() throws {
    let context = try makeContainer().viewContext
    let request = NSBatchInsertRequest(entityName: "Article", objects: [["title": "A"]])
    request.resultType = .objectIDs
    let result = try context.execute(request) as? NSBatchInsertResult
    let ids = try XCTUnwrap(result?.result as? [NSManagedObjectID])
    let log = NotificationLog([Context.didChangeObjectsNotification], from: context)
    Context.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [context])
    XCTAssertEqual(log.entries.map { $0.ids[NSInsertedObjectsKey] }, [Set(ids)])
  }

  func testF89_withoutAMergeAFaultOfADeletedRecordIsInaccessible() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle("A")
    _ = try delete([article], context)
    context.refresh(article, mergeChanges: false)
    context.stalenessInterval = 0
    XCTAssertNil(article.body)
    XCTAssertTrue(article.isDeleted)
  }

  /// Inserts products with the keys "k", which a stored one has, and "l"; returns those affected.
  private func insertProducts(_ policy: NSMergePolicy) throws -> [NSManagedObjectID] {
    let context = try makeContainer(model: SpecModel.catalogue).viewContext
    let product = Product(context: context)
    (product.key, product.name, product.note) = ("k", "Old", "N")
    product.shelf = Shelf(context: context)
    try context.save()
    context.mergePolicy = policy
    let request = NSBatchInsertRequest(
      entityName: "Product", objects: [["key": "k", "name": "New"], ["key": "l", "name": "Also"]])
    request.resultType = .objectIDs
    let result = try context.execute(request) as? NSBatchInsertResult
    return try XCTUnwrap(result?.result as? [NSManagedObjectID])
  }

  private func storedProducts() throws -> [String] {
    let container = try makeContainer(model: SpecModel.catalogue)
    return try container.viewContext.all(Product.self, by: "key").map {
      "\($0.key ?? "") \($0.name ?? "") \($0.note ?? "-") \($0.shelf == nil ? "-" : "shelved")"
    }
  }

  func testD68_F88_underObjectTrumpTheRowThatIsThereTakesTheNewAttributesAndDefaults() throws {
    XCTAssertEqual(try insertProducts(.mergeByPropertyObjectTrump).count, 2)
    XCTAssertEqual(try storedProducts(), ["k New - shelved", "l Also - -"])
  }

  func testF88_underStoreTrumpTheRowThatIsThereStays() throws {
    XCTAssertEqual(try insertProducts(.mergeByPropertyStoreTrump).count, 1)
    XCTAssertEqual(try storedProducts(), ["k Old N shelved", "l Also - -"])
  }

  func testF88_underTheErrorPolicyTheWholeRequestFails() throws {
    let error = try refusal { _ = try insertProducts(.error) }
    XCTAssertEqual(error.code.rawValue, NSManagedObjectConstraintValidationError)
    XCTAssertEqual(try storedProducts(), ["k Old N shelved"])
  }

  func testE41_aMergeOfIdsThatItsContextsDoNotHoldReachesLaterReaders() throws {
    for key in [NSUpdatedObjectsKey, NSInsertedObjectsKey] {
      let container = try makeContainer(name: key)
      let holder = container.viewContext
      let article = try holder.savedArticle("A")
      let ids = try rename("B", holder)
      Context.mergeChanges(
        fromRemoteContextSave: [key: ids], into: [makeMainContext(container)])
      XCTAssertEqual(article.title, "A", "this context was not named")
      let reader = makeMainContext(container)
      XCTAssertEqual(
        (try reader.existingObject(with: ids[0]) as? Article)?.title, "B",
        "\(key): the row cache had the old row")
    }
  }
}
