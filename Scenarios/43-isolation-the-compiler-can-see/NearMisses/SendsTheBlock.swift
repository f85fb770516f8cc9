import CoreData
import Foundation
import PlaygroundKit

/// A background block renames an article, and the screen shows all titles.
///
/// The callers that the check compiles are others: four that are wrong, and four that are right.
@MainActor func yours(_ world: World) async throws {
  let library = LibraryStore(world.container)
  let isOnMain = try await library.inBackground { @Sendable context in
    try context.fetch(Article.fetchRequest()).first?.name = "New"
    try context.save()
    return Thread.isMainThread
  }
  let titles = try library.onScreen { context in
    try context.fetch(Article.fetchRequest()).map { $0.name ?? "" }
  }
  world.observe("renamed", titles.count { $0 == "New" })
  world.observe("the block ran on", isOnMain ? "the main thread" : "another thread")
  world.observe("they use", "your library")
}

/// A library, whose contexts stay inside.
///
/// Takes any block that its caller gives away, with an object of another context in it.
struct LibraryStore {
  private let container: NSPersistentContainer

  /// A library on the store of this container.
  init(_ container: NSPersistentContainer) { self.container = container }

  /// Does work for the screen, in the view context.
  @MainActor func onScreen<Value>(
    _ work: (NSManagedObjectContext) throws -> Value
  ) rethrows -> Value {
    try work(container.viewContext)
  }

  /// Does work in the background, in a context of its own.
  func inBackground<Value: Sendable>(
    _ work: sending @escaping (NSManagedObjectContext) throws -> Value
  ) async throws -> Value {
    let context = container.newBackgroundContext()
    return try await context.perform { try work(context) }
  }
}
