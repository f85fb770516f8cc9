import CoreData

/// Writes articles on a background queue and returns how many the screen can then show.
///
/// A button calls this on the main thread. It works, and the app stands still meanwhile.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let bg = container.newBackgroundContext()

  // TODO: Let the background queue do this while the main thread goes on.
  // performAndWait returns when the last row is saved, and nobody draws a frame before that.
  try bg.performAndWait {
    for number in 1...count {
      let article = Article(context: bg)
      article.name = "Article \(number)"
    }
    try bg.save()
  }

  // TODO: Back on the main thread, ask the view context how many articles there are.
  // Whoever waits no longer cannot know by himself when the rows have arrived.
  return 0
}
