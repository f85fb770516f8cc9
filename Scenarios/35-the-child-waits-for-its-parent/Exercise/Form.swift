import CoreData
import PlaygroundKit

/// A form that saves its notes into the view context.
enum Form {
  /// Writes each note and saves it on the form's queue, and asks meanwhile whether it is unsaved.
  ///
  /// In the end the question is put twice more, when only one answer is true.
  @MainActor static func saveNotes(
    _ world: World, _ isUnsaved: @MainActor (NSManagedObjectContext) async -> Bool
  ) async throws {
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
    let saved = await isUnsaved(form)
    await form.perform { Article(context: form).name = "Draft" }
    let draft = await isUnsaved(form)
    world.observe("answers", "\(saved) after the saves, \(draft) with a draft")
  }
}
