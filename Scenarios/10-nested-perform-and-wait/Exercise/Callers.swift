import CoreData
import PlaygroundKit

/// Two places of an app that replace all articles by a new one.
enum Callers {
  /// What they call: replaces the articles, and returns how many there are then.
  typealias Replacement = @Sendable (_ context: NSManagedObjectContext) throws -> Int

  /// Calls it outside the queue of a context, and then inside, where the context has a draft.
  @MainActor static func call(_ world: World, _ replace: @escaping Replacement) async throws {
    let bg = world.container.newBackgroundContext()
    let outside = try "outside \(replace(bg)) of \(world.storedRows(of: "Article"))"
    let inside = try await bg.perform {
      Article(context: bg).name = "Draft"
      return try "inside \(replace(bg)) of \(world.storedRows(of: "Article"))"
    }
    world.observe("returned", "\(outside), \(inside)")
    // All that is still enqueued comes before this block.
    await bg.perform {}
  }
}
