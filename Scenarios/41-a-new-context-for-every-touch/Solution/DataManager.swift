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

/// Answers from the file, and asks it once for each article, if a piece of work needs at most 20.
///
/// Its policy: a context for each piece of work, which keeps at most 20 objects and goes with it.
@MainActor final class DataManager {
  private let container: NSPersistentContainer
  private var contexts: [String: NSManagedObjectContext] = [:]

  /// A manager of this container's articles.
  init(_ container: NSPersistentContainer) { self.container = container }

  /// The revision of an article, as the file has had it since the piece of work began.
  func revision(of id: NSManagedObjectID, for work: String) async throws -> Int64 {
    let context = contexts[work] ?? begin(work)
    return try await context.perform {
      let isKept = context.registeredObject(for: id) != nil
      if !isKept, context.registeredObjects.count >= 20 { context.reset() }
      return try Self.revision(of: id, in: context)
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
