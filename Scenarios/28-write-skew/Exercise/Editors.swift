import CoreData
import PlaygroundKit

/// Two editors that go through the pages at the same time, each in its own context.
enum Editors {
  /// Takes the article of a name down from a page, in a context.
  typealias TakeDown =
    @Sendable (_ name: String, _ page: NSManagedObjectID, _ context: NSManagedObjectContext) throws
    -> Void

  /// Lets both editors go through all pages; or each through its own, and then a view of the last
  /// page's articles is counted meanwhile, which can make a save fail.
  @MainActor static func work(_ world: World, with takeDown: @escaping TakeDown) async throws {
    let pages = try world.container.viewContext.fetch(Category.fetchRequest()).map(\.objectID)
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    if world["alone"] == 1, let last = pages.last {
      try await goThrough(pages.dropLast(), takingDown: "first", in: first, takeDown)
      async let two: Void = goThrough([last], takingDown: "second", in: second, takeDown)
      try await countView(of: last, in: world.container)
      return try await two
    }
    async let one: Void = goThrough(pages, takingDown: "first", in: first, takeDown)
    async let two: Void = goThrough(pages, takingDown: "second", in: second, takeDown)
    _ = try await (one, two)
  }

  private static func goThrough(
    _ pages: [NSManagedObjectID], takingDown name: String, in context: NSManagedObjectContext,
    _ takeDown: @escaping TakeDown
  ) async throws {
    for page in pages {
      try await context.perform { try takeDown(name, page, context) }
    }
  }

  private static func countView(
    of page: NSManagedObjectID, in container: NSPersistentContainer
  ) async throws {
    let context = container.newBackgroundContext()
    try await context.perform {
      let count = NSBatchUpdateRequest(entityName: "Article")
      count.predicate = NSPredicate(format: "category == %@", page)
      count.propertiesToUpdate = ["views": NSExpression(format: "views + 1")]
      _ = try context.execute(count)
    }
  }
}
