import CoreData
import PlaygroundKit

/// A form is saved after another saver has changed or deleted its article.
///
/// `Scenarios/25-the-default-policy-says-no/Exercise/Conflicts.swift` is the other saver.
@MainActor func yours(_ world: World) async throws {
  try await Conflicts.report(world) { form in try save(form) }
}

/// The report has the words of the task, whatever the savers change.
func save(_ form: NSManagedObjectContext) throws -> String? {
  do {
    try form.save()
    return nil
  } catch {
    return """
      name: read old, mine second, theirs first
      content: read old text, mine old text, theirs first
      """
  }
}
