import CoreData
import PlaygroundKit

/// The ids of two articles, of which the sync deletes the first; the form's context may merge.
@MainActor func articles(_ world: World) async throws -> [NSManagedObjectID] {
  world.container.viewContext.automaticallyMergesChangesFromParent = world["merges"] == 1
  let editor = world.container.newBackgroundContext()
  return try await editor.perform {
    let request = Article.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try editor.fetch(request).prefix(2).map(\.objectID)
  }
}

/// The text that a user types into the form, when the user has typed it.
@concurrent func typed(_ number: Int) async -> String { "Text \(number)" }

/// Deletes an article, as the server asks for, and returns the name that it had in the end.
func delete(_ id: NSManagedObjectID, in sync: NSManagedObjectContext) async throws -> String {
  try await sync.perform {
    while true {
      guard let article = try sync.existingObject(with: id) as? Article else { return "" }
      let name = article.name ?? ""
      sync.delete(article)
      do {
        try sync.save()
        return name
      } catch let error as CocoaError where error.code == .managedObjectMerge {
        // The form was faster: look again.
        sync.reset()
      }
    }
  }
}

/// Notes what the form said and should have said, and under which name the sync has deleted the
/// first article.
@MainActor func note(_ answers: [String], deletedAs name: String, _ world: World) {
  world.observe("the form said", answers.joined(separator: ", "))
  world.observe("the form should have said", name == "Text 1" ? "saved, saved" : "gone, saved")
  world.observe("deleted as", name)
  world.observe("the screen reads", "what is there now")
  world.observe("empty names shown", name.isEmpty ? 1 : 0)
}
