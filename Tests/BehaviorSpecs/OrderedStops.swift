import CoreData
import Foundation
import Testing

/// The mistakes with ordered relationships that stop the process.
@Suite struct OrderedStops {
  @Test("A70: a set without order stops where the relationship has one")
  func a70GivingASetToAnOrderedRelationshipStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let anthology = Anthology(context: container.viewContext)
        nowStops()
        anthology.setValue(NSSet(), forKey: "pieces")
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A71: mutableSetValue of an ordered relationship stops")
  func a71AMutableSetOfAnOrderedRelationshipStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let anthology = Anthology(context: container.viewContext)
        nowStops()
        _ = anthology.mutableSetValue(forKey: "pieces")
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A71: mutableOrderedSetValue of a relationship without order stops")
  func a71AMutableOrderedSetOfAnUnorderedRelationshipStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let author = Author(context: container.viewContext)
        nowStops()
        _ = author.mutableOrderedSetValue(forKey: "articles")
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A70: a set with an order stops where the relationship has none")
  func a70GivingAnOrderedSetToAnUnorderedRelationshipStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let author = Author(context: container.viewContext)
        nowStops()
        author.setValue(NSOrderedSet(), forKey: "articles")
      }
    }
    #expect(reachedTheMistake(result))
  }
}
