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
    try await storeOldNote(world)
    try fillFromTheScreen(screen, outbox, fill)
    let waiting = screen.registeredObjects.count
    let found = await outbox.context.perform { outbox.context.registeredObjects.count }
    world.observe("articles kept by the outbox", waiting + found, good: waiting + found == 0)
    // A form has edited the articles, and is cancelled after the jobs have run.
    for article in try screen.fetch(Article.fetchRequest()) { article.name = "draft" }
    try await publish(world)
    let lines = await run(outbox.jobs)
    screen.rollback()
    let drafts = lines.count { $0.contains("draft") }
    world.observe("never stored", drafts, good: drafts == 0)
    world.observe("sent", try sent(lines, world))
  }

  /// What the jobs sent; if some of it is wrong, what the first of these should have sent.
  private static func sent(_ lines: [String], _ world: World) throws -> String {
    let names = try world.stored(
      "SELECT ZNAME FROM ZARTICLE WHERE ZNAME LIKE 'news%' ORDER BY Z_PK"
    ).joined()
    let revision = world["revision"]
    var jobs: [(name: String, line: String)] = []
    for (index, name) in names.enumerated() {
      jobs.append(("upload \(index + 1)", name))
      jobs.append(("like \(index + 1)", "likes: \(revision + 1)"))
    }
    jobs.append(("the summary", names.joined(separator: " + ")))
    jobs.append(("the title", (names.first ?? "").uppercased()))
    jobs.append(("the note", "note \(revision)"))
    for likes in ["likes: \(revision + 2)", "likes: \(revision + 3)"].sorted() {
      jobs.append(("one of two likes of article 1 at once", likes))
    }
    if lines.count != jobs.count { return "\(lines.count) jobs, not \(jobs.count)" }
    let wrong = zip(jobs, lines).filter { $0.line != $1 }
    guard let (job, line) = wrong.first else { return lines.joined(separator: "; ") }
    let more = wrong.count > 1 ? ", and \(wrong.count - 1) more" : ""
    return "\(job.name): \(line.isEmpty ? "nothing" : line), not \(job.line)\(more)"
  }

  /// Stores a note that is none of the jobs'.
  private static func storeOldNote(_ world: World) async throws {
    let editor = world.container.newBackgroundContext()
    try await editor.perform {
      Article(context: editor).name = "note 0"
      try editor.save()
    }
  }

  /// When this returns, the screen has let go of its articles.
  private static func fillFromTheScreen(
    _ screen: NSManagedObjectContext, _ outbox: Outbox, _ fill: Fill
  ) throws {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "name == 'stored'")
    let shown = try screen.fetch(request)
    for article in shown {
      addUpload(of: article, to: outbox)
      addLike(of: article, to: outbox)
    }
    try fill(shown, outbox)
    for _ in 1...2 { addLike(of: shown[0], to: outbox) }
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

  /// The jobs run one after the other, and the last two at once.
  private nonisolated static func run(_ jobs: [Outbox.Job]) async -> [String] {
    var sent: [String] = []
    for job in jobs.dropLast(2) { sent.append(await run(job)) }
    let last = jobs.suffix(2)
    guard let one = last.first, let other = last.last else { return sent }
    async let line = run(one)
    let lines = await [run(other), line]
    return sent + lines.sorted()
  }

  private nonisolated static func run(_ job: Outbox.Job) async -> String {
    do { return try await job() } catch { return "error \((error as NSError).code)" }
  }
}
