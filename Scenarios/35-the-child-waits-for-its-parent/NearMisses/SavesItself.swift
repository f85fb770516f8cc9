import CoreData
import PlaygroundKit

/// A form saves a note on its own queue. Meanwhile the main thread asks it whether anything is
/// unsaved.
///
/// `Scenarios/35-the-child-waits-for-its-parent/Exercise/Form.swift` has the form.
@MainActor func yours(_ world: World) async throws {
  try await Form.saveNotes(world) { await isUnsaved($0) }
}

/// A thread that holds both queues can save; but it gets the form's queue only after the save that
/// waits for main.
@MainActor func isUnsaved(_ form: NSManagedObjectContext) async -> Bool {
  form.performAndWait {
    try? form.save()
    return form.hasChanges
  }
}
