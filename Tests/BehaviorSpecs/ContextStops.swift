import CoreData
import Foundation
import Testing

/// The mistakes with contexts that stop the process (section B).
@Suite struct ContextStops {
  @Test("B1, B38, G12: a context of the deprecated confinement type is not to be had, by nobody")
  func b1AConfinementContextStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      nowStops()
      // Nobody's parent, and nothing that the checker could not check.
      _ = NSManagedObjectContext(
        concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)
          ?? .mainQueueConcurrencyType)
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "deprecated, because it binds a context to a thread"))
  }

  @Test("B37: a context with a coordinator cannot have a parent too")
  func b37SettingAParentBesideACoordinatorStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let context = container.newBackgroundContext()
        nowStops()
        context.parent = container.viewContext
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("B37: a child cannot have a coordinator of its own")
  func b37SettingACoordinatorBesideAParentStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = container.viewContext
        nowStops()
        child.persistentStoreCoordinator = container.persistentStoreCoordinator
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("B39: a chain of contexts that ends in no coordinator cannot fetch")
  func b39FetchingThroughAChainWithoutCoordinatorStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        try child.performAndWait {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
          nowStops()
          _ = try child.fetch(request)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("B52, C66: a child cannot be pinned to a query generation")
  func b52PinningAChildStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let container = try openThrowawayContainer()
        child.parent = container.viewContext
        try child.performAndWait {
          guard child.queryGenerationToken == nil else { return }
          nowStops()
          try child.setQueryGenerationFrom(.current)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }
}
