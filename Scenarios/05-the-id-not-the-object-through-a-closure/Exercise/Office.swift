import CoreData
import PlaygroundKit

/// Jobs that wait for the network, and the context that they may use.
@MainActor final class Outbox {
  /// A job returns what it sends.
  typealias Job = @Sendable () async throws -> String
  /// The background context of the jobs.
  nonisolated let context: NSManagedObjectContext
  /// The jobs, in the order in which they run.
  private(set) var jobs: [Job] = []

  /// An empty outbox.
  init(_ context: NSManagedObjectContext) { self.context = context }

  /// Adds a job, which runs later and not on the main thread.
  func add(_ job: @escaping Job) { jobs.append(job) }
}

/// Fills the outbox, closes the list, and runs the jobs when the network is back.
@MainActor enum Office {
  /// Adds the rest of the jobs; it gets the articles on the screen.
  typealias Fill = (_ shown: [Article], Outbox) throws -> Void

  /// Runs one day, and notes what the jobs sent.
  static func day(_ world: World, fill: Fill) async throws {
    let screen = world.container.viewContext
    let outbox = Outbox(world.container.newBackgroundContext())
    try fillFromTheScreen(screen, outbox, fill)
    let waiting = screen.registeredObjects.count
    let found = await outbox.context.perform { outbox.context.registeredObjects.count }
    world.observe("articles kept by the outbox", waiting + found, good: waiting + found == 0)
    try await publish(world)
    // A form has edited the articles, and is cancelled after the jobs have run.
    for article in try screen.fetch(Article.fetchRequest()) { article.name = "draft" }
    let lines = await run(outbox.jobs)
    screen.rollback()
    let drafts = lines.count { $0.contains("draft") }
    world.observe("never stored", drafts, good: drafts == 0)
    world.observe("sent", lines.joined(separator: "; "))
  }

  /// When this returns, the screen has let go of its articles.
  private static func fillFromTheScreen(
    _ screen: NSManagedObjectContext, _ outbox: Outbox, _ fill: Fill
  ) throws {
    let shown = try screen.fetch(Article.fetchRequest())
    for article in shown {
      addUpload(of: article, to: outbox)
      addLike(of: article, to: outbox)
    }
    try fill(shown, outbox)
  }

  /// While the jobs wait, an editor gives the articles and the note other names, and the articles
  /// are read.
  private static func publish(_ world: World) async throws {
    let (editor, revision) = (world.container.newBackgroundContext(), world["revision"])
    try await editor.perform {
      let request = Article.fetchRequest()
      request.predicate = NSPredicate(format: "name == 'stored'")
      for (index, article) in try editor.fetch(request).enumerated() {
        article.name = "news \(index + 1).\(revision)"
        article.views = Int64(revision)
      }
      request.predicate = NSPredicate(format: "name == 'note'")
      for note in try editor.fetch(request) { note.name = "note \(revision)" }
      try editor.save()
    }
  }

  private nonisolated static func run(_ jobs: [Outbox.Job]) async -> [String] {
    var sent: [String] = []
    for job in jobs {
      do { sent.append(try await job()) } catch { sent.append("error \((error as NSError).code)") }
    }
    return sent
  }
}
