import CoreData
import PlaygroundKit

/// Two editors go through the pages at the same time, each in its own context.
///
/// `Scenarios/28-write-skew/Exercise/Editors.swift` has their work.
@MainActor func yours(_ world: World) async throws {
  try await Editors.work(world) { try takeDown($0, from: $1, in: $2) }
}

/// After two refusals the article stays up, also if the other one is still up.
func takeDown(
  _ name: String, from page: NSManagedObjectID, in context: NSManagedObjectContext
) throws {
  for _ in 1...2 {
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

/// The articles of a page that are up, which are those with a timestamp.
func articlesUp(
  on page: NSManagedObjectID, in context: NSManagedObjectContext
) throws -> [Article] {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "category == %@", page)
  request.returnsObjectsAsFaults = false
  return try context.fetch(request).filter { $0.timestamp != nil }
}
