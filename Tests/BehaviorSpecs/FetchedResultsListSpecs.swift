import CoreData
import Foundation
import Testing
import XCTest

/// What a fetched results controller shows: objects, index paths, sections (section F.6).
///
/// A failure prints its seed; `SPEC_SEED=<seed> swift test --filter <test>` repeats it alone.
final class FetchedResultsListSpecs: SpecCase {
  func testF68_nothingIsShownBeforeTheFirstFetchAndAChangedRequestIsFetchedAnew() throws {
    let context = try makeContainer().viewContext
    try context.savedAuthors("A", "B")
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: "authors")
    XCTAssertNil(controller.fetchedObjects)
    XCTAssertNil(controller.sections)
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["A", "B"])
    NSFetchedResultsController<Author>.deleteCache(withName: "authors")
    controller.fetchRequest.predicate = NSPredicate(format: "name == 'B'")
    XCTAssertEqual(controller.fetchedObjects?.count, 2)
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["B"])
    XCTAssertEqual(controller.cacheName, "authors")
    XCTAssertIdentical(controller.managedObjectContext, context)
  }

  func testF67_withoutADelegateChangesAreNotFollowed() throws {
    let context = try makeContainer().viewContext
    let (controller, journal) = try authors(in: context)
    controller.delegate = nil
    Author(context: context).name = "A"
    context.processPendingChanges()
    XCTAssertEqual(controller.fetchedObjects, [])
    XCTAssertEqual(journal.take(), [])
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.count, 1)
  }

  func testF66_sectionsFollowTheFirstSortDescriptor() throws {
    let context = try makeContainer().viewContext
    for (title, body) in [("C", "x"), ("B", "y"), ("A", "x"), ("D", nil)] {
      context.article(title, in: body)
    }
    try context.save()
    let (controller, _) = try articles(in: context)
    XCTAssertEqual(controller.contents, "[D] x[A C] y[B]")
    XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [1, 2, 1])
    XCTAssertEqual(controller.sectionNameKeyPath, "body")
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let wrong = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "body",
      cacheName: nil)
    XCTAssertThrowsError(try wrong.performFetch()) { error in
      XCTAssertEqual((error as? CocoaError)?.code.rawValue, NSCoreDataError)
    }
  }

  func testF66_anEmptyListOfSortDescriptorsLeavesTheOrderToTheStore() throws {
    let context = try makeContainer().viewContext
    _ = try context.savedAuthors("Bea", "Ada")
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = []
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let journal = ResultsJournal()
    controller.delegate = journal
    try controller.performFetch()
    let stored = try context.fetch(request).map(\.name)
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), stored)
    Author(context: context).name = "Cara"
    try context.save()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), stored + ["Cara"])
    XCTAssertEqual(journal.take(), ["will change", "Cara: insert nil to 0.2", "did change"])
  }

  func testF70_F71_aSectionThatWasDeletedHasNoObjects() throws {
    let context = try makeContainer().viewContext
    let authors = try context.savedAuthors("Ada", "Bea")
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
      cacheName: nil)
    let counter = SectionCounter()
    controller.delegate = counter
    try controller.performFetch()
    context.delete(authors[0])
    Author(context: context).name = "Cara"
    try context.save()
    XCTAssertEqual(counter.lines, ["Ada: delete 0 with 0 and 0", "Cara: insert 1 with 1 and 1"])
  }

  func testF66_withoutASectionKeyThereIsOneSectionEvenIfItIsEmpty() throws {
    let context = try makeContainer().viewContext
    let (controller, journal) = try authors(in: context)
    XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [0])
    Author(context: context).name = "A"
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "A: insert nil to 0.0", "did change"])
    XCTAssertEqual(controller.sections?.map(\.name), [""])
  }

  func testF66_sectionsMayBeNamedThroughARelationshipOrByANumber() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    for (title, count) in [("A", 2), ("B", 1), ("C", 2)] as [(String, Int64)] {
      let article = context.article(title, in: nil)
      article.wordCount = count
      article.author = author
    }
    try context.save()
    for (keyPath, names) in [("wordCount", ["1", "2"]), ("author.name", ["Ada"])] {
      let request = NSFetchRequest<Article>(entityName: "Article")
      request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: keyPath,
        cacheName: nil)
      try controller.performFetch()
      XCTAssertEqual(controller.sections?.map(\.name), names)
    }
  }

  func testF72_objectsAndIndexPathsFindEachOther() throws {
    let context = try makeContainer().viewContext
    context.article("A", in: "x")
    let b = context.article("B", in: "y")
    let c = context.article("C", in: "y")
    try context.save()
    let (controller, _) = try articles(in: context)
    XCTAssertEqual(controller.indexPath(forObject: c), IndexPath(indexes: [1, 1]))
    XCTAssertIdentical(controller.object(at: IndexPath(indexes: [1, 0])), b)
    XCTAssertNil(controller.indexPath(forObject: context.article("D", in: "z")))
    #if FAULTLINE
      XCTAssertIdentical(controller.object(at: IndexPath(row: 1, section: 1)), c)
      var path = IndexPath(item: 3, section: 2)
      XCTAssertEqual([path.section, path.item, path.row], [2, 3, 3])
      path.row = 1
      path.section = 0
      XCTAssertEqual(path, IndexPath(item: 1, section: 0))
    #endif
  }

  func testF66_sectionsAreAbbreviatedByTheirFirstLetterOrByTheDelegate() throws {
    let context = try makeContainer().viewContext
    for body in ["apples", "pears", "plums"] { context.article("A", in: body) }
    try context.save()
    let (controller, journal) = try articles(in: context)
    XCTAssertEqual(controller.sectionIndexTitles, ["A", "P", "P"])
    XCTAssertEqual(controller.sections?.map(\.indexTitle), ["A", "P", "P"])
    XCTAssertEqual(controller.section(forSectionIndexTitle: "P", at: 2), 2)
    let other = TitleGiver()
    controller.delegate = other
    XCTAssertEqual(controller.sectionIndexTitle(forSectionName: "pears"), "<pears>")
    XCTAssertEqual(controller.sections?.first?.indexTitle, "<apples>")
    withExtendedLifetime(journal) {}
  }

  func testF70_theDelegateGetsTheControllerUnderTheTypeOfAllResults() throws {
    let context = try makeContainer().viewContext
    let (controller, journal) = try authors(in: context)
    let author = Author(context: context)
    author.name = "A"
    context.processPendingChanges()
    let told = try XCTUnwrap(journal.controllers.first)
    XCTAssertTrue(told == controller)
    XCTAssertEqual(told.hash, controller.hash)
    XCTAssertEqual(told.fetchedObjects as? [Author], [author])
    XCTAssertIdentical(told.object(at: IndexPath(indexes: [0, 0])) as? Author, author)
    XCTAssertEqual(told.fetchRequest.entityName, "Author")
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let erased = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let other = ResultsJournal()
    erased.delegate = other
    try erased.performFetch()
    author.born = 1
    context.processPendingChanges()
    XCTAssertIdentical(other.controllers.first, erased)
    XCTAssertFalse(told == erased)
  }

  func testF69_F72_whateverChangesTheListIsWhatAFetchWouldFindAndTheCallsLeadThere() throws {
    let one = ProcessInfo.processInfo.environment["SPEC_SEED"].flatMap { Int($0) }
    for seed in one.map({ [$0] }) ?? Array(1...20) {
      var generator = SeededGenerator(seed: seed)
      let context = try makeContainer(name: "\(seed)").viewContext
      let (controller, journal) = try articles(in: context, ReplayingJournal())
      let replay = try XCTUnwrap(journal as? ReplayingJournal)
      for step in 0..<40 {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let all = try context.all(Article.self, by: "title")
          let body = "wxyz".randomElement(using: &generator).map(String.init)
          switch Int.random(in: 0..<6, using: &generator) {
          case 0, 1: context.article("\(Int.random(in: 0..<1000, using: &generator))", in: body)
          case 2: all.randomElement(using: &generator).map(context.delete)
          case 3: all.randomElement(using: &generator)?.body = body
          case 4: all.randomElement(using: &generator)?.title += "0"
          default: all.randomElement(using: &generator)?.wordCount += 1
          }
        }
        if step % 7 == 6 { try context.save() } else { context.processPendingChanges() }
        let fresh = try articles(in: context).0
        XCTAssertEqual(controller.contents, fresh.contents, "SPEC_SEED=\(seed) step \(step)")
        XCTAssertEqual(replay.contents, fresh.contents, "SPEC_SEED=\(seed) step \(step)")
      }
    }
  }
}

/// Keeps a list of its own by nothing but what it is told, as a table view does.
private final class ReplayingJournal: ResultsJournal {
  private var sections: [(name: String, objects: [Article])] = []
  private var calls: [(Article, NSFetchedResultsChangeType, IndexPath?, IndexPath?)] = []
  private var sectionCalls: [(String, Int, NSFetchedResultsChangeType)] = []

  var contents: String {
    sections.map { "\($0.name)[\($0.objects.map(\.title).joined(separator: " "))]" }
      .joined(separator: " ")
  }

  override func controllerWillChangeContent(_ controller: Controller) {
    (calls, sectionCalls) = ([], [])
  }

  override func controller(
    _ controller: Controller, didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
  ) {
    sectionCalls.append((sectionInfo.name, sectionIndex, type))
  }

  override func controller(
    _ controller: Controller, didChange anObject: Any, at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    if let article = anObject as? Article { calls.append((article, type, indexPath, newIndexPath)) }
  }

  override func controllerDidChangeContent(_ controller: Controller) {
    let leaving = calls.filter { $0.1 == .delete || $0.1 == .move }.compactMap(\.2)
    for path in leaving.sorted(by: >) { sections[path[0]].objects.remove(at: path[1]) }
    for (_, index, type) in sectionCalls.reversed() where type == .delete {
      sections.remove(at: index)
    }
    for (name, index, type) in sectionCalls where type == .insert {
      sections.insert((name, []), at: index)
    }
    let coming = calls.filter { $0.1 == .insert || $0.1 == .move }
    for (article, _, _, path) in coming.sorted(by: { $0.3! < $1.3! }) {
      sections[path![0]].objects.insert(article, at: path![1])
    }
  }
}

/// A delegate that counts the objects of the sections that come and go.
private final class SectionCounter: NSObject, NSFetchedResultsControllerDelegate {
  var lines: [String] = []

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    lines.append(
      "\(sectionInfo.name): \(type) \(sectionIndex) with \(sectionInfo.numberOfObjects) and "
        + "\(sectionInfo.objects?.count ?? 0)")
  }
}

/// The mistakes with fetched results controllers that stop the process.
@Suite struct FetchedResultsStops {
  @Test("F66: a fetched results controller needs a sort descriptor")
  func f66AControllerWithoutASortDescriptorStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        nowStops()
        _ = NSFetchedResultsController(
          fetchRequest: NSFetchRequest<Author>(entityName: "Author"), managedObjectContext: context,
          sectionNameKeyPath: nil, cacheName: nil)
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F68: an object cannot be had before the first fetch")
  func f68AnObjectBeforeTheFirstFetchStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: container.viewContext,
          sectionNameKeyPath: nil, cacheName: nil)
        nowStops()
        _ = controller.object(at: IndexPath(indexes: [0, 0]))
      }
    }
    #expect(reachedTheMistake(result))
  }
}
