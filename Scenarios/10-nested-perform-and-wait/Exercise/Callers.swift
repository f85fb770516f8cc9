import CoreData
import PlaygroundKit

/// Two places of an app that replace all articles by a new one.
enum Callers {
  /// What they call: replaces the articles, and returns how many there are then.
  typealias Replacement = @Sendable (_ context: NSManagedObjectContext) throws -> Int

  /// Calls it outside the queue of a context, on a thread that may wait, and then inside, where the
  /// context has a draft and a shelf that are not saved.
  @MainActor static func call(_ world: World, _ replace: @escaping Replacement) async throws {
    let bg = world.container.newBackgroundContext()
    let outside = try await Task.detached {
      try "outside \(replace(bg)) of \(world.storedRows(of: "Article"))"
    }.value
    let inside = try await bg.perform {
      Article(context: bg).name = "Draft"
      Category(context: bg).name = "Unsaved"
      return try "inside \(replace(bg)) of \(world.storedRows(of: "Article"))"
    }
    let shelves = try world.storedRows(of: "Category")
    world.observe("returned", "\(outside), \(inside), with \(shelves) shelf")
    // All that is still enqueued comes before this block.
    await bg.perform {}
  }
}
