import CoreData
import Foundation
import Testing

/// The mistakes with fetch requests that stop the process (sections F.1 and F.4).
@Suite struct FetchStops {
  @Test("F19: a request does not execute itself outside a context's block")
  func f19ExecutingARequestOutsideABlockStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let request = NSFetchRequest<Article>(entityName: "Article")
        _ = try container.viewContext.performOnThisThread { try request.execute().count }
        nowStops()
        _ = try request.execute()
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F22: what is not a relationship cannot be prefetched")
  func f22PrefetchingAnAttributeStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.relationshipKeyPathsForPrefetching = ["author.name"]
        nowStops()
        _ = try context.fetch(request)
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("F21: a store does not sort by what is computed from a property")
  func f21SortingByWhatIsComputedStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Article.title.count, ascending: true)]
        nowStops()
        _ = try context.fetch(request)
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "unsupported sort descriptor"))
  }
}
