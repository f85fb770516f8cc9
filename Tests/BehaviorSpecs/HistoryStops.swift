import CoreData
import Foundation
import Testing

/// The mistakes with requests for history that stop the process (section C.5).
@Suite struct HistoryStops {
  @Test("C51: history is not described by a request for objects")
  func c51ARequestForObjectsDescribesNoHistory() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openMemos(at: URL(fileURLWithPath: "/dev/null"))
        let context = container.newBackgroundContext()
        try context.performAndWait {
          nowStops()
          _ = try context.history(.fetchHistory(withFetch: NSFetchRequest(entityName: "Memo")))
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("C51: a predicate about what a transaction does not have stops")
  func c51APredicateAboutAnUnknownPropertyStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openMemos(at: URL(fileURLWithPath: "/dev/null"))
        let context = container.newBackgroundContext()
        try context.performAndWait {
          context.new("Memo")
          try context.save()
          guard let fetch = NSPersistentHistoryTransaction.fetchRequest else { return }
          fetch.predicate = NSPredicate(format: "weather == 'fine'")
          nowStops()
          _ = try context.history(.fetchHistory(withFetch: fetch))
        }
      }
    }
    #expect(reachedTheMistake(result))
  }
}
