import CoreData
import Foundation
import Testing
import XCTest

/// Following a request in a loop, which Core Data leaves to Combine and SwiftUI, and names of
/// caches.
final class FetchedUpdatesSpecs: SpecCase {
  private typealias Updates = AsyncThrowingStream<FetchedUpdate, any Error>

  private func request(batchSize: Int = 0) -> NSFetchRequest<Author> {
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.fetchBatchSize = batchSize
    return request
  }

  /// The names behind the ids of an update.
  private func names(_ update: FetchedUpdate?, in context: NSManagedObjectContext) async -> String {
    let ids = update?.ids ?? []
    return await context.perform {
      ids.map { (context.object(with: $0) as? Author)?.name ?? "?" }.joined(separator: " ")
    }
  }

  func testARequestIsFollowedThroughChangesSavesAndResets() async throws {
    let context = try makeContainer().newBackgroundContext()
    var updates = context.updates(of: request()).makeAsyncIterator()
    var ids = try await updates.next()?.ids
    XCTAssertEqual(ids, [])

    await context.perform {
      for name in ["C", "A", "B"] { Author(context: context).name = name }
    }
    var update = try await updates.next()
    var seen = await names(update, in: context)
    XCTAssertEqual(seen, "A B C")
    XCTAssertEqual(update?.ids.map(\.isTemporaryID), [true, true, true])
    ids = try XCTUnwrap(ids?.applying(try XCTUnwrap(update?.difference)))
    XCTAssertEqual(ids, update?.ids)

    try await context.perform { try context.save() }
    update = try await updates.next()
    XCTAssertEqual(update?.ids.map(\.isTemporaryID), [false, false, false])
    ids = try XCTUnwrap(ids?.applying(try XCTUnwrap(update?.difference)))
    XCTAssertEqual(ids, update?.ids)

    try await context.perform {
      let all = try context.all(Author.self, by: "name")
      all[0].name = "D"
      context.delete(all[1])
    }
    update = try await updates.next()
    seen = await names(update, in: context)
    XCTAssertEqual(seen, "C D")
    ids = try XCTUnwrap(ids?.applying(try XCTUnwrap(update?.difference)))
    XCTAssertEqual(ids, update?.ids)

    await context.perform { context.reset() }
    update = try await updates.next()
    seen = await names(update, in: context)
    XCTAssertEqual(seen, "A B C")
    ids = try XCTUnwrap(ids?.applying(try XCTUnwrap(update?.difference)))
    XCTAssertEqual(ids, update?.ids)

    await context.perform { Author(context: context).name = "E" }
    update = try await updates.next()
    seen = await names(update, in: context)
    XCTAssertEqual(seen, "A B C E", "it is followed after the reset too")
  }

  func testA9_anIdThatIsObtainedWithoutASaveIsPartOfTheNextDifference() async throws {
    let context = try makeContainer().newBackgroundContext()
    var updates = context.updates(of: request()).makeAsyncIterator()
    var ids = try await updates.next()?.ids ?? []
    await context.perform {
      for name in ["A", "B"] { Author(context: context).name = name }
    }
    let first = try await updates.next()
    ids = try XCTUnwrap(ids.applying(try XCTUnwrap(first).difference))
    try await context.perform {
      try context.obtainPermanentIDs(for: Array(context.insertedObjects))
      Author(context: context).name = "C"
    }
    while ids.count < 3 {
      let next = try await updates.next()
      let update = try XCTUnwrap(next)
      ids = try XCTUnwrap(ids.applying(update.difference))
      XCTAssertEqual(ids, update.ids)
    }
    XCTAssertEqual(ids.map(\.isTemporaryID), [false, false, true])
  }

  func testTheLoopEndsWithItsTaskAndNobodyIsHeldAnyMore() async throws {
    let container = try makeContainer()
    let gone = expectation(description: "the context went")
    do {
      let context = MortalContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = container.persistentStoreCoordinator
      context.gone = gone
      let updates = context.updates(of: request())
      let task = Task {
        var count = 0
        for try await _ in updates { count += 1 }
        return count
      }
      await context.perform { Author(context: context).name = "A" }
      task.cancel()
      let count = try await task.value
      XCTAssertLessThanOrEqual(count, 2)
    }
    await fulfillment(of: [gone], timeout: 30)
  }

  func testWhoGivesUpBeforeTheFirstFetchHoldsNobody() throws {
    let container = try makeContainer()
    let gone = expectation(description: "the context went")
    func giveUp() {
      let context = MortalContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = container.persistentStoreCoordinator
      context.gone = gone
      let gate = Gate()
      context.perform { gate.pass() }
      _ = context.updates(of: request())
      gate.open()
    }
    giveUp()
    wait(for: [gone], timeout: 30)
  }

  func testF67_F68_underACacheNameARequestIsNotChangedUntilTheCacheIsDeleted() throws {
    let context = try makeContainer().viewContext
    try context.savedAuthors("A", "B")
    let fetch = request()
    let name = "authors \(UUID().uuidString)"
    let controller = NSFetchedResultsController(
      fetchRequest: fetch, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: name)
    try controller.performFetch()
    try controller.performFetch()
    XCTAssertEqual(controller.cacheName, name)
    NSFetchedResultsController<Author>.deleteCache(withName: name)
    fetch.predicate = NSPredicate(format: "name == 'B'")
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["B"])
  }

  func testF68_aRequestThatNamesAnObjectStaysTheSameWhateverTheObjectsValuesAre() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor("A").objectID
    let context = makeMainContext(container)
    let author = context.object(with: id)
    let fetch = request()
    fetch.predicate = NSPredicate(format: "SELF == %@", author)
    let name = "author \(UUID().uuidString)"
    let controller = NSFetchedResultsController(
      fetchRequest: fetch, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: name)
    try controller.performFetch()
    author.setValue("B", forKey: "name")
    try controller.performFetch()
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["B"])
    XCTAssertEqual(fetch.predicate, NSPredicate(format: "SELF == %@", id))
    NSFetchedResultsController<Author>.deleteCache(withName: name)
  }

  #if FAULTLINE
    func testI27_sectionsThatTheStoreKnowsLoadNoRowsAndTransientOnesLoadAll() throws {
      let container = try makeContainer()
      for (number, author) in try container.viewContext.savedAuthors("A", "B", "C", "D", "E")
        .enumerated()
      {
        author.born = 1800 + Int64(number / 2)
      }
      for letter in ["a", "b", "c", "d"] { container.viewContext.article(letter, in: "text") }
      try container.viewContext.save()
      let context = makeMainContext(container)
      let controller = NSFetchedResultsController(
        fetchRequest: request(batchSize: 2), managedObjectContext: context,
        sectionNameKeyPath: "born", cacheName: nil)
      let fetching = try work { try controller.performFetch() }
      XCTAssertEqual([fetching.statements, fetching.rowsFetched], [1, 0])
      XCTAssertEqual(controller.sections?.map(\.name), ["1800", "1801", "1802"])
      XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [2, 2, 1])
      XCTAssertEqual(controller.object(at: [1, 1]).name, "D")

      let articles = NSFetchRequest<Article>(entityName: "Article")
      articles.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      articles.fetchBatchSize = 2
      let transient = NSFetchedResultsController(
        fetchRequest: articles, managedObjectContext: context, sectionNameKeyPath: "remark",
        cacheName: nil)
      let loading = try work { try transient.performFetch() }
      XCTAssertEqual([loading.statements, loading.rowsFetched], [3, 4])
      XCTAssertEqual(transient.sections?.map(\.numberOfObjects), [4])
    }

    func testI27_aControllerKeepsIdsAndLoadsPagesWhenTheyAreLookedAt() throws {
      let container = try makeContainer()
      try container.viewContext.savedAuthors("A", "B", "C", "D", "E", "F", "G", "H")
      let context = makeMainContext(container)
      let controller = NSFetchedResultsController(
        fetchRequest: request(batchSize: 2), managedObjectContext: context,
        sectionNameKeyPath: nil, cacheName: nil)
      let journal = ResultsJournal()
      controller.delegate = journal
      let fetching = try work { try controller.performFetch() }
      XCTAssertEqual([fetching.statements, fetching.rowsFetched], [1, 0])
      XCTAssertEqual(controller.sections?.first?.numberOfObjects, 8)
      let looking = work { XCTAssertEqual(controller.object(at: [0, 3]).name, "D") }
      XCTAssertEqual([looking.statements, looking.rowsFetched], [1, 2])
      Author(context: context).name = "EE"
      context.processPendingChanges()
      XCTAssertEqual(journal.take(), ["will change", "EE: insert nil to 0.5", "did change"])
      XCTAssertEqual(
        controller.fetchedObjects?.compactMap(\.name).joined(separator: " "), "A B C D E EE F G H")
    }
  #endif
}

/// A context that says when it goes.
private final class MortalContext: NSManagedObjectContext, @unchecked Sendable {
  /// What waits for that.
  var gone: XCTestExpectation?

  deinit { gone?.fulfill() }
}

/// The mistakes with names of caches that stop the process.
@Suite struct FetchedCacheStops {
  @Test("F68: a request changed under the name of a cache stops at the fetch")
  func f68ARequestChangedUnderACacheNameStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
          cacheName: "authors")
        try controller.performFetch()
        request.predicate = NSPredicate(format: "name == 'B'")
        nowStops()
        try controller.performFetch()
      }
    }
    #expect(reachedTheMistake(result))
  }
}
