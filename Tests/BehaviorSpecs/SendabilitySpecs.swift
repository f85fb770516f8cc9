import CoreData
import Foundation
import XCTest

/// What may cross from one isolation domain to another, and what actors do not give (section H).
final class SendabilitySpecs: SpecCase {
  func testH1_H9_H23_anIdCrossesTasksAndNamesTheSameRecordThere() async throws {
    let container = try makeContainer()
    let writer = container.newBackgroundContext()
    let id = try await writer.perform { try writer.savedAuthor("Ada").objectID }
    let name = try await Task.detached {
      let reader = container.newBackgroundContext()
      return try await reader.perform { (try reader.existingObject(with: id) as? Author)?.name }
    }.value
    XCTAssertEqual(name, "Ada")
    XCTAssertTrue(isSendable(id))
  }

  func testH2_theContainerAndItsCoordinatorCrossTasks() async throws {
    let container = try makeContainer()
    XCTAssertTrue(isSendable(container))
    XCTAssertTrue(isSendable(container.persistentStoreCoordinator))
    let count = try await Task.detached {
      try await container.performBackgroundTask { context in
        try context.savedAuthor()
        return try context.all(Author.self).count
      }
    }.value
    XCTAssertEqual(count, 1)
  }

  func testH4_H5_H23_aContextCrossesTasksAndIsUsedThroughPerform() async throws {
    let context = try makeContainer().newBackgroundContext()
    XCTAssertTrue(isSendable(context))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { await context.perform { _ = Author(context: context) } }
      }
    }
    let pending = await context.perform { context.insertedObjects.count }
    XCTAssertEqual(pending, 20)
  }

  func testH8_valuesComeBackFromAPerformAndMayBeUsedAnywhere() async throws {
    struct Card: Sendable, Equatable {
      let id: NSManagedObjectID
      let name: String?
    }
    let container = try makeContainer()
    let context = container.newBackgroundContext()
    let card = try await context.perform {
      let author = try context.savedAuthor("Ada")
      return Card(id: author.objectID, name: author.name)
    }
    XCTAssertEqual(card.name, "Ada")
    let again = try await container.performBackgroundTask { other in
      try other.existingObject(with: card.id).objectID
    }
    XCTAssertEqual(again, card.id)
  }

  //   bg's queue                      the owner
  //   ──────────                      ─────────
  //   block waits at the gate
  //                                   its method runs nevertheless
  //   gate opened after that
  func testH10_owningAContextDoesNotPutAnActorOnItsQueue() async throws {
    let context = try makeContainer().newBackgroundContext()
    let owner = Owner(context: context)
    let gate = Gate()
    let opened = Box(false)
    context.enqueue { opened.value = gate.pass() }
    let answered = await owner.touchNothing()
    XCTAssertTrue(answered)
    gate.open()
    await context.perform {}
    XCTAssertTrue(opened.value)
  }

  func testH11_atAnAwaitAnotherMethodOfTheActorMayChangeTheContext() async throws {
    let owner = Owner(context: try makeContainer().newBackgroundContext())
    let pending = await owner.insertThenAwait { await owner.rollBack() }
    XCTAssertFalse(pending)
  }

  func testH12_anActorOnTheContextsQueueWaitsForEarlierBlocks() async throws {
    let context = try makeContainer().newBackgroundContext()
    let keeper = Keeper(context: context)
    let order = Box<[String]>([])
    let gate = Gate()
    context.enqueue {
      gate.pass()
      order.update { $0.append("earlier block") }
    }
    Thread.detachNewThread { gate.open() }
    await keeper.note("method", in: order)
    XCTAssertEqual(order.value, ["earlier block", "method"])
  }

  func testH12_H13_eachJobOfSuchAnActorIsOneBlockAndOneEvent() async throws {
    let context = try makeContainer().newBackgroundContext()
    let keeper = Keeper(context: context)
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    await keeper.insert(3)
    await context.perform {}
    XCTAssertEqual(log.entries.map { $0.count(NSInsertedObjectsKey) }, [3])
    await keeper.insert(2)
    await context.perform {}
    XCTAssertEqual(log.entries.map { $0.count(NSInsertedObjectsKey) }, [3, 2])
    let rows = try await keeper.saveAndCount()
    XCTAssertEqual(rows, 5)
  }

  @MainActor
  func testB3_H17_theViewContextIsUsedDirectlyOnTheMainActor() async throws {
    let container = try makeContainer()
    let author = try container.viewContext.savedAuthor("Ada")
    let id = author.objectID
    let name = try await container.performBackgroundTask { @Sendable context in
      (try context.existingObject(with: id) as? Author)?.name
    }
    XCTAssertEqual(name, "Ada")
    XCTAssertEqual(author.name, "Ada")
    XCTAssertTrue(Self.isOnMainThread)
  }

  func testH22_objectsMayBeReleasedOnAnyThreadWhileTheContextWorks() async throws {
    let container = try makeContainer()
    let writer = container.newBackgroundContext()
    try await writer.perform {
      for number in 0..<50 {
        let author = Author(context: writer)
        author.name = "\(number)"
      }
      try writer.save()
    }
    let reader = container.newBackgroundContext()
    for round in 0..<200 {
      let luggage = await reader.perform {
        Luggage(objects: (try? reader.all(Author.self)) ?? [])
      }
      let dropped = Task.detached { luggage.drop() }
      let found = try await reader.perform { try reader.all(Author.self).compactMap(\.name).count }
      XCTAssertEqual(found, 50)
      await reader.perform {
        if round.isMultiple(of: 3) { reader.refreshAllObjects() }
        if round.isMultiple(of: 7) { reader.reset() }
      }
      let count = await dropped.value
      XCTAssertEqual(count, 50)
    }
    let left = await reader.perform { reader.registeredObjects.count }
    XCTAssertEqual(left, 0, "nobody holds an object any more")
  }

  private static var isOnMainThread: Bool { Thread.isMainThread }

  /// Compiles only for values that are Sendable.
  private func isSendable<Value: Sendable>(_ value: Value) -> Bool { true }
}

/// Objects carried to another thread, which drops them without looking at them.
private final class Luggage {
  private let lock = NSLock()
  private var objects: [NSManagedObject]

  /// The lock is for the thread sanitizer. If a block ends before the task that awaits it is
  /// suspended, it does not see that the block comes first.
  init(objects: [NSManagedObject]) {
    self.objects = []
    lock.withLock { self.objects = objects }
  }

  /// Lets go of the objects and says how many there were.
  func drop() -> Int {
    lock.withLock {
      defer { objects = [] }
      return objects.count
    }
  }
}

// `objects` is used under `lock`; the objects themselves are only released.
extension Luggage: @unchecked Sendable {}
