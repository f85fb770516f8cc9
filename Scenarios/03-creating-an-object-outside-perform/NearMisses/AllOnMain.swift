import CoreData
import PlaygroundKit

/// Takes down a note, puts it on a shelf, and says what it has done.
///
/// Everything happens in the view context, and bg is not used any more.
@MainActor func yours(_ world: World) async throws {
  let screen = world.container.viewContext
  let bg = world.container.newBackgroundContext()
  bg.name = "notes"
  bg.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  let shelf = Category(context: screen)
  shelf.name = "Shelf \(world["shelf"])"
  try screen.save()
  let id = shelf.objectID

  let note = Article(context: screen)
  note.name = "Note"
  note.category = try screen.existingObject(with: id) as? Category
  note.content = shelf.name
  note.views = 1

  let isUnsaved = screen.hasChanges
  if isUnsaved {
    try screen.save()
    let shelves = try screen.count(for: Category.fetchRequest())
    world.observe("shelves", shelves)
  }

  let title = note.name ?? ""
  let content = note.content ?? ""
  let views = note.views
  world.observe("taken down", "\(title) on \(content), \(views) view, unsaved: \(isUnsaved)")
}
