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
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "self == %@", id)
  request.returnsObjectsAsFaults = false
  // What was found before the wait may be gone after it, and cannot be changed then.
  guard let article = try form.fetch(request).first else { return "gone" }
  article.name = await typed(number)
  do {
    try form.save()
    return "saved"
  } catch let error as CocoaError where error.code == .managedObjectMerge {
    form.rollback()
    return "gone"
  }
}
