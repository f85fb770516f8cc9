import CoreData
import PlaygroundKit

/// Four kinds of work ask a data manager for articles.
///
/// `Scenarios/41-a-new-context-for-every-touch/Exercise/Traffic.swift` has them.
@MainActor func yours(_ world: World) async throws {
  let manager = DataManager(world.container)
  try await Traffic.pass(world) {
    try await manager.revision(of: $0, for: $1)
  } end: {
    manager.end($0)
  }
}

/// Resets the view context for each piece of work, and with it what the screen has there.
///
/// Its policy: the view context, which keeps the objects of the works that are under way.
@MainActor final class DataManager {
  private let container: NSPersistentContainer
  private var begun: Set<String> = []

  /// A manager of this container's articles.
  init(_ container: NSPersistentContainer) { self.container = container }

  /// The revision of an article, as the file has had it since the piece of work began.
  func revision(of id: NSManagedObjectID, for work: String) async throws -> Int64 {
    let context = container.viewContext
    context.retainsRegisteredObjects = true
    if begun.insert(work).inserted || context.registeredObjects.count >= 30 { context.reset() }
    return try Self.revision(of: id, in: context)
  }

  /// A piece of work has ended: nothing more is asked for it.
  func end(_ work: String) { begun.remove(work) }

  private nonisolated static func revision(
    of id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> Int64 {
    (try context.existingObject(with: id) as? Article)?.views ?? 0
  }
}
