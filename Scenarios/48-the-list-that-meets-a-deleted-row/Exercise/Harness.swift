import CoreData
import PlaygroundKit

/// What a list on the screen must be able to do.
@MainActor protocol ShowsArticles {
  /// Fetches, and shows the first rows.
  func open() throws
  /// The table of the list.
  var table: Table { get }
  /// The text of a row, asked for when the row is shown.
  func text(ofRow row: Int) -> String?
}

/// Opens a list, and shows all of its rows while a clean-up deletes every other article, and again
/// when the clean-up is done and the main thread has had a turn.
@MainActor func present(_ list: some ShowsArticles, _ world: World) async throws {
  let valid = Set((0..<world["articles"]).map { "Article \(10_000 + $0)" })
  var blank = 0
  func scroll() {
    var texts: [String] = []
    for row in 0..<list.table.count { texts.append(list.text(ofRow: row) ?? "") }
    blank += texts.count - Set(texts).intersection(valid).count
  }
  try list.open()
  async let cleaned: Void = cleanUp(world.container.newBackgroundContext())
  scroll()
  try await cleaned
  await world.container.viewContext.perform(schedule: .enqueued) {}
  scroll()
  world.observe("rows that were empty", blank)
  world.observe("invalid updates", list.table.invalidUpdates.count)
  world.observe("rows in the list", list.table.count)
}

/// Deletes every other article.
func cleanUp(_ context: NSManagedObjectContext) async throws {
  try await context.perform {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "views %% 2 == 1")
    for article in try context.fetch(request) { context.delete(article) }
    try context.save()
  }
}
