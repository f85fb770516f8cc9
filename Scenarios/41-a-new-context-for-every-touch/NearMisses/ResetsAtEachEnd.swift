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

/// One piece of work may begin while another one keeps the objects of both.
///
/// Its policy: one context, which is reset when any work ends.
@MainActor final class DataManager {
  private let container: NSPersistentContainer
  private lazy var context = {
    let context = container.newBackgroundContext()
    context.retainsRegisteredObjects = true
    return context
  }()

  /// A manager of this container's articles.
  init(_ container: NSPersistentContainer) { self.container = container }

  /// The revision of an article, as the file has had it since the piece of work began.
  func revision(of id: NSManagedObjectID, for work: String) async throws -> Int64 {
    let context = context
    return try await context.perform {
      let isKept = context.registeredObject(for: id) != nil
      if !isKept, context.registeredObjects.count >= 20 { context.reset() }
      return try Self.revision(of: id, in: context)
    }
  }

  /// A piece of work has ended: nothing more is asked for it.
  func end(_ work: String) { context.performAndWait { context.reset() } }

  private nonisolated static func revision(
    of id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> Int64 {
    (try context.existingObject(with: id) as? Article)?.views ?? 0
  }
}
