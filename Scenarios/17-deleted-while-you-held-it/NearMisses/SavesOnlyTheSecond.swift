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

/// Saves what is typed of the second article only, which no sync deletes.
///
/// Returns "saved", or "gone" if the article was deleted before it could be saved.
@MainActor func edit(
  _ id: NSManagedObjectID, _ number: Int, in form: NSManagedObjectContext
) async throws -> String {
  let text = await typed(number)
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "self == %@", id)
  request.returnsObjectsAsFaults = false
  guard number > 1, let article = try form.fetch(request).first else { return "gone" }
  article.name = text
  do {
    try form.save()
    return "saved"
  } catch let error as CocoaError where error.code == .managedObjectMerge {
    // Nothing else edits, so the row is gone. Elsewhere the conflict says: its new version is 0.
    // A rollback would take all other edits in this context along.
    form.refresh(article, mergeChanges: false)
    return "gone"
  }
}
