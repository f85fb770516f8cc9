import CoreData
import PlaygroundKit

/// Tasks that count the same article at the same time.
enum Tasks {
  /// Lets each task add as often as it should, and notes the numbers that the tasks are told.
  @MainActor static func count(
    _ world: World,
    addOne: @escaping @Sendable (NSManagedObjectID, NSManagedObjectContext) throws -> Int64
  ) async throws {
    let bg = world.container.newBackgroundContext()
    let (before, increments) = (Int64(world["before"]), world["increments"])
    let id = try await bg.perform {
      let article = Article(context: bg)
      article.views = before
      try bg.save()
      return article.objectID
    }
    let told = try await withThrowingTaskGroup(of: [Int64].self) { tasks in
      for _ in 1...world["writers"] {
        tasks.addTask {
          var told: [Int64] = []
          for _ in 1...increments { told.append(try addOne(id, bg)) }
          return told
        }
      }
      var all: [Int64] = []
      for try await told in tasks { all += told }
      return all
    }
    try await bg.perform { try bg.save() }
    world.observe("told", told.sorted().map(String.init).joined(separator: ", "))
    world.observe("added", "in one block")
  }
}
