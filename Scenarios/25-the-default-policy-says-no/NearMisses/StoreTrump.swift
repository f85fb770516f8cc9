import CoreData
import PlaygroundKit

/// A form is saved after another saver has changed or deleted its article.
///
/// `Scenarios/25-the-default-policy-says-no/Exercise/Conflicts.swift` is the other saver.
@MainActor func yours(_ world: World) async throws {
  try await Conflicts.report(world) { form in try save(form) }
}

/// Another policy makes the error go away, and the editor's text with it.
func save(_ form: NSManagedObjectContext) throws -> String? {
  form.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
  try form.save()
  return nil
}
