import CoreData
import PlaygroundKit

/// An import saves while a list on the screen holds every article.
///
/// `Scenarios/20-automatic-merging-and-merging-twice/Exercise/Import.swift` is the import.
@MainActor func yours(_ world: World) async throws {
  try await Import(world).run { importer, screen in startMerging(importer, into: screen) }
}

/// Merges nothing twice, and nothing at all.
@MainActor func startMerging(
  _ importer: NSManagedObjectContext, into screen: NSManagedObjectContext
) -> (any NSObjectProtocol)? {
  return nil
}
