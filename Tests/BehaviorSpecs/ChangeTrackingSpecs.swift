import CoreData
import Foundation
import XCTest

/// What the flags and the change dictionaries of an object say (section A.4, first half).
final class ChangeTrackingSpecs: SpecCase {
  func testA52_aTransientChangeCountsAsAChange() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle()
    XCTAssertFalse(article.hasChanges)
    article.remark = "only in memory"
    XCTAssertTrue(article.hasChanges)
    XCTAssertTrue(article.isUpdated)
  }

  func testA52_hasChangesIsTrueForEachOfTheThreeKinds() throws {
    let context = try makeContainer().viewContext
    let inserted = Author(context: context)
    XCTAssertTrue(inserted.hasChanges)
    try context.save()
    XCTAssertFalse(inserted.hasChanges)
    inserted.name = "Ada"
    XCTAssertTrue(inserted.hasChanges)
    try context.save()
    context.delete(inserted)
    XCTAssertTrue(inserted.hasChanges)
  }

  func testA53_A54_assigningAnEqualValueMarksTheObjectButIsNoPersistentChange() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "Ada"
    XCTAssertTrue(author.isUpdated)
    XCTAssertTrue(context.hasChanges)
    XCTAssertFalse(author.hasPersistentChangedValues)
    author.name = "Ida"
    XCTAssertTrue(author.hasPersistentChangedValues)
    author.name = "Ada"
    XCTAssertFalse(author.hasPersistentChangedValues, "back to what is stored")
    XCTAssertTrue(author.isUpdated)
  }

  func testA54_aTransientChangeIsNoPersistentChange() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle()
    article.remark = "only in memory"
    XCTAssertFalse(article.hasPersistentChangedValues)
  }

  func testA55_changedValuesHoldNewValuesWithNullForCleared() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle("before")
    article.body = "text"
    try context.save()
    XCTAssertTrue(article.changedValues().isEmpty)
    article.title = "after"
    article.body = nil
    article.remark = "not persistent"
    let changed = article.changedValues()
    XCTAssertEqual(Set(changed.keys), ["title", "body"])
    XCTAssertEqual(changed["title"] as? String, "after")
    XCTAssertTrue(changed["body"] is NSNull)
    try context.save()
    XCTAssertTrue(article.changedValues().isEmpty, "a save is a new beginning")
  }

  func testA55_changedValuesNameRelationshipsAndLoadOnlyThoseThatChanged() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle("one", by: container.viewContext.savedAuthor())
    let context = makeMainContext(container)
    let author = try context.only(Author.self)
    author.name = "Ida"
    XCTAssertEqual(Array(author.changedValues().keys), ["name"])
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "articles"))

    let article = Article(context: context)
    article.author = author
    XCTAssertIdentical(article.changedValues()["author"] as AnyObject?, author)
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "articles"))
    let changed = author.changedValues()
    XCTAssertEqual((changed["articles"] as? NSSet)?.count, 2)
    XCTAssertEqual((changed["articles"] as? Set<Article>)?.count, 2)
    XCTAssertTrue("\(changed)".contains("Article"), "it can be printed")
    XCTAssertTrue(author.hasFault(forRelationshipNamed: "drafts"))
  }

  func testA56_A57_oldValuesOfSetsAreSets() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let articles = try (0..<3).map { try context.savedArticle("\($0)") }
    func titles(_ set: Any?) -> [String]? {
      (set as? NSSet)?.allObjects.compactMap { ($0 as? Article)?.title }.sorted()
    }
    XCTAssertEqual(titles(author.committedValues(forKeys: nil)["articles"]), [])
    author.articles = [articles[0]]
    XCTAssertEqual(titles(author.changedValuesForCurrentEvent()["articles"]), [])
    context.processPendingChanges()
    author.articles = [articles[1], articles[2]]
    XCTAssertEqual(titles(author.changedValuesForCurrentEvent()["articles"]), ["0"])
    XCTAssertEqual(titles(author.committedValues(forKeys: ["articles"])["articles"]), [])
    try context.save()
    XCTAssertEqual(titles(author.committedValues(forKeys: ["articles"])["articles"]), ["1", "2"])
  }

  func testA56_K2_changedValuesForCurrentEventHoldOldValuesOfThisEventOnly() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "Ida"
    XCTAssertEqual(author.changedValuesForCurrentEvent() as? [String: String], ["name": "Ada"])
    context.processPendingChanges()
    XCTAssertTrue(author.changedValuesForCurrentEvent().isEmpty)
    XCTAssertEqual(author.changedValues() as? [String: String], ["name": "Ida"])
    author.name = "Eda"
    XCTAssertEqual(author.changedValuesForCurrentEvent() as? [String: String], ["name": "Ida"])
    try context.save()
    XCTAssertTrue(author.changedValuesForCurrentEvent().isEmpty)
    author.name = "Uda"
    XCTAssertEqual(author.changedValuesForCurrentEvent() as? [String: String], ["name": "Eda"])
  }

  func testA56_D76_afterAFailedSaveTheCurrentEventIsANewOne() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "Ida"
    _ = Tag(context: context)
    cocoaError(1570) { try context.save() }
    XCTAssertTrue(author.changedValuesForCurrentEvent().isEmpty)
    author.born = 1815
    XCTAssertEqual(author.changedValuesForCurrentEvent() as? [String: Int64], ["born": 0])
    author.name = "Eda"
    XCTAssertEqual(author.changedValuesForCurrentEvent()["name"] as? String, "Ida")
    XCTAssertEqual(Set(author.changedValues().keys), ["name", "born"])
  }

  func testA56_anObserverOfObjectsDidChangeSeesTheOldValuesOfThatEvent() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let seen = Box<[[String: String]]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { note in
      let updated = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>
      let old = updated?.first?.changedValuesForCurrentEvent() as? [String: String]
      seen.update { $0.append(old ?? [:]) }
    }
    author.name = "Ida"
    context.processPendingChanges()
    author.name = "Eda"
    try context.save()
    NotificationCenter.default.removeObserver(token)
    XCTAssertEqual(seen.value, [["name": "Ada"], ["name": "Ida"]])
  }

  func testA56_E24_whatAnObserverChangesBelongsToTheNextEventWithOrWithoutUndo() throws {
    for undoManager in [nil, UndoManager()] {
      let context = try makeContainer(name: "\(undoManager == nil)").viewContext
      let author = try context.savedAuthor("Ada")
      context.undoManager = undoManager
      let seen = Box<[[String: String]]>([])
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { note in
        let updated = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>
        guard let author = updated?.first as? Author else { return }
        seen.update { $0.append(author.changedValuesForCurrentEvent().mapValues { "\($0)" }) }
        if author.born < 2 { author.born += 1 }
      }
      author.name = "Ida"
      for _ in 0..<4 { context.processPendingChanges() }
      NotificationCenter.default.removeObserver(token)
      XCTAssertEqual(seen.value, [["name": "Ada"], ["born": "0"], ["born": "1"]])
      XCTAssertTrue(author.changedValuesForCurrentEvent().isEmpty)
      context.undo()
      XCTAssertEqual(author.born, undoManager == nil ? 2 : 1)
    }
  }

  func testA60_aChangeMadeWhileTheSaveIsAnnouncedIsTrackedForTheNextOne() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { note in
      let saved = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>
      (saved?.first as? Author)?.born = 1815
    }
    author.name = "Ida"
    try context.save()
    NotificationCenter.default.removeObserver(token)
    XCTAssertTrue(context.hasChanges)
    XCTAssertTrue(author.isUpdated)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).born, 1815)
  }

  func testA57_committedValuesAreThoseOfTheLastFetchOrSave() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle("before")
    article.title = "after"
    XCTAssertEqual(
      article.committedValues(forKeys: ["title"]) as? [String: String], ["title": "before"])
    XCTAssertTrue(article.committedValues(forKeys: ["body"])["body"] is NSNull)
    let all = article.committedValues(forKeys: nil)
    XCTAssertEqual(all["title"] as? String, "before")
    XCTAssertEqual(all["wordCount"] as? Int, 0)
    XCTAssertNil(all["remark"], "no transients")
    try context.save()
    XCTAssertEqual(article.committedValues(forKeys: nil)["title"] as? String, "after")

    let fetched = try makeMainContext(container).only(Article.self)
    fetched.title = "elsewhere"
    XCTAssertEqual(fetched.committedValues(forKeys: ["title"])["title"] as? String, "after")
  }

  func testA58_K2_anUnsavedInsertHasNoCommittedValues() throws {
    let context = try makeContainer().viewContext
    let article = Article(context: context)
    article.title = "new"
    XCTAssertTrue(article.committedValues(forKeys: nil).isEmpty)
  }

  func testA59_anInsertedObjectIsInsertedUntilSavedDeletedOrForgotten() throws {
    let context = try makeContainer().viewContext
    let saved = Author(context: context)
    XCTAssertTrue(saved.isInserted)
    try context.save()
    XCTAssertFalse(saved.isInserted)

    let rolledBack = Author(context: context)
    context.rollback()
    XCTAssertFalse(rolledBack.isInserted)
    let deleted = Author(context: context)
    context.delete(deleted)
    context.processPendingChanges()
    XCTAssertFalse(deleted.isInserted)
    let forgotten = Author(context: context)
    context.reset()
    XCTAssertFalse(forgotten.isInserted)
  }

  func testA59_aFailedSaveLeavesTheObjectInserted() throws {
    let context = try makeContainer().viewContext
    let tag = Tag(context: context)
    XCTAssertThrowsError(try context.save(), "a tag needs a name")
    XCTAssertTrue(tag.isInserted)
    XCTAssertTrue(tag.objectID.isTemporaryID)
  }

  func testA60_aChangedObjectIsUpdatedUntilSaved() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    XCTAssertFalse(author.isUpdated)
    author.born = 1815
    XCTAssertTrue(author.isUpdated)
    XCTAssertEqual(context.updatedObjects, [author])
    try context.save()
    XCTAssertFalse(author.isUpdated)
    XCTAssertTrue(context.updatedObjects.isEmpty)
  }

  func testA61_aChangedInsertStaysAmongTheInsertedOnly() throws {
    let context = try makeContainer().viewContext
    let saved = NotificationLog([.NSManagedObjectContextDidSave], from: context)
    let author = Author(context: context)
    context.processPendingChanges()
    author.name = "Ada"
    context.processPendingChanges()
    XCTAssertEqual(context.insertedObjects, [author])
    XCTAssertTrue(context.updatedObjects.isEmpty)
    try context.save()
    let note = try XCTUnwrap(saved.entries.first)
    XCTAssertEqual(note.count(NSInsertedObjectsKey), 1)
    XCTAssertEqual(note.count(NSUpdatedObjectsKey), 0)
  }

  func testA62_A63_aDeletedObjectIsMarkedUntilTheSaveAndThenWithoutContext() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    context.delete(author)
    XCTAssertTrue(author.isDeleted)
    XCTAssertEqual(context.deletedObjects, [author])
    XCTAssertIdentical(author.managedObjectContext, context)
    try context.save()
    XCTAssertFalse(author.isDeleted, "it does not mean that it was deleted once")
    XCTAssertNil(author.managedObjectContext)
    XCTAssertTrue(author.isFault)
    XCTAssertTrue(context.deletedObjects.isEmpty)
  }

  func testA63_anObjectWhoseDeletionWasSavedCanStillBePrintedAndAsked() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let id = author.objectID
    context.delete(author)
    try context.save()
    XCTAssertFalse(author.description.contains("Ada"), author.description)
    XCTAssertFalse(author.hasChanges || author.isInserted || author.isUpdated)
    XCTAssertNil(context.registeredObject(for: id))
    XCTAssertTrue(context.registeredObjects.isEmpty)
  }

  func testA55_A67_changedValuesOfANewObjectIncludeWhatPrimitiveSettersSet() throws {
    let context = try makeContainer().viewContext
    let article = Article(context: context)
    XCTAssertTrue(article.changedValues().isEmpty, "what it began with is no change")
    article.setPrimitiveValue("primitive", forKey: "title")
    article.body = "public"
    XCTAssertEqual(
      article.changedValues() as? [String: String], ["title": "primitive", "body": "public"])
    try context.save()
    article.setPrimitiveValue("again", forKey: "title")
    XCTAssertTrue(article.changedValues().isEmpty, "it has a row now")
  }

  func testA64_deletingAnUnsavedInsertLeavesNoTraceInTheSave() throws {
    let context = try makeContainer().viewContext
    let saved = NotificationLog([.NSManagedObjectContextDidSave], from: context)
    let kept = Author(context: context)
    let dropped = Author(context: context)
    let droppedID = dropped.objectID
    context.delete(dropped)
    context.processPendingChanges()
    XCTAssertEqual(context.insertedObjects, [kept])
    try context.save()
    let note = try XCTUnwrap(saved.entries.first)
    XCTAssertEqual(note.count(NSDeletedObjectsKey), 0)
    XCTAssertFalse(note.ids.values.contains { $0.contains(droppedID) })
    XCTAssertEqual(try context.all(Author.self), [kept])
  }

  func testA65_anInsertThatWasDeletedAgainIsNoChange() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    context.delete(author)
    XCTAssertFalse(context.hasChanges)
    let log = NotificationLog([.NSManagedObjectContextDidSave], from: context)
    try context.save()
    XCTAssertTrue(log.entries.isEmpty)
    XCTAssertNil(author.managedObjectContext)
  }

  func testA65_theContextHasChangesAsSoonAsAnObjectHas() throws {
    let context = try makeContainer().viewContext
    XCTAssertFalse(context.hasChanges)
    let author = Author(context: context)
    XCTAssertTrue(context.hasChanges, "before anything was processed")
    try context.save()
    XCTAssertFalse(context.hasChanges)
    author.name = "Ada"
    XCTAssertTrue(context.hasChanges)
    try context.save()
    context.delete(author)
    XCTAssertTrue(context.hasChanges)
    try context.save()
    XCTAssertFalse(context.hasChanges)
  }

  func testA54_anotherSpellingOfATextIsAnotherValue() throws {
    let container = try makeContainer()
    // One is longer than the other, or both have three bytes.
    for (old, new) in [("\u{E9}", "e\u{301}"), ("\u{212B}", "A\u{30A}")] {
      let author = try container.viewContext.savedAuthor(old)
      author.name = new
      XCTAssertTrue(author.hasPersistentChangedValues)
      try container.viewContext.save()
      container.viewContext.refresh(author, mergeChanges: false)
      XCTAssertEqual(author.name.map { Array($0.utf8) }, Array(new.utf8))
      author.name = new
      XCTAssertFalse(author.hasPersistentChangedValues)
    }
  }

  func testADescriptionShowsOnlyTheIDOfADestination() throws {
    let container = try makeContainer()
    let ada = try container.viewContext.savedAuthor("Ada")
    let saved = Profile(context: container.viewContext)
    saved.author = ada
    try container.viewContext.save()
    let context = makeMainContext(container)
    let request = NSFetchRequest<Profile>(entityName: "Profile")
    request.returnsObjectsAsFaults = false
    let profile = try XCTUnwrap(context.fetch(request).first)
    let short = "author = Author <\(ada.objectID)>"
    XCTAssertTrue(profile.description.contains(short), profile.description)
    let author = try XCTUnwrap(context.object(with: ada.objectID) as? Author)
    XCTAssertTrue(author.isFault, "printing loads nothing")
    _ = author.name
    XCTAssertFalse(profile.description.contains("Ada"), profile.description)
    XCTAssertTrue(author.description.contains("profile = Profile <"), author.description)
    XCTAssertTrue(author.description.contains("articles = <relationship fault>"))
  }
}
