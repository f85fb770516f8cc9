import CoreData
import PlaygroundKit

/// Two editors go through the pages at the same time, each in its own context.
///
/// `Scenarios/28-write-skew/Exercise/Editors.swift` has their work.
@MainActor func yours(_ world: World) async throws {
  try await Editors.work(world) { try takeDown($0, from: $1, in: $2) }
}

/// Takes the article of this name down from a page, if another article stays up.
func takeDown(
  _ name: String, from page: NSManagedObjectID, in context: NSManagedObjectContext
) throws {
  while true {
    let up = try articlesUp(on: page, in: context)
    guard let own = up.first(where: { $0.name == name }), up.count > 1 else { return }
    own.timestamp = nil
    for other in up where other !== own { context.detectConflicts(for: other) }
    do {
      return try context.save()
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      context.reset()
    }
  }
}

/// The predicate looks at the file now; the faults that come back read their rows later.
func articlesUp(
  on page: NSManagedObjectID, in context: NSManagedObjectContext
) throws -> [Article] {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "category == %@ AND timestamp != nil", page)
  return try context.fetch(request)
}
