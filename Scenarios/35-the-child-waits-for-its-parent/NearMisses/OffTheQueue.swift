import CoreData
import PlaygroundKit

/// A form saves a note on its own queue. Meanwhile the main thread asks it whether anything is
/// unsaved.
@MainActor func yours(_ world: World) async throws {
  let screen = world.container.viewContext
  let form = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  form.name = "form"
  form.parent = screen
  var unsaved = 0
  for _ in 1...world["notes"] {
    await form.perform { Article(context: form).name = "Note" }
    async let saved: Void = form.perform { try form.save() }
    if await isUnsaved(form) { unsaved += 1 }
    try await saved
  }
  world.observe("still unsaved when main asked", unsaved)
  world.observe("notes on the screen", try screen.count(for: Article.fetchRequest()))
}

/// Nothing waits, because nothing enters the form's queue. But the form may be used there only.
@MainActor func isUnsaved(_ form: NSManagedObjectContext) async -> Bool {
  form.hasChanges
}
