import CoreData
import PlaygroundKit

/// Two editors that go through the pages at the same time, each in its own context.
enum Editors {
  /// Takes the article of a name down from a page, in a context.
  typealias TakeDown =
    @Sendable (_ name: String, _ page: NSManagedObjectID, _ context: NSManagedObjectContext) throws
    -> Void

  /// Lets both editors go through all pages; or each through its own, and then views of the last
  /// page's articles are counted before each of two saves, which can make these fail.
  @MainActor static func work(_ world: World, with takeDown: @escaping TakeDown) async throws {
    let pages = try world.container.viewContext.fetch(Category.fetchRequest()).map(\.objectID)
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    if world["alone"] == 1, let last = pages.last {
      try await goThrough(pages.dropLast(), takingDown: "first", in: first, takeDown)
      let views = Views(of: last, in: world.container)
      defer { views.close() }
      return try await goThrough([last], takingDown: "second", in: second, takeDown)
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
}

/// Counts a view of a page's articles before each of the next two saves.
private final class Views: @unchecked Sendable {
  private var left = 2
  private var token: (any NSObjectProtocol)?

  init(of page: NSManagedObjectID, in container: NSPersistentContainer) {
    let context = container.newBackgroundContext()
    // One editor works now, so no two saves are announced at once.
    token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
    ) { [unowned self] _ in
      guard left > 0 else { return }
      left -= 1
      context.performAndWait { Self.count(page, in: context) }
    }
  }

  func close() { token.map(NotificationCenter.default.removeObserver) }

  private static func count(_ page: NSManagedObjectID, in context: NSManagedObjectContext) {
    let update = NSBatchUpdateRequest(entityName: "Article")
    update.predicate = NSPredicate(format: "category == %@", page)
    update.propertiesToUpdate = ["views": NSExpression(format: "views + 1")]
    _ = try? context.execute(update)
  }
}
