import CoreData
import PlaygroundKit

/// Saves a keyword before the feeds come, and imports one more, which others save too; only some
/// checks do that.
@MainActor func storeOneBefore(_ world: World) async throws {
  guard world["stored"] == 1 else { return }
  let (context, busy) = (
    world.container.newBackgroundContext(), world.container.newBackgroundContext()
  )
  try await context.perform {
    Keyword(context: context).name = "Name 2"
    try context.save()
  }
  let others = Others(savingBefore: busy, in: context)
  try await importFeed(["Name 0"], bringing: "meaning", into: busy)
  others.stop()
  await context.perform { Others.save(nil, in: context) }
}

/// Other savers: just before each of the first three saves of a context they make a keyword, change
/// its synonym, and take the synonym back.
private final class Others: @unchecked Sendable {
  private var saves = 0
  private var token: (any NSObjectProtocol)?

  init(savingBefore busy: NSManagedObjectContext, in context: NSManagedObjectContext) {
    // Posted in the queue of the context that saves.
    token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: busy, queue: nil
    ) { [unowned self] _ in
      saves += 1
      guard saves <= 3 else { return }
      let synonym = saves == 2 ? "another" : nil
      context.performAndWait { Self.save(synonym, in: context) }
    }
  }

  func stop() { token.map(NotificationCenter.default.removeObserver) }

  static func save(_ synonym: String?, in context: NSManagedObjectContext) {
    context.reset()
    let request = NSFetchRequest<Keyword>(entityName: "Keyword")
    request.predicate = NSPredicate(format: "name == 'Name 0'")
    let keyword = (try? context.fetch(request))?.first ?? Keyword(context: context)
    (keyword.name, keyword.synonym) = ("Name 0", synonym)
    try? context.save()
  }
}
