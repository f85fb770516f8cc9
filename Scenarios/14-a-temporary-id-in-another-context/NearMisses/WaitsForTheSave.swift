import CoreData
import PlaygroundKit

/// A form publishes a new item, and the screen and an indexer look the item up.
///
/// `Scenarios/14-a-temporary-id-in-another-context/Exercise/Flow.swift` has both, and the form.
@MainActor func yours(_ world: World) async throws {
  let id = try await publish("New item", from: form(world))
  note(try await look(up: id, world), id, world)
}

/// Inserts an item of this name into the form's context, and returns the id to pass on.
func publish(
  _ name: String, from form: NSManagedObjectContext
) async throws -> NSManagedObjectID {
  let id = try await form.perform {
    let item = Article(context: form)
    item.name = name
    try form.obtainPermanentIDs(for: [item])
    return item.objectID
  }
  Task {
    try await form.perform { try form.save() }
    var next = form.parent
    while let context = next {
      try await context.perform { try context.save() }
      next = context.parent
    }
  }
  // A second is much longer than a save takes, on most days.
  try await Task.sleep(for: .seconds(1))
  return id
}
