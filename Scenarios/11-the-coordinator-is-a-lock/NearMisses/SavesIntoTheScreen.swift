import CoreData
import PlaygroundKit

/// Both at once; `Scenarios/11-the-coordinator-is-a-lock/Exercise/Meeting.swift` has the user.
@MainActor func yours(_ world: World) async throws {
  try await Meeting.hold(
    world, importing: { try await importArticles($0, into: $1) },
    taking: { try await saveNote($0, into: $1) })
}

/// Imports articles on a queue of its own, a few in each transaction.
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws {
  let bg = container.newBackgroundContext()
  try await bg.perform {
    for first in stride(from: 1, through: count, by: 240) {
      let articles = (first...min(first + 239, count)).map { ["name": "Article \($0)"] }
      try bg.execute(NSBatchInsertRequest(entityName: "Article", objects: articles))
    }
  }
}

/// The save of a child ends in its parent, which is in memory.
@MainActor func saveNote(_ text: String, into container: NSPersistentContainer) async throws {
  let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  writer.parent = container.viewContext
  try await writer.perform {
    Category(context: writer).name = text
    try writer.save()
  }
}
