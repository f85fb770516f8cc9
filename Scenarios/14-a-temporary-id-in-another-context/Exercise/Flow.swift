import CoreData
import PlaygroundKit

/// The context of a form: without a parent, or below as many contexts as `parents` says.
@MainActor func form(_ world: World) -> NSManagedObjectContext {
  var form = world.container.newBackgroundContext()
  for level in 0..<world["parents"] {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = level == 0 ? world.container.viewContext : form
    form = child
  }
  return form
}

/// The names under which the screen and an indexer find an item by its id.
@MainActor func look(up id: NSManagedObjectID, _ world: World) async throws -> [String] {
  let (screen, indexer) = (world.container.viewContext, world.container.newBackgroundContext())
  let onScreen = try name(of: id, in: screen)
  let inIndex = try await indexer.perform { try name(of: id, in: indexer) }
  return [onScreen, inIndex]
}

private func name(of id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> String {
  do {
    return (try context.existingObject(with: id) as? Article)?.name ?? "no name"
  } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
    return "not found"
  }
}

/// Notes under which names the item was found, and whether the id that was passed is temporary.
@MainActor func note(_ names: [String], _ id: NSManagedObjectID, _ world: World) {
  world.observe("the id was passed", "after the save")
  world.observe("temporary ids", id.isTemporaryID ? 1 : 0)
  let isFound = !names.contains("not found")
  world.observe("items found", isFound ? 1 : 0, of: 1)
  world.observe("names", names.joined(separator: ", "))
}
