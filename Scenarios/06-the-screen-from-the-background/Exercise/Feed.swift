import CoreData
import Foundation
import PlaygroundKit

/// A feed that publishes revisions of the articles which a list shows.
struct Feed: Sendable {
  /// The context in which the feed publishes, with a queue of its own.
  let context: NSManagedObjectContext
  /// The number of the revision that comes next.
  let revision: Int

  /// Changes and saves every article; call it inside the context's queue.
  func publish() throws -> [Article] {
    let articles = try context.fetch(Article.fetchRequest())
    for article in articles { article.views = Int64(revision) }
    try context.save()
    return articles
  }

  /// Shows the articles on a list, publishes the revisions, and notes what the list has shown.
  @MainActor static func show(
    _ world: World,
    news: @MainActor (Feed, _ list: Screen) async throws -> Void
  ) async throws {
    let (list, context) = (Screen(), world.container.newBackgroundContext())
    let token = watch(context, world)
    defer { NotificationCenter.default.removeObserver(token) }
    let first = try world.container.viewContext.fetch(Article.fetchRequest())
    list.reload(first.count) { row(first[$0]) }
    async let display: Void = list.display(framesMax: world["frames"])
    for number in 0..<world["revisions"] {
      try await news(Feed(context: context, revision: world["first"] + number), list)
    }
    list.turnOff()
    await display
    list.draw()
    list.note(world) { frame in Set(frame.map(\.value)).count <= 1 }
  }

  /// Notes of each save of news whether it is the feed's, and whether main can do something else.
  private static func watch(
    _ context: NSManagedObjectContext, _ world: World
  ) -> any NSObjectProtocol {
    let fine = "in its context, and main is free"
    world.observe("the feed publishes", fine)
    return NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { save in
      var place = "on the main thread"
      if !Thread.isMainThread {
        // If main waits for the feed, this ends in a deadlock.
        world.observe("the feed publishes", "while the main thread waits for it")
        DispatchQueue.main.sync {}
        place = save.object as? NSManagedObjectContext === context ? fine : "in another context"
      }
      world.observe("the feed publishes", place, good: place == fine)
    }
  }
}

/// The row of an article.
func row(_ article: Article) -> Screen.Row {
  Screen.Row(article.objectID, "revision \(article.views)")
}
