import CoreData
import Foundation
import XCTest

/// Batch requests: what they do in the store, and what they leave alone (section F.7).
final class BatchSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  /// What the file holds, read by a container of its own.
  private func stored<Object: NSManagedObject>(
    _ type: Object.Type, by key: String
  ) throws -> [Object] {
    try makeContainer().viewContext.all(type, by: key)
  }

  private func insert(
    _ rows: [[String: Any]], _ context: Context, _ type: NSBatchInsertRequestResultType = .count
  ) throws -> Any? {
    let request = NSBatchInsertRequest(entityName: "Article", objects: rows)
    request.resultType = type
    return (try context.execute(request) as? NSBatchInsertResult)?.result
  }

  private func rename(
    _ title: String, where format: String, _ context: Context
  ) throws -> [NSManagedObjectID] {
    let request = NSBatchUpdateRequest(entityName: "Article")
    request.predicate = NSPredicate(format: format)
    request.propertiesToUpdate = ["title": title]
    request.resultType = .updatedObjectIDsResultType
    let result = try context.execute(request) as? NSBatchUpdateResult
    return try XCTUnwrap(result?.result as? [NSManagedObjectID])
  }

  private func deletion(_ entity: String, _ format: String? = nil) -> NSBatchDeleteRequest {
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    fetch.predicate = format.map { NSPredicate(format: $0) }
    return NSBatchDeleteRequest(fetchRequest: fetch)
  }

  private func titles(_ context: Context) throws -> [String] {
    try context.all(Article.self, by: "title").map(\.title)
  }

  func testF87_insertionTakesDictionariesAndFillsInDefaults() throws {
    let context = try makeContainer().viewContext
    let count = try insert(
      [
        ["title": "A", "wordCount": 7],
        ["body": "text", "publishedAt": Date(timeIntervalSince1970: 0)],
      ],
      context)
    XCTAssertEqual(count as? Int, 2)
    let articles = try stored(Article.self, by: "title")
    XCTAssertEqual(articles.map(\.title), ["A", "Untitled"])
    XCTAssertEqual(articles.map(\.wordCount), [7, 0])
    XCTAssertEqual(articles.map(\.isOpen), [true, true])
    XCTAssertEqual(articles.map(\.body), [nil, "text"])
    XCTAssertEqual(articles[1].publishedAt, Date(timeIntervalSince1970: 0))
  }

  func testF87_insertionThrowsWhereAKeyOrAValueDoesNotFitAndInsertsNothing() throws {
    let context = try makeContainer().viewContext
    let unfit: [[String: Any]] = [
      ["nickname": "x"], ["wordCount": "many"], ["publishedAt": 7], ["title": Date()],
      ["author": NSNull()],
    ]
    for row in unfit {
      let error = cocoaError(NSManagedObjectValidationError) {
        _ = try insert([["title": "A"], row], context)
      }
      XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, row.keys.first)
      let request = NSBatchInsertRequest(entityName: "Article") { (given: NSMutableDictionary) in
        given.addEntries(from: row)
        return false
      }
      cocoaError(NSManagedObjectValidationError) { _ = try context.execute(request) }
    }
    XCTAssertEqual(try titles(context), [])
    XCTAssertEqual(try insert([["title": "B"]], context) as? Int, 1)
  }

  func testF87_insertionTakesABlockThatFillsDictionariesUntilItIsDone() throws {
    let context = try makeContainer().viewContext
    var number = 0
    let request = NSBatchInsertRequest(entityName: "Article") { (row: NSMutableDictionary) in
      number += 1
      row["title"] = "\(number)"
      return number > 1200
    }
    request.resultType = .count
    let result = try context.execute(request) as? NSBatchInsertResult
    XCTAssertEqual(result?.result as? Int, 1200)
    XCTAssertEqual(number, 1201, "a block that is done is not asked again")
    XCTAssertEqual(try context.count(for: NSFetchRequest<Article>(entityName: "Article")), 1200)
  }

  func testF87_insertionTakesABlockThatFillsObjectsUntilItIsDone() throws {
    let container = try makeContainer()
    let context = container.viewContext
    var titles = ["A", "B"]
    let request = NSBatchInsertRequest(
      entity: try XCTUnwrap(container.managedObjectModel.entitiesByName["Review"])
    ) { (object: NSManagedObject) in
      guard let title = titles.popLast() else { return true }
      (object as? Review)?.title = title
      XCTAssertNil(object.managedObjectContext)
      return false
    }
    request.resultType = .objectIDs
    let result = try context.execute(request) as? NSBatchInsertResult
    let ids = try XCTUnwrap(result?.result as? [NSManagedObjectID])
    XCTAssertEqual(ids.map { (context.object(with: $0) as? Review)?.title }, ["B", "A"])
    XCTAssertEqual(try stored(Review.self, by: "title").map(\.isOpen), [true, true])
  }

  func testF84_F86_F87_resultsAreAStatusIdsOrACount() throws {
    let context = try makeContainer().viewContext
    XCTAssertEqual(try insert([["title": "A"]], context, .statusOnly) as? Bool, true)
    let ids = try XCTUnwrap(
      try insert([["title": "B"], ["title": "C"]], context, .objectIDs) as? [NSManagedObjectID])
    XCTAssertEqual(
      ids.map { (context.object(with: $0) as? Article)?.title }, ["B", "C"])
    let update = NSBatchUpdateRequest(entityName: "Article")
    update.propertiesToUpdate = ["wordCount": 3]
    XCTAssertEqual((try context.execute(update) as? NSBatchUpdateResult)?.result as? Bool, true)
    update.resultType = .updatedObjectsCountResultType
    XCTAssertEqual((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int, 3)
    let delete = deletion("Article", "title == 'A'")
    delete.resultType = .resultTypeCount
    XCTAssertEqual((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Int, 1)
    XCTAssertEqual((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Int, 0)
    let rest = NSBatchDeleteRequest(objectIDs: ids)
    rest.resultType = .resultTypeObjectIDs
    let gone = try context.execute(rest) as? NSBatchDeleteResult
    XCTAssertEqual(gone?.result as? [NSManagedObjectID], ids)
    XCTAssertEqual(try titles(context), [])
  }

  func testF86_updateSetsAttributesByNameOrDescription() throws {
    let container = try makeContainer()
    let context = container.viewContext
    _ = try insert([["title": "A"], ["title": "B", "body": "text"]], context)
    let entity = try XCTUnwrap(container.managedObjectModel.entitiesByName["Article"])
    let update = NSBatchUpdateRequest(entity: entity)
    update.predicate = NSPredicate(format: "title == %@", "B")
    update.propertiesToUpdate = [
      try XCTUnwrap(entity.attributesByName["wordCount"]): 9, "body": NSNull(),
    ]
    try context.execute(update)
    let articles = try stored(Article.self, by: "title")
    XCTAssertEqual(articles.map(\.wordCount), [0, 9])
    XCTAssertEqual(articles.map(\.body), [nil, nil])
  }

  func testF86_updateIncludesSubentitiesUnlessToldNotTo() throws {
    let context = try makeContainer().viewContext
    Article(context: context).title = "A"
    Review(context: context).title = "B"
    try context.save()
    let update = NSBatchUpdateRequest(entityName: "Article")
    update.includesSubentities = false
    update.propertiesToUpdate = ["wordCount": 1]
    try context.execute(update)
    XCTAssertEqual(try stored(Article.self, by: "title").map(\.wordCount), [1, 0])
    update.includesSubentities = true
    try context.execute(update)
    XCTAssertEqual(try stored(Article.self, by: "title").map(\.wordCount), [1, 1])
  }

  func testF84_deletionHonoursOrderAndLimit() throws {
    let context = try makeContainer().viewContext
    _ = try insert(["C", "A", "B"].map { ["title": $0] }, context)
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Article")
    fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    fetch.fetchLimit = 2
    try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    XCTAssertEqual(try titles(context), ["A"])
  }

  func testF83_F89_contextsAreNotTold() throws {
    let context = try makeContainer().viewContext
    let kept = try context.savedArticle("A")
    let log = NotificationLog(
      [
        Context.didChangeObjectsNotification, Context.willSaveObjectsNotification,
        Context.didSaveObjectsNotification, Context.didSaveObjectIDsNotification,
      ], from: nil)
    _ = try rename("B", where: "title == 'A'", context)
    _ = try insert([["title": "C"]], context)
    try context.execute(deletion("Article"))
    context.processPendingChanges()
    XCTAssertEqual(log.entries.map(\.name), [])
    XCTAssertEqual(kept.title, "A")
    XCTAssertFalse(kept.isDeleted)
    XCTAssertFalse(context.hasChanges)
  }

  func testA86_F83_noCallbackRunsAndNothingIsValidated() throws {
    Journal.clear()
    defer { Journal.clear() }
    let container = try makeContainer(model: WitnessModel.model, name: "Witness")
    let context = container.viewContext
    var isDone = false
    try context.execute(
      NSBatchInsertRequest(entityName: "Witness") { (object: NSManagedObject) in
        defer { isDone = true }
        (object as? Witness)?.name = "A"
        return isDone
      })
    let update = NSBatchUpdateRequest(entityName: "Witness")
    update.propertiesToUpdate = ["name": "B"]
    try context.execute(update)
    try context.execute(deletion("Witness"))
    XCTAssertEqual(Journal.entries, [])
  }

  func testF83_theOnlyThingThatIsAskedForIsAMandatoryAttribute() throws {
    let context = try makeContainer().viewContext
    func insert(_ objects: [[String: Any]], _ entity: String) throws {
      try context.execute(NSBatchInsertRequest(entityName: entity, objects: objects))
    }
    let error = cocoaError(1570) { try insert([["name": "a"], [:]], "Tag") }
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "name")
    XCTAssertNotNil(error?.userInfo[NSValidationObjectErrorKey])
    XCTAssertEqual(try context.all(Tag.self).count, 0, "all or nothing")
    cocoaError(1570) {
      var isDone = false
      try context.execute(
        NSBatchInsertRequest(entityName: "Tag") { (_: NSManagedObject) in
          defer { isDone = true }
          return isDone
        })
    }
    try insert([[:]], "Article")
    XCTAssertEqual(try context.only(Article.self).title, "Untitled", "a default is a value")
    try insert([["amount": 3]], "Invoice")
    XCTAssertNil(try context.only(Invoice.self).payer, "nobody can set a relationship")
  }

  func testF84_aDeletionFetchesIdsWhateverItWasMadeWith() {
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    XCTAssertEqual(request.fetchRequest.resultType, .managedObjectIDResultType)
    XCTAssertEqual(request.fetchRequest.entityName, "Tag")
    XCTAssertEqual(fetch.resultType, .managedObjectResultType)
  }

  func testF90_unsavedChangesOfTheContextPlayNoPart() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle("A")
    article.title = "B"
    Article(context: context).title = "A"
    XCTAssertEqual(try rename("C", where: "title == 'A'", context), [article.objectID])
    XCTAssertEqual(try rename("C", where: "title == 'B'", context), [])
    XCTAssertEqual(article.title, "B")
    XCTAssertEqual(context.insertedObjects.count, 1)
  }

  func testF91_eachRequestIsATransactionOfItsOwn() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    Contract(context: context).signatory = author
    try context.save()
    _ = try insert([["title": "A"]], context)
    XCTAssertThrowsError(try context.execute(deletion("Author")))
    XCTAssertEqual(try stored(Article.self, by: "title").map(\.title), ["A"])
    XCTAssertEqual(try stored(Author.self, by: "name").count, 1)
  }

  func testF44_aCoordinatorExecutesBatchRequestsAndFetches() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let coordinator = container.persistentStoreCoordinator
    let result = try coordinator.execute(
      NSBatchInsertRequest(entityName: "Article", objects: [["title": "A"]]), with: context)
    XCTAssertEqual((result as? NSBatchInsertResult)?.result as? Bool, true)
    let found = try coordinator.execute(
      NSFetchRequest<NSFetchRequestResult>(entityName: "Article"), with: context)
    XCTAssertEqual((found as? [NSManagedObject])?.count, 1)
  }

  func testF82_onlySQLiteStoresExecuteBatchRequests() throws {
    for (type, url) in [(NSInMemoryStoreType, nil), (NSSQLiteStoreType, "/dev/null")] {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: url.map { URL(fileURLWithPath: $0) }, options: nil
      )
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let request = NSBatchInsertRequest(entityName: "Article", objects: [["title": "A"]])
      if type == NSSQLiteStoreType {
        XCTAssertNoThrow(try context.execute(request))
      } else {
        XCTAssertThrowsError(try context.execute(request)) { error in
          XCTAssertEqual(
            (error as? CocoaError)?.code.rawValue, NSPersistentStoreUnsupportedRequestTypeError)
        }
      }
    }
  }
}
