import CoreData
import PlaygroundKit

/// Both at once; `Scenarios/11-the-coordinator-is-a-lock/Exercise/Meeting.swift` has the user.
@MainActor func yours(_ world: World) async throws {
  try await Meeting.hold(
    world, importing: { try await importArticles($0, into: $1) },
    taking: { try await saveNote($0, into: $1) })
}

/// Imports articles on a queue of its own.
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws {
  let bg = container.newBackgroundContext()
  try await bg.perform {
    // TODO: This request is one transaction, and holds the write lock until the last article.
    let articles = (1...count).map { ["name": "Article \($0)"] }
    try bg.execute(NSBatchInsertRequest(entityName: "Article", objects: articles))
  }
}

/// Saves a note; the user has just written it, on the main thread.
@MainActor func saveNote(_ text: String, into container: NSPersistentContainer) async throws {
  // TODO: The main thread stands still here while another context writes.
  let screen = container.viewContext
  Category(context: screen).name = text
  try screen.save()
}
