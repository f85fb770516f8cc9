import CoreData
import Foundation
import XCTest

/// What tasks and actors may expect of a context's blocks (section H).
final class ActorSpecs: SpecCase {
  @TaskLocal private static var request = "none"

  func testH12_anActorOnTheMainContextRunsOnTheMainQueue() async throws {
    let keeper = Keeper(context: try makeContainer().viewContext)
    await keeper.insert(2)
    let rows = try await keeper.saveAndCount()
    XCTAssertEqual(rows, 2)
  }

  func testH12_twoActorsOnOneContextTakeTurns() async throws {
    let context = try makeContainer().newBackgroundContext()
    let keepers = [Keeper(context: context), Keeper(context: context)]
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 { group.addTask { await keepers[number % 2].insert(1) } }
    }
    let rows = try await keepers[0].saveAndCount()
    XCTAssertEqual(rows, 40)
  }

  func testH13_insideAJobTheSynchronousWayIntoTheActorIsOpen() async throws {
    let keeper = Keeper(context: try makeContainer().newBackgroundContext())
    await keeper.insertInAJob()
    let rows = try await keeper.saveAndCount()
    XCTAssertEqual(rows, 1)
  }

  //   keeper's job 1     others           keeper's job 2
  //   inserts
  //                      roll back
  //                                       finds nothing to save
  func testH11_H13_betweenTwoJobsOthersMayUseTheContext() async throws {
    let context = try makeContainer().newBackgroundContext()
    let keeper = Keeper(context: context)
    let stillThere = await keeper.insertAcrossAnAwait {
      await context.perform { context.rollback() }
    }
    XCTAssertFalse(stillThere)
  }

  func testH19_aTaskLocalValueDoesNotReachAnEnqueuedBlock() async throws {
    let context = try makeContainer().newBackgroundContext()
    let (seen, captured) = await Self.$request.withValue("42") {
      let captured = Self.request
      return await context.perform(schedule: .enqueued) { (Self.request, captured) }
    }
    XCTAssertEqual(seen, "none", "the block belongs to the context's queue, not to the task")
    XCTAssertEqual(captured, "42", "what it needs it must capture")
  }

  //   writer (main actor)         reader (main actor)
  //   save: posts, yields ids
  //   save has returned
  //                               receives ids, and looks the objects up itself
  @MainActor
  func testH20_anAwaitedNotificationArrivesAfterThePostingReturnedSoItCarriesIds() async throws {
    let container = try makeContainer()
    let (ids, posted) = AsyncStream.makeStream(of: Set<NSManagedObjectID>.self)
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: container.viewContext,
      queue: nil
    ) { note in
      let inserted = note.userInfo?[
        NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue]
      posted.yield(inserted as? Set<NSManagedObjectID> ?? [])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let order = Box<[String]>([])
    let reader = Task { @MainActor in
      for await saved in ids {
        order.update { $0.append("received") }
        let context = container.newBackgroundContext()
        return try await context.perform {
          try saved.map { try (context.existingObject(with: $0) as? Author)?.name ?? "" }
        }
      }
      return []
    }
    await Task.yield()
    try container.viewContext.savedAuthor("Ada")
    order.update { $0.append("save has returned") }
    let names = try await reader.value
    XCTAssertEqual(names, ["Ada"])
    XCTAssertEqual(order.value, ["save has returned", "received"])
  }
}
