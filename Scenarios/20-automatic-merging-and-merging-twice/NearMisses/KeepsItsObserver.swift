import CoreData
import PlaygroundKit

/// An import saves while a list on the screen holds every article.
///
/// `Scenarios/20-automatic-merging-and-merging-twice/Exercise/Import.swift` is the import.
@MainActor func yours(_ world: World) async throws {
  try await Import(world).run { importer, screen, center in
    startMerging(importer, into: screen, center)
  }
}

/// Brings the saves of the import to the screen; returns the observer to remove at the end, if any.
///
/// `center` adds observers as `NotificationCenter.default` does, and counts them.
@MainActor func startMerging(
  _ importer: NSManagedObjectContext, into screen: NSManagedObjectContext, _ center: Center
) -> (any NSObjectProtocol)? {
  screen.automaticallyMergesChangesFromParent = true
  // The old observer merges no more, and nothing can remove it.
  _ = center.addObserver(
    forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: importer, queue: nil
  ) { _ in }
  return nil
}
