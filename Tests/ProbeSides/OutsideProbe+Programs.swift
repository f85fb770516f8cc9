import CoreData
import Foundation
import PlaygroundKit

/// Three mistakes that Core Data's code makes with Dispatch, locks and operations, and their
/// repairs.
extension OutsideProbe {
  static let programs: [Side] = [
    .wrong("main waits for a signal that comes after main", name: "semaphore-wrong") { world in
      waitForSignal(world, inBlock: { world.container.viewContext.performAndWait {} })
    },
    .right("the block does not ask for main", name: "semaphore-right") { world in
      waitForSignal(world, inBlock: {})
    },
    .wrong("a lock is held while a queue is asked for", name: "lock-wrong") { world in
      takeLock(world) { lock, context in
        lock.lock()
        context.performAndWait {}
        lock.unlock()
      }
    },
    .right("the queue first, then the lock", name: "lock-right") { world in
      takeLock(world) { lock, context in context.performAndWait { lock.withLock {} } }
    },
    .wrong("operations find or create, two at a time", name: "operations-wrong") { world in
      findOrCreate(world, width: 2)
    },
    .right("one at a time", name: "operations-right") { world in
      findOrCreate(world, width: 1)
    },
  ]

  @MainActor private static func waitForSignal(
    _ world: World, inBlock: @escaping @Sendable () -> Void
  ) {
    let semaphore = DispatchSemaphore(value: 0)
    let context = world.container.newBackgroundContext()
    context.name = "import"
    context.perform {
      inBlock()
      semaphore.signal()
    }
    semaphore.wait()
  }

  @MainActor private static func takeLock(
    _ world: World, onMain: (NSLock, NSManagedObjectContext) -> Void
  ) {
    let lock = NSLock()
    let context = world.container.newBackgroundContext()
    context.name = "import"
    context.perform { lock.withLock {} }
    onMain(lock, context)
  }

  @MainActor private static func findOrCreate(_ world: World, width: Int) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    for _ in 1...2 {
      let context = world.container.newBackgroundContext()
      queue.addOperation {
        context.performAndWait {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
          guard (try? context.count(for: request)) == 0 else { return }
          NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            .setValue(Int64(1), forKey: "number")
          try? context.save()
        }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
  }
}
