import CoreData
import Foundation
import XCTest

/// Undo and redo: what is remembered, what comes back, and what forgets (section A.6).
final class UndoSpecs: SpecCase {
  /// A context with an undo manager whose groups are the events of the context.
  private func undoable(
    _ container: NSPersistentContainer? = nil
  ) throws -> (NSManagedObjectContext, UndoManager) {
    let context = try (container ?? makeContainer()).viewContext
    let manager = UndoManager()
    context.undoManager = manager
    return (context, manager)
  }

  func testA101_thereIsNoUndoManagerUnlessSomebodySetsOne() throws {
    let container = try makeContainer()
    XCTAssertNil(container.viewContext.undoManager)
    XCTAssertNil(container.newBackgroundContext().undoManager)
  }

  func testA103_withoutAnUndoManagerUndoDoesNothing() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    context.undo()
    context.redo()
    XCTAssertEqual(author.name, "Bea")
    XCTAssertTrue(context.hasChanges)
  }

  func testA102_aContextThatGoesTakesItsActionsAlong() throws {
    let manager = UndoManager()
    let container = try makeContainer()
    func change() {
      let context = container.newBackgroundContext()
      context.performOnThisThread {
        context.undoManager = manager
        _ = Author(context: context)
        context.processPendingChanges()
        XCTAssertTrue(manager.canUndo)
      }
    }
    change()
    XCTAssertFalse(manager.canUndo)
  }

  func testA102_B31_eachProcessingOfChangesIsUndoneByItself() throws {
    let (context, manager) = try undoable()
    let author = Author(context: context)
    author.name = "Ada"
    context.processPendingChanges()
    author.name = "Bea"
    author.born = 1815
    context.processPendingChanges()
    author.name = "Cara"
    context.processPendingChanges()
    context.undo()
    XCTAssertEqual(author.name, "Bea")
    manager.undo()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertEqual(author.born, 0)
    context.undo()
    XCTAssertTrue(context.insertedObjects.isEmpty)
    XCTAssertFalse(manager.canUndo)
    for name in ["Ada", "Bea", "Cara"] {
      context.redo()
      XCTAssertEqual(author.name, name)
    }
    XCTAssertEqual(context.insertedObjects, [author])
    XCTAssertFalse(manager.canRedo)
  }

  func testA102_changesThatAreNotProcessedYetAreUndoneToo() throws {
    let (context, _) = try undoable()
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    context.undo()
    XCTAssertEqual(author.name, "Ada")
  }

  func testA102_anEventThatChangesNothingRegistersNothing() throws {
    let (context, manager) = try undoable()
    let author = try context.savedAuthor("Ada")
    manager.removeAllActions()
    author.name = "Ada"
    context.processPendingChanges()
    XCTAssertTrue(author.isUpdated)
    XCTAssertFalse(manager.canUndo)
  }

  func testA102_whatIsProcessedWhileRegistrationIsOffStays() throws {
    let (context, manager) = try undoable()
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    context.processPendingChanges()
    manager.disableUndoRegistration()
    author.born = 1815
    context.processPendingChanges()
    manager.enableUndoRegistration()
    context.undo()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertEqual(author.born, 1815)
  }

  func testA102_aGroupOfSeveralEventsIsUndoneTogether() throws {
    let (context, manager) = try undoable()
    let author = try context.savedAuthor("Ada")
    manager.removeAllActions()
    manager.beginUndoGrouping()
    author.name = "Bea"
    context.processPendingChanges()
    let article = Article(context: context)
    article.author = author
    manager.endUndoGrouping()
    manager.setActionName("Publish")
    XCTAssertEqual(manager.undoActionName, "Publish")
    manager.undo()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertTrue(author.articles.isEmpty)
    XCTAssertEqual(try context.all(Article.self), [])
    XCTAssertEqual(manager.redoActionName, "Publish")
    manager.redo()
    XCTAssertEqual(author.name, "Bea")
    XCTAssertEqual(author.articles, [article])
    XCTAssertFalse(manager.canRedo)
  }

  func testA102_aNewChangeForgetsWhatCouldBeRedone() throws {
    let (context, manager) = try undoable()
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    context.undo()
    XCTAssertTrue(manager.canRedo)
    author.name = "Cara"
    XCTAssertFalse(manager.canRedo)
    context.redo()
    XCTAssertEqual(author.name, "Cara")
  }

  func testA102_onlySoManyLevelsAreKept() throws {
    let (context, manager) = try undoable()
    let author = try context.savedAuthor("0")
    manager.levelsOfUndo = 2
    for number in 1...4 {
      author.name = "\(number)"
      context.processPendingChanges()
    }
    for _ in 1...4 { context.undo() }
    XCTAssertEqual(author.name, "2")
  }

  func testA102_aDeletionIsUndoneWithWhatItsRulesDid() throws {
    let (context, _) = try undoable()
    let author = try context.savedAuthor("Ada")
    let article = try context.savedArticle(by: author)
    let draft = Draft(context: context)
    draft.owner = author
    try context.save()
    context.delete(author)
    context.processPendingChanges()
    XCTAssertTrue(draft.isDeleted)
    XCTAssertNil(article.author)
    context.undo()
    XCTAssertFalse(author.isDeleted)
    XCTAssertFalse(draft.isDeleted)
    XCTAssertIdentical(article.author, author)
    XCTAssertEqual(author.articles, [article])
    context.redo()
    XCTAssertTrue(author.isDeleted)
    XCTAssertTrue(draft.isDeleted)
    XCTAssertNil(article.author)
  }

  func testA102_D13_aDeletionIsUndoneWhereTheOtherEndWasReadOnlyAfterIt() throws {
    let (context, _) = try undoable()
    let author = try context.savedAuthor("Ada")
    let article = try context.savedArticle(by: author)
    let tag = Tag(context: context)
    tag.name = "red"
    article.tags = [tag]
    try context.save()
    let deletions: [[NSManagedObject]] = [[article], [article, tag], [tag, article]]
    for reads in [false, true] {
      for deletion in deletions {
        context.refreshAllObjects()
        context.processPendingChanges()
        deletion.forEach(context.delete)
        if reads { XCTAssertEqual(author.articles, [article]) }
        context.processPendingChanges()
        XCTAssertTrue(author.articles.isEmpty)
        context.undo()
        XCTAssertEqual(author.articles, [article])
        XCTAssertEqual(tag.articles, [article])
        XCTAssertEqual(article.tags, [tag])
        context.rollback()
      }
    }
  }

  func testA73_transientValuesAreUndoneToo() throws {
    let (context, _) = try undoable()
    let article = Article(context: context)
    article.remark = "first"
    try context.save()
    article.remark = "second"
    context.undo()
    XCTAssertEqual(article.remark, "first")
    context.redo()
    XCTAssertEqual(article.remark, "second")
  }

  func testA77_whatAwakeFromInsertSetIsUndoneAndRedoneWithTheInsertion() throws {
    Journal.clear()
    defer { Journal.clear() }
    Journal.during("awakeFromInsert") { $0.name = "set on waking" }
    let container = try makeContainer(model: WitnessModel.model, name: "Witness")
    let (context, manager) = try undoable(container)
    let witness = Witness(context: context)
    context.undo()
    XCTAssertTrue(context.insertedObjects.isEmpty)
    XCTAssertFalse(manager.canUndo)
    context.redo()
    XCTAssertEqual(context.insertedObjects, [witness])
    XCTAssertEqual(witness.name, "set on waking")
    XCTAssertEqual(Journal.count("awakeFromInsert"), 1)
  }

  func testA79_objectsAreToldWhatWasUndone() throws {
    Journal.clear()
    defer { Journal.clear() }
    let container = try makeContainer(model: WitnessModel.model, name: "Witness")
    let (context, _) = try undoable(container)
    let witness = Witness(context: context)
    try context.save()
    witness.name = "changed"
    context.processPendingChanges()
    context.delete(witness)
    context.processPendingChanges()
    Journal.clearEntries()
    for _ in 1...3 { context.undo() }
    XCTAssertEqual(
      Journal.entries, ["awakeFromSnapshot 4", "awakeFromSnapshot 8", "awakeFromSnapshot 2"])
  }

  func testA96_aResetForgetsWhatCouldBeUndone() throws {
    let (context, manager) = try undoable()
    try context.savedAuthor("Ada").name = "Bea"
    context.processPendingChanges()
    context.reset()
    XCTAssertFalse(manager.canUndo)
    context.undo()
    XCTAssertEqual(try context.only(Author.self).name, "Ada")
  }

  func testA98_aRollbackForgetsWhatCouldBeUndoneAndRedone() throws {
    let (context, manager) = try undoable()
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    context.processPendingChanges()
    author.name = "Cara"
    context.undo()
    context.rollback()
    XCTAssertFalse(manager.canUndo)
    XCTAssertFalse(manager.canRedo)
    context.undo()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertFalse(context.hasChanges)
  }

  func testE37_aMergeIsNotUndoneAndForgetsNothing() throws {
    let container = try makeContainer()
    let (context, manager) = try undoable(container)
    let author = try context.savedAuthor("Ada")
    manager.removeAllActions()
    author.name = "Bea"
    let other = makeMainContext(container)
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: other, queue: nil
    ) { context.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.only(Author.self).born = 1815
    try other.savedArticle("By nobody")
    XCTAssertEqual(author.born, 1815)
    XCTAssertEqual(author.name, "Bea")
    context.undo()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertEqual(author.born, 1815)
    XCTAssertEqual(try context.all(Article.self).count, 1)
    XCTAssertFalse(manager.canUndo)
  }

  func testE37_undoTakesBackWhatFollowedARefreshAndNotTheRefresh() throws {
    let container = try makeContainer()
    let (context, _) = try undoable(container)
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    context.processPendingChanges()
    let other = makeMainContext(container)
    try other.only(Author.self).born = 1815
    try other.save()
    context.refresh(author, mergeChanges: true)
    author.born = 1900
    context.undo()
    XCTAssertEqual(author.born, 1815)
    XCTAssertEqual(author.name, "Bea", "that was an event of its own")
    context.undo()
    XCTAssertEqual(author.name, "Ada")
    context.redo()
    context.redo()
    XCTAssertEqual(author.born, 1900)
    context.undo()
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).born, 1815)
  }

  func testA56_E37_oldValuesOfAnEventAreThoseOfARefreshBeforeIt() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    let other = makeMainContext(container)
    let stored = try other.only(Author.self)
    for (year, isSaved) in [(1815, false), (1816, true)] as [(Int64, Bool)] {
      author.name = "Bea \(year)"
      context.processPendingChanges()
      if isSaved { try context.save() }
      other.refresh(stored, mergeChanges: false)
      stored.born = year
      try other.save()
      context.refresh(author, mergeChanges: true)
      author.born = 1900
      XCTAssertEqual(author.changedValuesForCurrentEvent() as? [String: Int64], ["born": year])
      context.refresh(author, mergeChanges: false)
    }
  }

  func testE37_membersThatTheOtherSideTookTooAreNotUndone() throws {
    let container = try makeContainer()
    let (context, _) = try undoable(container)
    let author = try context.savedAuthor("Ada")
    let (one, two) = (try context.savedArticle("one"), try context.savedArticle("two"))
    author.articles = [one]
    context.processPendingChanges()
    let other = makeMainContext(container)
    let stored = try XCTUnwrap(other.object(with: one.objectID) as? Article)
    stored.author = try other.only(Author.self)
    try other.save()
    context.refresh(one, mergeChanges: true)
    author.articles.insert(two)
    context.undo()
    XCTAssertEqual(author.articles, [one])
    XCTAssertNil(two.author)
  }

  func testAnUndoManagerSaysWhatItDoesAndWhatAMenuCallsIt() throws {
    let manager = UndoManager()
    XCTAssertEqual([manager.undoMenuItemTitle, manager.redoMenuItemTitle], ["Undo", "Redo"])
    let heard = Box<[String]>([])
    let names: [Notification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { _ in
        heard.update { $0.append(name.rawValue.replacing("NSUndoManager", with: "")) }
      }
    }
    defer { tokens.forEach(NotificationCenter.default.removeObserver) }
    let target = NSObject()
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: target) { again in
      manager.registerUndo(withTarget: again) { _ in }
    }
    manager.setActionName("Typing")
    manager.endUndoGrouping()
    XCTAssertEqual(manager.undoMenuItemTitle, "Undo Typing")
    manager.undo()
    XCTAssertEqual(manager.redoMenuItemTitle, "Redo Typing")
    manager.redo()
    manager.redo()
    XCTAssertEqual(
      heard.value.map { $0.replacing("Notification", with: "") },
      [
        "DidOpenUndoGroup", "WillCloseUndoGroup", "DidCloseUndoGroup", "WillUndoChange",
        "DidUndoChange", "WillRedoChange", "DidRedoChange",
      ])
  }
}
