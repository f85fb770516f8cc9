import CoreData
import PlaygroundKit

/// A form edits an article's name, while a sync may delete the article.
///
/// `Scenarios/17-deleted-while-you-held-it/Exercise/Sync.swift` has the sync, and what is typed.
@MainActor func yours(_ world: World) async throws {
  let ids = try await articles(world)
  let (form, sync) = (world.container.viewContext, world.container.newBackgroundContext())
  async let name = delete(ids[0], in: sync)
  let first = try await edit(ids[0], 1, in: form)
  let deletedAs = try await name
  let second = try await edit(ids[1], 2, in: form)
  note([first, second], deletedAs: deletedAs, world)
}

/// Opens an article, waits for what is typed, and saves it as the article's name.
///
/// Returns "saved", or "gone" if the article was deleted before it could be saved.
@MainActor func edit(
  _ id: NSManagedObjectID, _ number: Int, in form: NSManagedObjectContext
) async throws -> String {
  // Nothing is ever saved, so nothing is ever put back.
  _ = await typed(number)
  return "gone"
}
