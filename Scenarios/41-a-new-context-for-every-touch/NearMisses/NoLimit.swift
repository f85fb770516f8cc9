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

/// Each piece of work keeps all that it has read, and a long one reads everything.
///
/// Its policy: a context for each piece of work, without a limit.
@MainActor final class DataManager {
  private let container: NSPersistentContainer
  private var contexts: [String: NSManagedObjectContext] = [:]

  /// A manager of this container's articles.
  init(_ container: NSPersistentContainer) { self.container = container }

  /// The revision of an article, as the file has had it since the piece of work began.
  func revision(of id: NSManagedObjectID, for work: String) async throws -> Int64 {
    let context = contexts[work] ?? begin(work)
    return try await context.perform {
      try Self.revision(of: id, in: context)
    }
  }

  private func begin(_ work: String) -> NSManagedObjectContext {
    let context = container.newBackgroundContext()
    context.retainsRegisteredObjects = true
    contexts[work] = context
    return context
  }

  /// A piece of work has ended: nothing more is asked for it.
  func end(_ work: String) { contexts[work] = nil }

  private nonisolated static func revision(
    of id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> Int64 {
    (try context.existingObject(with: id) as? Article)?.views ?? 0
  }
}
