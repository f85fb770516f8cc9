import CoreData
import Foundation
import XCTest

/// Fetches that leave their context free while the store is read (section F.4).
final class AsynchronousFetchSpecs: SpecCase {
  private var container: NSPersistentContainer!
  private var context: NSManagedObjectContext!

  /// Three authors in the store, and a main-queue context that has read none.
  override func setUpWithError() throws {
    try super.setUpWithError()
    container = try makeContainer()
    let saver = makeMainContext(container)
    for name in ["Ada", "Bob", "Cy"] { Author(context: saver).name = name }
    try saver.save()
    context = makeMainContext(container)
  }

  private func authors() -> NSFetchRequest<Author> {
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  /// Executes, lets the body do something, and waits for the result.
  private func execute<T>(
    _ fetch: NSFetchRequest<T>, meanwhile: (NSAsynchronousFetchResult<T>) throws -> Void = { _ in }
  ) throws -> NSAsynchronousFetchResult<T> {
    let finished = expectation(description: "the completion block ran")
    let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
      XCTAssertTrue(Thread.isMainThread)
      XCTAssertTrue(result.finalResult != nil || result.operationError != nil)
      finished.fulfill()
    }
    let result = try XCTUnwrap(try context.execute(request) as? NSAsynchronousFetchResult<T>)
    XCTAssertNil(result.finalResult)
    XCTAssertIdentical(result.fetchRequest, request)
    try meanwhile(result)
    wait(for: [finished], timeout: 30)
    return result
  }

  func testF40_F41_executeReturnsAtOnceAndTheCompletionRunsInTheContextsQueue() throws {
    let result = try execute(authors())
    XCTAssertEqual(result.finalResult?.map(\.name), ["Ada", "Bob", "Cy"])
    XCTAssertEqual(result.finalResult?.first?.managedObjectContext, context)
    XCTAssertNil(result.operationError)
    XCTAssertEqual(result.managedObjectContext, context)
  }

  func testF41_onAPrivateQueueTheCompletionWaitsForTheBlockThatExecuted() throws {
    let background = container.newBackgroundContext()
    let steps = Box<[String]>([])
    let finished = expectation(description: "the completion block ran")
    try background.performOnThisThread {
      let request = NSAsynchronousFetchRequest(fetchRequest: authors()) { result in
        steps.update { $0.append("found \(result.finalResult?.count ?? 0)") }
        finished.fulfill()
      }
      try background.execute(request)
      steps.update { $0.append("executed") }
      XCTAssertEqual(try background.count(for: authors()), 3)
      steps.update { $0.append("left") }
    }
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(steps.value, ["executed", "left", "found 3"])
  }

  func testF40_aPathMayBeginAtAnObjectThatWasGivenAsAnArgument() throws {
    let bob = try XCTUnwrap(try context.fetch(authors()).first { $0.name == "Bob" })
    let fetch = authors()
    fetch.predicate = NSPredicate(format: "name == %@.name OR SELF == %@", bob, bob)
    XCTAssertEqual(try execute(fetch).finalResult?.map(\.name), ["Bob"])
  }

  func testF41_anErrorOfTheStoreIsHandedToTheCompletion() throws {
    let fetch = authors()
    fetch.predicate = NSPredicate(format: "name BEGINSWITH %@", "A")
    for store in container.persistentStoreCoordinator.persistentStores {
      let url = try XCTUnwrap(store.url)
      for suffix in ["", "-wal"] {
        let path = url.path + suffix
        if let file = FileHandle(forWritingAtPath: path) { file.truncateFile(atOffset: 0) }
      }
    }
    let result = try execute(fetch)
    XCTAssertNil(result.finalResult)
    XCTAssertTrue(result.operationError is CocoaError)
  }

  func testF42_whatIsCancelledEndsWithAnError() throws {
    let result = try execute(authors()) { $0.cancel() }
    XCTAssertNil(result.finalResult)
    XCTAssertEqual((result.operationError as? CocoaError)?.code, .userCancelled)
  }

  func testF42_aCurrentProgressFollowsTheFetchAndCancelsIt() throws {
    let whole = Progress(totalUnitCount: 1)
    whole.becomeCurrent(withPendingUnitCount: 1)
    let result = try execute(authors()) { running in
      whole.resignCurrent()
      XCTAssertEqual(running.progress?.isFinished, false)
    }
    XCTAssertEqual(result.progress?.isFinished, true)
    XCTAssertEqual(whole.fractionCompleted, 1)

    let other = Progress(totalUnitCount: 1)
    other.becomeCurrent(withPendingUnitCount: 1)
    let cancelled = try execute(authors()) { _ in
      other.resignCurrent()
      other.cancel()
    }
    XCTAssertEqual((cancelled.operationError as? CocoaError)?.code, .userCancelled)
  }

  func testF42_theEstimateIsAHintAndWithoutACurrentProgressThereIsNone() throws {
    let finished = expectation(description: "the completion block ran")
    let request = NSAsynchronousFetchRequest(fetchRequest: authors()) { _ in finished.fulfill() }
    request.estimatedResultCount = 100
    let whole = Progress(totalUnitCount: 1)
    whole.becomeCurrent(withPendingUnitCount: 1)
    let result = try XCTUnwrap(
      try context.execute(request) as? NSAsynchronousFetchResult<Author>)
    whole.resignCurrent()
    XCTAssertEqual(result.progress?.totalUnitCount, 100)
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(result.finalResult?.count, 3)
    XCTAssertNil(try execute(authors()).progress)
  }

  func testF43_theContextIsUsedMeanwhileAndItsChangesCount() throws {
    let result = try execute(authors()) { _ in
      let found = try context.fetch(authors())
      found[0].name = "Zoe"
      context.delete(found[1])
      Author(context: context).name = "Ben"
    }
    XCTAssertEqual(result.finalResult?.map(\.name), ["Ben", "Cy", "Zoe"])
  }

  func testF43_anObjectThatIsNewerThanTheAnswerStaysAsItIs() throws {
    let fetch = authors()
    fetch.fetchLimit = 2
    let result = try execute(fetch) { _ in
      let found = try context.fetch(authors())
      found[0].name = "Abe"
      try context.save()
      context.refresh(found[0], mergeChanges: false)
    }
    XCTAssertEqual(result.finalResult?.map(\.name), ["Abe", "Bob"])
  }

  func testF40_idsAndCountsAreFetchedToo() throws {
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
    ids.resultType = .managedObjectIDResultType
    XCTAssertEqual(try execute(ids).finalResult?.count, 3)
    let count = NSFetchRequest<NSNumber>(entityName: "Author")
    count.resultType = .countResultType
    XCTAssertEqual(try execute(count).finalResult, [3])
  }

  func testF43_objectsInThePredicateStandForTheirRecords() throws {
    let all = try context.fetch(authors())
    let fetch = authors()
    fetch.predicate = NSPredicate(format: "SELF IN %@ AND SELF != %@", Set(all.dropLast()), all[0])
    let background = container.newBackgroundContext()
    let finished = expectation(description: "the completion block ran")
    let names = Box<[String?]>([])
    try background.performOnThisThread {
      let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
        names.value = result.finalResult?.map(\.name) ?? []
        finished.fulfill()
      }
      try background.execute(request)
    }
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(names.value, ["Bob"])
  }

  func testF44_aFetchIsExecutedToo() throws {
    let result = try XCTUnwrap(
      try context.execute(authors()) as? NSAsynchronousFetchResult<Author>)
    XCTAssertEqual(result.finalResult?.map(\.name), ["Ada", "Bob", "Cy"])
    let typed = try container.persistentStoreCoordinator.execute(authors(), with: context)
    XCTAssertEqual((typed as? [Author])?.count, 3)
  }

  func testF41_aTaskWaitsForTheCompletion() async throws {
    let background = container.newBackgroundContext()
    let ids = await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
      background.perform {
        let fetch = NSFetchRequest<Author>(entityName: "Author")
        let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
          continuation.resume(returning: result.finalResult?.count)
        }
        _ = try? background.execute(request)
      }
    }
    XCTAssertEqual(ids, 3)
  }
}
