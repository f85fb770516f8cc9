import CoreData
import PlaygroundKit

/// A context in which a user is writing: it has a category that is not saved.
enum Desk {
  /// Asks for the report in this context, and notes its lines.
  @MainActor static func use(
    _ world: World,
    report: @escaping @Sendable (NSManagedObjectContext) throws -> [String]
  ) async throws {
    let desk = world.container.newBackgroundContext()
    let lines = try await desk.perform {
      let drafts = Category(context: desk)
      drafts.name = "Drafts"
      let draft = Article(context: desk)
      (draft.name, draft.category) = ("Draft 1", drafts)
      return try report(desk)
    }
    let (unsaved, stored) = (
      lines.filter { $0.hasPrefix("Drafts") }, lines.filter { !$0.hasPrefix("Drafts") }
    )
    world.observe("unsaved lines", unsaved.isEmpty ? "none" : unsaved.joined(separator: "; "))
    world.observe("lines of the file", stored.joined(separator: "; "))
    world.observe("lines as stored", world["articles"])
  }
}
