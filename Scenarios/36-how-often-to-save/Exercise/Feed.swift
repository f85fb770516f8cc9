import CoreData
import PlaygroundKit

/// A part of a feed, which becomes a category with its articles.
struct Section: Sendable {
  /// The category's name.
  let name: String
  /// The names of its articles.
  let articles: [String]
}

/// A feed that arrives, and what its import writes in one transaction.
enum Feed {
  /// Imports the feed in a block of a context, and notes the largest save that reaches the file.
  @MainActor static func arrive(
    _ world: World,
    importing: @escaping @Sendable ([Section], NSManagedObjectContext) throws -> Void
  ) async throws {
    // Each ninth section has a length of its own.
    let (each, long) = (world["each"], world["long"])
    let sections = (0..<world["sections"]).map { number in
      Section(
        name: "Section \(number)",
        articles: (0..<(number % 9 == 8 ? long : each)).map { "Article \($0) of \(number)" })
    }
    // Every save is inside the one block, so that nothing else uses it at the same time.
    nonisolated(unsafe) var largest = 0
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { save in
      guard let context = save.object as? NSManagedObjectContext, context.parent == nil else {
        return
      }
      let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey]
      let objects = keys.compactMap { save.userInfo?[$0] as? Set<NSManagedObject> }
      largest = max(largest, objects.reduce(0) { $0 + $1.count })
    }
    let bg = world.container.newBackgroundContext()
    try await bg.perform { try importing(sections, bg) }
    NotificationCenter.default.removeObserver(token)
    world.observe("objects in the largest save", largest)
  }
}
