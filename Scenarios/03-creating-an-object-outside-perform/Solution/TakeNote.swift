import CoreData
import PlaygroundKit

/// Takes down a note, puts it on a shelf, and says what it has done.
///
/// The note is created and filled inside the queue of its context; ids and values leave it.
@MainActor func takeNote(_ world: World) async throws {
  let screen = world.container.viewContext
  let bg = world.container.newBackgroundContext()
  bg.name = "notes"
  bg.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  let shelf = Category(context: screen)
  shelf.name = "Shelf \(world["shelf"])"
  try screen.save()
  let id = shelf.objectID

  let (isUnsaved, noteID, title, content) = try await bg.perform {
    let note = Article(context: bg)
    note.name = "Note"
    note.category = try bg.existingObject(with: id) as? Category
    note.content = note.category?.name
    note.views = 1
    try bg.obtainPermanentIDs(for: [note])
    return (bg.hasChanges, note.objectID, note.name ?? "", note.content ?? "")
  }

  if isUnsaved {
    async let saved: Void = bg.perform { try bg.save() }
    let shelves = try screen.count(for: Category.fetchRequest())
    world.observe("shelves", shelves)
    try await saved
  }

  let shown = try screen.existingObject(with: noteID) as? Article
  let views = shown?.views ?? 0
  world.observe("taken down", "\(title) on \(content), \(views) view, unsaved: \(isUnsaved)")
}

/// `Scenarios/03-creating-an-object-outside-perform/Exercise/Desk.swift` sees where it is saved.
@MainActor func yours(_ world: World) async throws {
  try await Desk.watch(world) { try await takeNote($0) }
}
