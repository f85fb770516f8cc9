import CoreData
import Foundation
import Testing

/// The mistakes with batch requests that stop the process (section F.7).
@Suite struct BatchStops {
  @Test("F86: a batch update cannot set a relationship")
  func f86UpdatingARelationshipStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let update = NSBatchUpdateRequest(entityName: "Article")
        update.propertiesToUpdate = ["author": NSNull()]
        nowStops()
        try context.execute(update)
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F84: ids of two entities cannot be deleted by one request")
  func f84DeletingIdsOfTwoEntitiesStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let ids = [Article(context: context).objectID, Tag(context: context).objectID]
        nowStops()
        _ = NSBatchDeleteRequest(objectIDs: ids)
      }
    }
    #expect(reachedTheMistake(result))
  }
}
