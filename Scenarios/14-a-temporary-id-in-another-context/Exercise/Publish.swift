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
///
/// TODO: The screen and the indexer do not find the item. The form may have a parent, and its
/// parent another one.
func publish(
  _ name: String, from form: NSManagedObjectContext
) async throws -> NSManagedObjectID {
  let id = await form.perform {
    let item = Article(context: form)
    item.name = name
    return item.objectID
  }
  Task { try await form.perform { try form.save() } }
  return id
}
