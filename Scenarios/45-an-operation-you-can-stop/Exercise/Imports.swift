import CoreData
import PlaygroundKit

/// An import that a user cancels at some moment, and what it leaves.
enum Imports {
  /// Makes an import for a context, with the number of its batches and their size; it is told
  /// what to call in the end, with the number of articles that it has imported.
  typealias Make = (
    NSManagedObjectContext, Int, Int, @escaping @Sendable (_ saved: Int) -> Void
  ) -> Operation

  /// Runs the import, cancels it, waits until nothing of it runs, and notes what it has left.
  @MainActor static func cancel(_ world: World, _ make: Make) async throws {
    let (context, calls) = (world.container.newBackgroundContext(), Calls())
    let queue = OperationQueue()
    let operation = make(context, world["batches"], world["rows"]) { saved in
      calls.add(saved, (try? world.storedRows(of: "Article")) ?? -1)
    }
    let saves = saves(of: context)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let own = operation.completionBlock
    operation.completionBlock = {
      own?()
      end.yield()
    }
    queue.addOperation(operation)
    for await _ in saves.prefix(min(world["after"], world["batches"])) {}
    _ = try world.container.viewContext.fetch(Article.fetchRequest())
    operation.cancel()
    let saved = try world.storedRows(of: "Article")
    for await _ in ends.prefix(1) {}
    await withCheckedContinuation { next in queue.addBarrierBlock { next.resume() } }
    await context.perform(schedule: .enqueued) {}
    let after = try world.storedRows(of: "Article") - saved
    let size = world["rows"]
    world.observe("in the file when cancel() returned", saved)
    world.observe("batches saved after the cancel", (after + size - 1) / size)
    world.observe("completion called", calls.all.count)
    world.observe("calls of the completion", calls.all.count == 1 ? "one" : "\(calls.all.count)")
    if let (said, stored) = calls.all.last {
      world.observe("in the file at its last call", stored)
      world.observe("what it says", said == stored ? "what is in the file" : "\(said) articles")
    }
  }

  /// An element for each save of a context, from the moment of the call.
  private static func saves(of context: NSManagedObjectContext) -> AsyncStream<Void> {
    AsyncStream { stream in
      nonisolated(unsafe) let token = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
      ) { _ in stream.yield() }
      stream.onTermination = { _ in NotificationCenter.default.removeObserver(token) }
    }
  }
}

/// What is imported.
enum Feed {
  /// Finds the article of a row of the feed, or makes it; call it inside the context's queue.
  static func write(_ row: Int, in context: NSManagedObjectContext) {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "views == %d", row)
    let article = (try? context.fetch(request))?.first ?? Article(context: context)
    article.views = Int64(row)
  }
}

/// The calls of a completion: what it was told, and what was in the file.
private final class Calls: Sendable {
  private let lock = NSLock()
  /// Guarded by `lock`.
  nonisolated(unsafe) private var calls: [(said: Int, stored: Int)] = []

  /// Every call so far.
  var all: [(said: Int, stored: Int)] { lock.withLock { calls } }

  /// Adds a call.
  func add(_ said: Int, _ stored: Int) { lock.withLock { calls.append((said, stored)) } }
}
