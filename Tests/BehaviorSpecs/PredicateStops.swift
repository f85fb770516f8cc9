import CoreData
import Foundation
import Testing

/// Predicates that a store refuses, with Core Data's words, when they are executed.
@Suite struct PredicateStops {
  /// Fetches people by a format in the one store of a process that is about to stop.
  private static func fetch(_ format: String, _ arguments: [Any] = []) throws {

    let context = try openThrowawayContainer(model: PredicateModel.people).newBackgroundContext()
    try context.performOnThisThread {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.predicate = NSPredicate(format: format, argumentArray: arguments)
      nowStops()
      _ = try context.fetch(request)
    }
  }

  @Test("F64: a to-many relationship without ANY stops")
  func aToManyKeyWithoutAnyStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop { try Self.fetch("skills.name == 'swim'") }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "to-many key not allowed here"))
  }

  @Test("F57: two to-many relationships on one path stop")
  func twoToManyKeysStop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop { try Self.fetch("ANY team.members.skills.name == 'swim'") }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "multiple to-many keys not allowed here"))
  }

  @Test("F51: a member by its index stops in a store")
  func anIndexStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop { try Self.fetch("skills[FIRST].name == 'swim'") }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "by index"))
  }

  @Test("F59: a malformed regular expression stops")
  func aMalformedExpressionStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop { try Self.fetch("name MATCHES '(a'") }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "Can't do regex matching"))
  }

  @Test("F59: a regular expression that would be one between parentheses stops")
  func anExpressionThatNeedsParenthesesStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop { try Self.fetch("name MATCHES 'a)(b'") }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "Can't do regex matching"))
  }

  @Test("F31: a constant that does not fit the attribute stops")
  func aConstantOfAnotherTypeStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop { try Self.fetch("age == 'old'") }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "does not fit the type"))
  }

  @Test("F21: sorting by a block stops in a store")
  func sortingByABlockStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        try context.performAndWait {
          let request = NSFetchRequest<Article>(entityName: "Article")
          request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Article.title, ascending: true) { _, _ in .orderedSame }
          ]
          nowStops()
          _ = try context.fetch(request)
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "not by a block"))
  }

  @Test("F45: a malformed format stops where it is read and points at the place")
  func aMalformedFormatStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      nowStops()
      _ = NSPredicate(format: "age == AND 3")
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "Unable to parse the format string \"age == AND 3\" at character 8"))
  }
}
