import CoreData
import Foundation
import XCTest

/// What a fetched results controller tells its delegate, and when (section F.6).
final class FetchedResultsSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  func testF69_nothingIsToldBeforeChangesAreProcessed() throws {
    let context = try makeContainer().viewContext
    let (controller, journal) = try authors(in: context)
    Author(context: context).name = "Ada"
    XCTAssertEqual(journal.take(), [])
    XCTAssertEqual(controller.fetchedObjects?.count, 0)
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "Ada: insert nil to 0.0", "did change"])
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["Ada"])
  }

  func testF69_anotherContextsChangesAreNotNoticedUntilTheyAreMerged() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let (controller, journal) = try authors(in: context)
    let other = makeMainContext(container)
    let token = NotificationCenter.default.addObserver(
      forName: Context.didSaveObjectsNotification, object: other, queue: nil
    ) { context.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    Author(context: other).name = "Ada"
    Author(context: other).name = "Cara"
    other.processPendingChanges()
    XCTAssertEqual(journal.take(), [])
    try other.save()
    let ada = try other.all(Author.self, by: "name")[0]
    XCTAssertEqual(
      journal.take(),
      ["will change", "Ada: insert nil to 0.0", "Cara: insert nil to 0.1", "did change"])
    ada.name = "Dora"
    try other.save()
    XCTAssertEqual(journal.take(), ["will change", "Dora: move 0.0 to 0.1", "did change"])
    other.delete(ada)
    try other.save()
    XCTAssertEqual(journal.take(), ["will change", "Dora: delete 0.1 to nil", "did change"])
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["Cara"])
  }

  func testF69_F74_whatIsDeletedInTheEventOfItsInsertionIsNoMemberAnyMore() throws {
    let context = try makeContainer().viewContext
    let fleeting = Author(context: context)
    fleeting.name = "Ada"
    let (controller, journal) = try authors(in: context)
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["Ada"])
    context.delete(fleeting)
    try context.save()
    XCTAssertEqual(journal.take(), ["will change", "Ada: delete 0.0 to nil", "did change"])
    Author(context: context).name = "Bea"
    context.processPendingChanges()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["Bea"])
  }

  func testF71_insertionDeletionMoveAndUpdateAreToldApart() throws {
    let context = try makeContainer().viewContext
    let all = try context.savedAuthors("A", "B", "C", "D")
    let (controller, journal) = try authors(in: context)
    all[1].born = 1815
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "B: update 0.1 to 0.1", "did change"])
    all[0].name = "E"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "E: move 0.0 to 0.3", "did change"])
    context.delete(all[2])
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "C: delete 0.1 to nil", "did change"])
    Author(context: context).name = "AA"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "AA: insert nil to 0.0", "did change"])
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["AA", "B", "D", "E"])
    XCTAssertEqual(
      [1, 2, 3, 4].map { NSFetchedResultsChangeType(rawValue: $0) },
      [.insert, .delete, .move, .update])
  }

  func testF70_untilTheChangesAreToldTheListIsTheOldOne() throws {
    let context = try makeContainer().viewContext
    let all = try context.savedAuthors("A", "B")
    let witness = ListWitness()
    let (controller, _) = try authors(in: context, witness)
    context.delete(all[0])
    Author(context: context).name = "C"
    context.processPendingChanges()
    XCTAssertEqual(witness.lists, [["A", "B"], ["B", "C"]])
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["B", "C"])
  }

  func testF72_oldPathsCountBeforeTheWholeBatchAndNewOnesAfterIt() throws {
    let context = try makeContainer().viewContext
    let all = try context.savedAuthors("A", "B", "C", "D")
    let (controller, journal) = try authors(in: context)
    context.delete(all[0])
    all[1].name = "Z"
    Author(context: context).name = "CC"
    all[3].born = 1
    context.processPendingChanges()
    XCTAssertEqual(
      journal.take(),
      [
        "will change", "A: delete 0.0 to nil", "CC: insert nil to 0.1", "Z: move 0.1 to 0.3",
        "D: update 0.3 to 0.2", "did change",
      ])
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["C", "CC", "D", "Z"])
  }

  func testF70_sectionsAreToldBeforeObjectsBetweenTwoOtherCalls() throws {
    let context = try makeContainer().viewContext
    let old = context.article("B", in: "x")
    context.article("A", in: "y")
    try context.save()
    let (controller, journal) = try articles(in: context)
    XCTAssertEqual(controller.contents, "x[B] y[A]")
    old.body = "z"
    context.article("C", in: "w")
    context.processPendingChanges()
    XCTAssertEqual(
      journal.take(),
      [
        "will change", "section x: delete 0", "section w: insert 0", "section z: insert 2",
        "C: insert nil to 0.0", "B: move 0.0 to 2.0", "did change",
      ])
    XCTAssertEqual(controller.contents, "w[C] y[A] z[B]")
  }

  func testF73_beginningAndCeasingToMatchAreInsertionAndDeletion() throws {
    let context = try makeContainer().viewContext
    let all = try context.savedAuthors("A", "B")
    let (controller, journal) = try authors(in: context, where: "born > 1800")
    XCTAssertEqual(controller.fetchedObjects, [])
    all[1].born = 1815
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "B: insert nil to 0.0", "did change"])
    all[0].born = 1700
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), [])
    all[1].born = 1700
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "B: delete 0.0 to nil", "did change"])
  }

  func testF73_objectsOfOtherEntitiesAreNoConcern() throws {
    let context = try makeContainer().viewContext
    let (_, journal) = try authors(in: context)
    Article(context: context).title = "A"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), [])
  }

  func testF74_L17_A96_aResetIsNotToldAndTheNextFetchRestores() throws {
    let context = try makeContainer().viewContext
    try context.savedAuthors("A", "B")
    let (controller, journal) = try authors(in: context)
    context.reset()
    XCTAssertEqual(journal.take(), [])
    Author(context: context).name = "C"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), [])
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["A", "B", "C"])
    Author(context: context).name = "D"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "D: insert nil to 0.3", "did change"])
  }

  func testF75_whatIsReachedThroughARelationshipIsNotObserved() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let article = try context.savedArticle("A", by: author)
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.predicate = NSPredicate(format: "author.name == 'Ada'")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let journal = ResultsJournal()
    controller.delegate = journal
    try controller.performFetch()
    author.name = "Bea"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), [])
    XCTAssertEqual(controller.fetchedObjects, [article])
    article.wordCount = 1
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "A: delete 0.0 to nil", "did change"])
  }

  func testF77_aDelegateThatTakesDifferencesIsToldNothingElse() throws {
    let context = try makeContainer().viewContext
    let all = try context.savedAuthors("A", "B", "C")
    let journal = DifferenceJournal()
    let controller = try authors(in: context).0
    controller.delegate = journal
    let before = controller.fetchedObjects?.map(\.objectID) ?? []
    all[0].name = "D"
    context.delete(all[1])
    Author(context: context).name = "AA"
    context.processPendingChanges()
    XCTAssertEqual(journal.singleCalls, 0)
    let difference = try XCTUnwrap(journal.differences.first)
    XCTAssertEqual(journal.differences.count, 1)
    XCTAssertEqual(before.applying(difference), controller.fetchedObjects?.map(\.objectID))
  }

  func testF77_withSectionsEverythingIsToldSingly() throws {
    let context = try makeContainer().viewContext
    let journal = DifferenceJournal()
    let controller = try articles(in: context).0
    controller.delegate = journal
    context.article("A", in: "x")
    context.processPendingChanges()
    XCTAssertEqual(journal.differences.count, 0)
    XCTAssertEqual(journal.singleCalls, 2)
  }

  func testF78_theIdsOfUnsavedInsertsAreTemporaryAndChangeWithTheSave() throws {
    let context = try makeContainer().viewContext
    let journal = DifferenceJournal()
    let controller = try authors(in: context).0
    controller.delegate = journal
    let author = Author(context: context)
    author.name = "A"
    context.processPendingChanges()
    let told = journal.differences.first?.insertions.map { change -> NSManagedObjectID? in
      if case .insert(_, let id, _) = change { id } else { nil }
    }
    let id = try XCTUnwrap(told?.first ?? nil)
    XCTAssertTrue(id.isTemporaryID)
    try context.save()
    XCTAssertNotEqual(author.objectID, id)
    XCTAssertEqual(controller.fetchedObjects, [author])
  }

  func testF79_laterInsertsMayExceedTheLimit() throws {
    let context = try makeContainer().viewContext
    try context.savedAuthors("B", "C", "D")
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.fetchLimit = 2
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let journal = ResultsJournal()
    controller.delegate = journal
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.count, 2)
    Author(context: context).name = "A"
    context.processPendingChanges()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["A", "B", "C"])
  }

  func testA100_aRollbackIsToldWithEverythingItBringsBack() throws {
    let context = try makeContainer().viewContext
    let all = try context.savedAuthors("A", "B", "C")
    let (controller, journal) = try authors(in: context)
    context.delete(all[0])
    all[1].name = "Z"
    Author(context: context).name = "D"
    context.processPendingChanges()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["C", "D", "Z"])
    _ = journal.take()
    context.rollback()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["A", "B", "C"])
    XCTAssertEqual(journal.take().count, 5)
  }

  func testA102_anUndoIsToldLikeAnyOtherChange() throws {
    let context = try makeContainer().viewContext
    context.undoManager = UndoManager()
    let all = try context.savedAuthors("A", "B")
    let (_, journal) = try authors(in: context)
    context.delete(all[0])
    try context.save()
    XCTAssertEqual(journal.take(), ["will change", "A: delete 0.0 to nil", "did change"])
    context.undo()
    XCTAssertEqual(journal.take(), ["will change", "A: insert nil to 0.0", "did change"])
  }
}
