import CoreData
import Foundation
import XCTest

/// Undo across saves (rule A104), and of whatever can be done to a graph.
///
/// A failure prints its seed; `SPEC_SEED=<seed> swift test --filter <test>` repeats it alone.
final class UndoAfterSaveSpecs: SpecCase {
  private var seeds: [Int] {
    let one = ProcessInfo.processInfo.environment["SPEC_SEED"].flatMap { Int($0) }
    return one.map { [$0] } ?? Array(1...16)
  }

  /// The context of a fresh container, with an undo manager.
  private func undoable(_ name: String = "Library") throws -> NSManagedObjectContext {
    let context = try makeContainer(name: name).viewContext
    context.undoManager = UndoManager()
    return context
  }

  /// What the file of this name holds.
  private func stored(_ name: String = "Library") throws -> [String] {
    try openContainer(model: SpecModel.library, at: storeURL(name)).viewContext.graph()
  }

  func testA104_undoingASavedChangeIsANewChange() throws {
    let context = try undoable()
    let author = try context.savedAuthor("Ada")
    author.name = "Bea"
    try context.save()
    XCTAssertFalse(context.hasChanges)
    context.undo()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertEqual(context.updatedObjects, [author])
    XCTAssertTrue(try stored()[0].contains("Bea"))
    try context.save()
    XCTAssertTrue(try stored()[0].contains("Ada"))
    context.redo()
    try context.save()
    XCTAssertTrue(try stored()[0].contains("Bea"))
  }

  func testA104_undoingASavedInsertionIsADeletion() throws {
    let context = try undoable()
    let author = try context.savedAuthor("Ada")
    let id = author.objectID
    context.undo()
    XCTAssertEqual(context.deletedObjects, [author])
    try context.save()
    XCTAssertEqual(try stored(), [])
    XCTAssertNil(author.managedObjectContext)
    context.redo()
    XCTAssertEqual(context.insertedObjects, [author])
    try context.save()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertEqual(author.objectID, id)
    XCTAssertEqual(try stored(), try context.graph())
  }

  func testA104_undoingASavedDeletionInsertsTheRecordAgain() throws {
    let context = try undoable()
    let author = try context.savedAuthor("Ada")
    author.profile = Profile(context: context)
    let article = try context.savedArticle("On engines", by: author)
    let tag = Tag(context: context)
    tag.name = "history"
    article.tags = [tag]
    try context.save()
    let before = try stored()
    let id = author.objectID
    context.delete(author)
    context.delete(article)
    try context.save()
    XCTAssertNil(author.managedObjectContext)
    context.undo()
    XCTAssertIdentical(author.managedObjectContext, context)
    XCTAssertTrue(author.isInserted)
    XCTAssertEqual(author.objectID, id, "it is the same record")
    XCTAssertIdentical(article.author, author)
    XCTAssertEqual(author.articles, [article])
    XCTAssertEqual(article.tags, [tag])
    XCTAssertIdentical(author.profile?.author, author)
    try context.save()
    XCTAssertEqual(try stored(), before)
  }

  func testA104_aRecordThatComesBackTakesThePlaceOfAFaultThatFindsNoRow() throws {
    let context = try undoable()
    let author = try context.savedAuthor("Ada")
    context.delete(author)
    try context.save()
    let fault = context.object(with: author.objectID)
    XCTAssertNotIdentical(fault, author)
    context.undo()
    XCTAssertIdentical(context.object(with: author.objectID), author)
    XCTAssertNil(fault.managedObjectContext)
  }

  func testA104_D34_whoReadARecordInAFormerLifeConflictsWithTheOneThatCameBack() throws {
    let container = try makeContainer()
    let context = container.viewContext
    context.undoManager = UndoManager()
    let author = try context.savedAuthor("Ada")
    for life in 1...3 {
      let reader = makeMainContext(container)
      let twin = try reader.only(Author.self)
      XCTAssertEqual(twin.name, "Ada")
      context.delete(author)
      try context.save()
      context.undo()
      try context.save()
      // Had the row begun at version 1 again, this would pass.
      twin.born = 1815
      XCTAssertEqual(try conflicts(savingFails: reader).count, 1, "life \(life)")
    }
    XCTAssertEqual(author.born, 0)
  }

  func testA104_B41_D34_aRecordThatComesBackThroughAChildBeginsANewLifeToo() throws {
    let container = try makeContainer()
    let root = container.viewContext
    try root.savedAuthor("Ada")
    let reader = makeMainContext(container)
    let twin = try reader.only(Author.self)
    XCTAssertEqual(twin.name, "Ada")
    let child = makeMainChild(of: root)
    child.undoManager = UndoManager()
    child.delete(try child.only(Author.self))
    try child.save()
    try root.save()
    child.undo()
    try child.save()
    try root.save()
    twin.born = 1815
    XCTAssertEqual(try conflicts(savingFails: reader).count, 1)
  }

  func testA63_A104_whatWasInsertedAndDeletedHasNoContextAfterTheSave() throws {
    let context = try undoable()
    try context.savedAuthor("Ada")
    let draft = Draft(context: context)
    context.processPendingChanges()
    context.delete(draft)
    context.processPendingChanges()
    XCTAssertIdentical(draft.managedObjectContext, context, "until then undo may want it")
    try context.only(Author.self).name = "Bea"
    try context.save()
    XCTAssertNil(draft.managedObjectContext)
    context.undo()
    context.undo()
    XCTAssertEqual(context.insertedObjects, [draft])
  }

  func testA96_A98_whoeverForgetsAllActionsLetsTheManagerTakeRegistrationsAgain() throws {
    let container = try makeContainer()
    let (context, other) = (container.viewContext, makeMainContext(container))
    let manager = UndoManager()
    let author = try context.savedAuthor("Ada")
    context.undoManager = manager
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    context.rollback()
    XCTAssertTrue(manager.isUndoRegistrationEnabled)
    author.name = "Bea"
    context.undo()
    XCTAssertEqual(author.name, "Ada")
    // A merge turns registration off and on again, whatever its observers do.
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { ($0.object as? NSManagedObjectContext)?.rollback() }
    defer { NotificationCenter.default.removeObserver(token) }
    let twin = try XCTUnwrap(other.existingObject(with: author.objectID) as? Author)
    twin.name = "Ida"
    try other.save()
    context.mergeChanges(
      fromContextDidSave: Notification(
        name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil,
        userInfo: [NSUpdatedObjectIDsKey: Set([author.objectID])]))
    XCTAssertEqual(author.name, "Ida")
    XCTAssertTrue(manager.isUndoRegistrationEnabled)
  }

  func testA104_B41_aChildMayTakeBackWhatItSavedIntoItsParent() throws {
    let root = try makeContainer().viewContext
    try root.savedAuthor("Ada")
    let child = makeMainChild(of: root)
    child.undoManager = UndoManager()
    let author = try child.only(Author.self)
    author.name = "Bea"
    try child.save()
    child.delete(author)
    let draft = Draft(context: child)
    draft.name = "kept"
    try child.save()
    XCTAssertEqual(root.deletedObjects.count, 1)
    child.undo()
    try child.save()
    XCTAssertEqual(try root.only(Author.self).name, "Bea")
    XCTAssertEqual(try root.all(Draft.self), [])
    child.undo()
    child.redo()
    child.redo()
    try child.save()
    try root.save()
    XCTAssertEqual(try stored().count, 1)
    child.undo()
    try child.save()
    try root.save()
    XCTAssertTrue(try stored()[0].contains("Bea"))
  }

  func testA102_A104_whateverWasDoneCanBeUndoneAndRedone() throws {
    var undone = 0
    for seed in seeds {
      let context = try undoable("\(seed)")
      let manager = try XCTUnwrap(context.undoManager)
      var walk = RandomWalk(seed: seed)
      var graphs = try [context.graph(byID: false)]
      for _ in 0..<60 {
        let couldUndo = manager.canUndo
        try walk.step(in: context)
        context.processPendingChanges()
        let graph = try context.graph(byID: false)
        if couldUndo, !manager.canUndo {
          // A rollback forgets everything.
          graphs = [graph]
        } else if graph != graphs.last {
          graphs.append(graph)
        }
        if seed % 2 == 0, walk.number(below: 4) == 0 {
          try context.save()
          walk.note("save")
        }
      }
      for graph in graphs.reversed().dropFirst() {
        context.undo()
        undone += 1
        if seed % 4 == 0 { try context.save() }
        XCTAssertEqual(try context.graph(byID: false), graph, "SPEC_SEED=\(seed) \(walk.steps)")
      }
      XCTAssertFalse(manager.canUndo, "SPEC_SEED=\(seed)")
      for graph in graphs.dropFirst() {
        context.redo()
        XCTAssertEqual(try context.graph(byID: false), graph, "SPEC_SEED=\(seed) \(walk.steps)")
      }
      try context.save()
      XCTAssertEqual(try stored("\(seed)"), try context.graph(), "SPEC_SEED=\(seed)")
    }
    XCTAssertGreaterThan(undone, seeds.count * 4)
  }
}
