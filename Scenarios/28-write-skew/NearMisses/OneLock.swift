import CoreData
import PlaygroundKit

/// Two editors go through the pages at the same time, each in its own context.
///
/// `Scenarios/28-write-skew/Exercise/Editors.swift` has their work.
@MainActor func yours(_ world: World) async throws {
  try await Editors.work(world) { try takeDown($0, from: $1, in: $2) }
}

private let lock = NSLock()

/// No two editors of this process are between the look and the save at once; another process knows
/// nothing of the lock.
func takeDown(
  _ name: String, from page: NSManagedObjectID, in context: NSManagedObjectContext
) throws {
  lock.lock()
  defer { lock.unlock() }
  while true {
    context.reset()
    let up = try articlesUp(on: page, in: context)
    guard let own = up.first(where: { $0.name == name }), up.count > 1 else { return }
    own.timestamp = nil
    do {
      return try context.save()
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      continue
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
