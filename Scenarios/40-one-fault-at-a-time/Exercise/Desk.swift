import CoreData
import PlaygroundKit

/// A context in which a user is writing: a category in it has a new name that is not saved, and two
/// categories are not saved, one of them empty.
enum Desk {
  /// Asks for the report in this context, and notes its lines.
  @MainActor static func use(
    _ world: World,
    report: @escaping @Sendable (NSManagedObjectContext) throws -> [String]
  ) async throws {
    let desk = world.container.newBackgroundContext()
    let lines = try await desk.perform {
      let (empty, drafts) = (Category(context: desk), Category(context: desk))
      (empty.name, drafts.name) = ("Blank", "Drafts")
      let draft = Article(context: desk)
      (draft.name, draft.category) = ("Draft 1", drafts)
      // This fetch is one of the statements that are counted.
      let request = Category.fetchRequest()
      request.predicate = NSPredicate(format: "name == %@", "Category 0")
      for category in try desk.fetch(request) { category.name = "Category 0, renamed" }
      return try report(desk)
    }
    let stored = lines.filter { $0.hasPrefix("Category") }
    let unsaved = lines.filter { !$0.hasPrefix("Category") }
    world.observe("unsaved lines", unsaved.isEmpty ? "none" : unsaved.joined(separator: "; "))
    world.observe("lines of the file", stored.joined(separator: "; "))
    world.observe("lines as stored", world["articles"])
  }
}
