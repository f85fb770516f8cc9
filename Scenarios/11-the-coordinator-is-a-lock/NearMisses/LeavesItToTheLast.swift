import CoreData
import PlaygroundKit

/// Both at once; `Scenarios/11-the-coordinator-is-a-lock/Exercise/Meeting.swift` has the user.
@MainActor func yours(_ world: World) async throws {
  try await Meeting.hold(
    world, importing: { try await importArticles($0, into: $1) },
    taking: { try await saveNote($0, into: $1) })
}

/// Several transactions, and the last of them writes nearly everything.
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws {
  let bg = container.newBackgroundContext()
  try await bg.perform {
    for portion in [1...1, 2...2, 3...count] {
      let articles = portion.map { ["name": "Article \($0)"] }
      try bg.execute(NSBatchInsertRequest(entityName: "Article", objects: articles))
    }
  }
}

/// Saves a note in a context with a queue of its own, and leaves the main thread free.
@MainActor func saveNote(_ text: String, into container: NSPersistentContainer) async throws {
  let writer = container.newBackgroundContext()
  try await writer.perform {
    Category(context: writer).name = text
    try writer.save()
  }
}
