import CoreData
import Foundation
import XCTest

/// In which order and on which thread a context's blocks run (sections B.1 and B.2).
final class PerformSpecs: SpecCase {
  func testB3_blocksOfAMainContextRunOnTheMainThread() throws {
    let context = try makeContainer().viewContext
    let onMain = Box<Bool?>(nil)
    let ran = expectation(description: "the block ran")
    Thread.detachNewThread {
      context.perform {
        onMain.value = Thread.isMainThread
        ran.fulfill()
      }
    }
    wait(for: [ran], timeout: 30)
    XCTAssertEqual(onMain.value, true)
  }

  func testB3_performAndWaitOnAMainContextFromElsewhereIsExecutedForTheMainQueue() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor("Ada")
    let context = container.viewContext
    let name = Box<String?>(nil)
    onAnotherThread {
      name.value = context.performAndWait { try? context.only(Author.self).name }
    }
    XCTAssertEqual(name.value, "Ada")
  }

  func testB4_aContextKeepsTheTypeItWasBornWithAndMayBeNamed() throws {
    let container = try makeContainer()
    XCTAssertEqual(container.viewContext.concurrencyType, .mainQueueConcurrencyType)
    let context = container.newBackgroundContext()
    XCTAssertEqual(context.concurrencyType, .privateQueueConcurrencyType)
    XCTAssertNil(context.name)
    context.name = "importer"
    XCTAssertEqual(context.name, "importer")
    XCTAssertEqual(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue, 1)
    XCTAssertEqual(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue, 2)
  }

  func testB6_notificationsArePostedByTheThreadThatExecutesTheBlock() throws {
    let context = try makeContainer().newBackgroundContext()
    let log = NotificationLog(
      [.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave], from: context)
    context.perform {
      _ = Author(context: context)
      try? context.save()
    }
    drain(context)
    XCTAssertEqual(log.entries.map(\.onMainThread), [false, false])
    log.clear()
    try context.performAndWait {
      _ = Author(context: context)
      try context.save()
    }
    XCTAssertEqual(
      log.entries.map(\.onMainThread), [true, true], "the caller's thread was borrowed")
  }

  func testB7_K15_aFreshContextMayBeConfiguredOutsideABlock() throws {
    let container = try makeContainer()
    let name = Box<String?>(nil)
    onAnotherThread {
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = container.persistentStoreCoordinator
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      context.name = "configured"
      context.stalenessInterval = 0
      context.automaticallyMergesChangesFromParent = true
      context.performAndWait {
        _ = try? context.savedAuthor("Ada")
        name.value = context.name
      }
    }
    XCTAssertEqual(name.value, "configured")
    XCTAssertEqual(try container.viewContext.only(Author.self).name, "Ada")
  }

  func testB8_performOnAPrivateContextNeverUsesTheMainThread() throws {
    let context = try makeContainer().newBackgroundContext()
    let onMain = Box<[Bool]>([])
    for _ in 0..<20 { context.perform { onMain.update { $0.append(Thread.isMainThread) } } }
    drain(context)
    XCTAssertEqual(onMain.value, Array(repeating: false, count: 20))
  }

  func testB9_performReturnsAtOnceAndKeepsTheOrder() throws {
    let context = try makeContainer().newBackgroundContext()
    let order = Box<[Int]>([])
    let gate = Gate()
    context.perform { gate.pass() }
    for number in 0..<50 { context.perform { order.update { $0.append(number) } } }
    XCTAssertEqual(order.value, [], "the first block is still waiting, yet every call returned")
    gate.open()
    drain(context)
    XCTAssertEqual(order.value, Array(0..<50))
  }

  func testB9_L8_performInsideAPerformRunsAfterTheOuterBlock() throws {
    let context = try makeContainer().newBackgroundContext()
    let order = Box<[String]>([])
    let done = expectation(description: "inner block ran")
    context.perform {
      context.perform {
        order.update { $0.append("inner") }
        done.fulfill()
      }
      order.update { $0.append("outer ends") }
    }
    wait(for: [done], timeout: 30)
    XCTAssertEqual(order.value, ["outer ends", "inner"])
  }

  func testB9_performOnAMainContextFromTheMainThreadIsNotInline() throws {
    let context = try makeContainer().viewContext
    let order = Box<[String]>([])
    context.perform { order.update { $0.append("block") } }
    order.update { $0.append("caller goes on") }
    turnMainQueue()
    XCTAssertEqual(order.value, ["caller goes on", "block"])
  }

  func testB11_L7_performAndWaitIsReentrant() throws {
    let context = try makeContainer().newBackgroundContext()
    let order = Box<[String]>([])
    context.performAndWait {
      context.performAndWait {
        context.performAndWait { order.update { $0.append("innermost") } }
        order.update { $0.append("inner") }
      }
      order.update { $0.append("outer") }
    }
    XCTAssertEqual(order.value, ["innermost", "inner", "outer"])
  }

  func testB11_performAndWaitInsideAPerformIsNestedToo() throws {
    let context = try makeContainer().newBackgroundContext()
    let order = Box<[String]>([])
    context.perform {
      context.performAndWait { order.update { $0.append("inner") } }
      order.update { $0.append("outer") }
    }
    drain(context)
    XCTAssertEqual(order.value, ["inner", "outer"])
  }

  //   main     bg's queue
  //   ────     ──────────
  //            first block waits at the gate
  //   opens the gate from a third thread
  //   performAndWait ──▶ queued behind the first block
  //            first block ends
  //            the waiting block runs
  //   goes on
  func testB13_B16_I25_performAndWaitWaitsForTheWholeOfAnEarlierBlock() throws {
    let context = try makeContainer().newBackgroundContext()
    let order = Box<[String]>([])
    let gate = Gate()
    context.perform {
      gate.pass()
      order.update { $0.append("earlier block") }
    }
    Thread.detachNewThread { gate.open() }
    context.performAndWait { order.update { $0.append("waiting block") } }
    XCTAssertEqual(order.value, ["earlier block", "waiting block"])
  }

  func testB2_B11_onlyOneBlockOfAContextRunsAtATime() throws {
    let context = try makeContainer().newBackgroundContext()
    let inside = Box((now: 0, most: 0, blocks: 0))
    let threads = 6
    let done = expectation(description: "every thread has finished")
    done.expectedFulfillmentCount = threads
    @Sendable func visit() {
      inside.update {
        $0.now += 1
        $0.most = max($0.most, $0.now)
        $0.blocks += 1
      }
      _ = Author(context: context)
      inside.update { $0.now -= 1 }
    }
    for number in 0..<threads {
      Thread.detachNewThread {
        for round in 0..<100 {
          if (number + round).isMultiple(of: 2) {
            context.performAndWait { visit() }
          } else {
            context.perform { visit() }
          }
        }
        done.fulfill()
      }
    }
    wait(for: [done], timeout: 60)
    drain(context)
    XCTAssertEqual(inside.value.most, 1)
    XCTAssertEqual(inside.value.blocks, 600)
    XCTAssertEqual(context.performAndWait { context.insertedObjects.count }, 600)
  }

  func testB14_performAndWaitBorrowsTheCallersThread() throws {
    let context = try makeContainer().newBackgroundContext()
    XCTAssertTrue(context.performAndWait { Thread.isMainThread })
    let same = Box(false)
    onAnotherThread {
      let caller = ObjectIdentifier(Thread.current)
      same.value = context.performAndWait { ObjectIdentifier(Thread.current) == caller }
    }
    XCTAssertTrue(same.value)
  }

  func testB15_performAndWaitGivesBackTheBlocksValueOrError() throws {
    struct Refusal: Error {}
    let context = try makeContainer().newBackgroundContext()
    XCTAssertEqual(context.performAndWait { 7 }, 7)
    XCTAssertThrowsError(try context.performAndWait { throw Refusal() }) { error in
      XCTAssertTrue(error is Refusal)
    }
    XCTAssertEqual(context.performAndWait { 8 }, 8, "a throwing block leaves the queue usable")
  }

  func testB17_betweenTwoBlocksAnotherClientMayResetTheContext() throws {
    let container = try makeContainer()
    let context = container.newBackgroundContext()
    let id = Box<NSManagedObjectID?>(nil)
    let afterwards = Box<(pending: Bool, name: String?)>((true, nil))
    context.perform {
      let author = try? context.savedAuthor("Ada")
      id.value = author?.objectID
      author?.name = "half done"
    }
    context.perform { context.reset() }
    context.perform {
      guard let id = id.value else { return }
      let author = try? context.existingObject(with: id) as? Author
      afterwards.value = (context.hasChanges, author?.name)
    }
    drain(context)
    XCTAssertFalse(afterwards.value.pending)
    XCTAssertEqual(
      afterwards.value.name, "Ada", "an id survives, the change of the first block not")
  }

  func testB18_aBlockMayEnqueueFurtherBlocksAnywhere() throws {
    let container = try makeContainer()
    let one = container.newBackgroundContext()
    let two = container.newBackgroundContext()
    let done = expectation(description: "the last block ran")
    one.perform {
      two.perform {
        one.perform {
          one.perform { done.fulfill() }
        }
      }
    }
    wait(for: [done], timeout: 30)
  }

  func testB19_aBlockMayWaitForAnotherContext() throws {
    let container = try makeContainer()
    let one = container.newBackgroundContext()
    let two = container.newBackgroundContext()
    let rows = try one.performAndWait {
      try one.savedAuthor("Ada")
      return try two.performAndWait { try two.all(Author.self).count }
    }
    XCTAssertEqual(rows, 1)
  }

  func testK15_aFreshRootContextHasTheDefaults() throws {
    let container = try makeContainer()
    for context in [container.newBackgroundContext(), makeMainContext(container)] {
      XCTAssertEqual((context.mergePolicy as? NSMergePolicy)?.mergeType, .errorMergePolicyType)
      XCTAssertNil(context.undoManager)
      XCTAssertFalse(context.retainsRegisteredObjects)
      XCTAssertTrue(context.shouldDeleteInaccessibleFaults)
      XCTAssertTrue(context.propagatesDeletesAtEndOfEvent)
      XCTAssertLessThan(context.stalenessInterval, 0)
      XCTAssertFalse(context.automaticallyMergesChangesFromParent)
      XCTAssertNil(context.name)
      context.performAndWait { XCTAssertNil(context.queryGenerationToken) }
      XCTAssertNil(context.parent)
      XCTAssertFalse(context.hasChanges)
      XCTAssertTrue(context.registeredObjects.isEmpty)
    }
  }
}
