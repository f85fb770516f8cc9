import CoreData
import Foundation
import Testing

/// The mistakes with stores and requests that stop the process (sections C and F).
@Suite struct ContainerStops {
  @Test("C9: saving without a store stops")
  func savingWithoutAStoreStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = NSPersistentContainer(
          name: "Nowhere", managedObjectModel: SpecModel.library)
        let context = container.newBackgroundContext()
        try context.performAndWait {
          Author(context: context).name = "Ada"
          nowStops()
          try context.save()
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "no persistent stores"))
  }

  @Test("C9, C30: fetching after a failed load stops")
  func fetchingAfterAFailedLoadStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let url = try makeSpecDirectory().appendingPathComponent("Library.sqlite")
        try Data("this is not a database, not at all, whatever its name says".utf8).write(to: url)
        let container = NSPersistentContainer(
          name: "Library", managedObjectModel: SpecModel.library)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        container.loadPersistentStores { _, _ in }
        let context = container.newBackgroundContext()
        try context.performAndWait {
          nowStops()
          _ = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "no persistent stores"))
  }

  @Test("F1: a request without an entity stops")
  func aRequestWithoutAnEntityStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        try context.performAndWait {
          nowStops()
          _ = try context.fetch(NSFetchRequest<Author>())
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "entity"))
  }

  @Test("F21: sorting by what is not stored stops")
  func sortingByATransientPropertyStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        try context.performAndWait {
          let request = NSFetchRequest<Article>(entityName: "Article")
          request.sortDescriptors = [NSSortDescriptor(key: "remark", ascending: true)]
          nowStops()
          _ = try context.fetch(request)
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "sort descriptor"))
  }

  @Test("F31: an unknown key path stops at the fetch, not before")
  func anUnknownKeyPathStopsAtTheFetch() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        try context.performAndWait {
          let request = NSFetchRequest<Article>(entityName: "Article")
          request.predicate = NSPredicate(format: "subtitle == 'x'")
          nowStops()
          _ = try context.fetch(request)
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "subtitle"))
  }

  @Test("F31, F57: a block predicate stops at the fetch, not before")
  func aBlockPredicateStopsAtTheFetch() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        try context.performAndWait {
          let request = NSFetchRequest<Article>(entityName: "Article")
          request.predicate = NSPredicate { _, _ in true }
          nowStops()
          _ = try context.fetch(request)
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "predicate"))
  }

  @Test("F57: a transient property in a predicate stops")
  func aTransientPropertyInAPredicateStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        try context.performAndWait {
          let request = NSFetchRequest<Article>(entityName: "Article")
          request.predicate = NSPredicate(format: "remark == 'x'")
          nowStops()
          _ = try context.fetch(request)
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "remark"))
  }
}

/// True if the stopped process said so on standard error after the mistake was made.
func says(_ result: ExitTest.Result?, _ words: String) -> Bool {
  guard let result else { return false }
  let text = String(decoding: result.standardErrorContent, as: UTF8.self)
  guard let mistake = text.range(of: "the mistake comes now") else { return false }
  return text[mistake.upperBound...].contains(words)
}
