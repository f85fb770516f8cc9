import CoreData
import Foundation
import XCTest

/// What awaiting a context's block promises (section B.3).
final class AsyncPerformSpecs: SpecCase {
  func testB20_B21_theAwaitedBlockGivesBackItsValueOrItsError() async throws {
    struct Refusal: Error {}
    let context = try makeContainer().newBackgroundContext()
    let count = try await context.perform {
      try context.savedAuthor("Ada")
      return try context.all(Author.self).count
    }
    XCTAssertEqual(count, 1)
    do {
      try await context.perform { throw Refusal() }
      XCTFail("the error of the block was swallowed")
    } catch {
      XCTAssertTrue(error is Refusal)
    }
    let after = await context.perform { 8 }
    XCTAssertEqual(after, 8, "a throwing block leaves the queue usable")
  }

  func testB22_B23_insideTheContextImmediateIsInlineAndEnqueuedIsNot() async throws {
    let context = try makeContainer().newBackgroundContext()
    let keeper = Keeper(context: context)
    let order = try await keeper.immediateThenEnqueued()
    XCTAssertEqual(order, ["immediate", "still the same job", "queued before", "enqueued"])
  }

  //   main actor                       main queue
  //   ──────────                       ──────────
  //   enqueues the marker              marker waits
  //   perform(.immediate) ▶ inline
  //   perform(.enqueued) ▶ suspends    marker
  //                                    enqueued block
  @MainActor
  func testB22_B24_H18_L9_onTheMainActorImmediateIsInlineAndEnqueuedTakesATurn() async throws {
    let context = try makeContainer().viewContext
    let order = Box<[String]>([])
    DispatchQueue.main.async { order.update { $0.append("marker") } }
    await context.perform(schedule: .immediate) { order.update { $0.append("immediate") } }
    await context.perform(schedule: .enqueued) { order.update { $0.append("enqueued") } }
    XCTAssertEqual(order.value, ["immediate", "marker", "enqueued"])
  }

  func testB24_outsideTheContextBothFormsWaitTheirTurn() async throws {
    let context = try makeContainer().newBackgroundContext()
    let order = Box<[String]>([])
    let gate = Gate()
    context.enqueue {
      gate.pass()
      order.update { $0.append("first in the queue") }
    }
    Thread.detachNewThread { gate.open() }
    await context.perform(schedule: .immediate) { order.update { $0.append("immediate") } }
    await context.perform(schedule: .enqueued) { order.update { $0.append("enqueued") } }
    XCTAssertEqual(order.value, ["first in the queue", "immediate", "enqueued"])
  }

  func testB23_anEnqueuedBlockIsAUserEvent() async throws {
    let context = try makeContainer().newBackgroundContext()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    await context.perform(schedule: .enqueued) {
      for _ in 0..<3 { _ = Author(context: context) }
    }
    XCTAssertEqual(log.entries.map { $0.count(NSInsertedObjectsKey) }, [3])
  }

  //   main actor                     bg's queue
  //   ──────────                     ──────────
  //                                  block waits at the gate
  //   awaits bg.perform, suspends
  //   opens the gate in a main-queue block
  //                                  block ends, awaited block runs
  //   resumes
  @MainActor
  func testB25_awaitingDoesNotBlockTheThread() async throws {
    let context = try makeContainer().newBackgroundContext()
    let gate = Gate()
    let opened = Box(false)
    context.enqueue { opened.value = gate.pass() }
    DispatchQueue.main.async { gate.open() }
    await context.perform {}
    XCTAssertTrue(opened.value, "the main queue could not open the gate: its thread was blocked")
  }

  func testB26_cancellingTheTaskDoesNotTakeTheBlockBack() async throws {
    let context = try makeContainer().newBackgroundContext()
    let gate = Gate()
    let ran = Box(false)
    context.enqueue { _ = gate.pass() }
    let task = Task { await context.perform { ran.value = true } }
    task.cancel()
    gate.open()
    await task.value
    XCTAssertTrue(task.isCancelled)
    XCTAssertTrue(ran.value)
  }

  @MainActor
  func testB27_afterTheAwaitTheCallerIsOnItsOwnExecutor() async throws {
    let context = try makeContainer().newBackgroundContext()
    let blockOnMain = await context.perform { Thread.isMainThread }
    XCTAssertFalse(blockOnMain)
    XCTAssertTrue(Self.isOnMainThread)
    MainActor.assertIsolated()
  }

  func testB28_betweenTwoAwaitsOthersMayWork() async throws {
    let context = try makeContainer().newBackgroundContext()
    await context.perform { _ = Author(context: context) }
    context.enqueue { context.rollback() }
    let pending = await context.perform { context.hasChanges }
    XCTAssertFalse(pending, "another client's block ran in between")
  }

  @MainActor
  func testB29_K3_anInlineImmediateBlockDoesNotEndTheEvent() async throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    await context.perform(schedule: .immediate) { _ = Author(context: context) }
    XCTAssertEqual(log.entries.count, 0)
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 1)
  }

  func testB30_eachBackgroundTaskHasAFreshPrivateContextAndGivesBackItsResult() async throws {
    struct Refusal: Error {}
    let container = try makeContainer()
    let seen = Box<[(ObjectIdentifier, NSManagedObjectContextConcurrencyType, Bool)]>([])
    let kept = Box<[NSManagedObjectContext]>([])
    for _ in 0..<2 {
      let id = try await container.performBackgroundTask { context in
        seen.update {
          $0.append((ObjectIdentifier(context), context.concurrencyType, Thread.isMainThread))
        }
        kept.update { $0.append(context) }
        return try context.savedAuthor().objectID
      }
      XCTAssertFalse(id.isTemporaryID)
    }
    XCTAssertEqual(Set(seen.value.map(\.0)).count, 2)
    XCTAssertEqual(seen.value.map(\.1), Array(repeating: .privateQueueConcurrencyType, count: 2))
    XCTAssertEqual(seen.value.map(\.2), [false, false])
    do {
      try await container.performBackgroundTask { _ in throw Refusal() }
      XCTFail("the error of the block was swallowed")
    } catch {
      XCTAssertTrue(error is Refusal)
    }
  }

  func testB30_theCompletionFreeFormRunsOnAPrivateContextToo() throws {
    let container = try makeContainer()
    let ran = expectation(description: "the task ran")
    let onMain = Box<Bool?>(nil)
    container.performBackgroundTask { context in
      onMain.value = Thread.isMainThread
      _ = try? context.savedAuthor("Ada")
      ran.fulfill()
    }
    wait(for: [ran], timeout: 30)
    XCTAssertEqual(onMain.value, false)
    XCTAssertEqual(try container.viewContext.only(Author.self).name, "Ada")
  }

  private static var isOnMainThread: Bool { Thread.isMainThread }
}
