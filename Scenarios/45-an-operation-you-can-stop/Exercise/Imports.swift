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
    let (screen, queue) = (world.container.viewContext, OperationQueue())
    // The file has an article already, which this import does not count; it goes again in the end.
    let old = Article(context: screen)
    old.views = -1
    try screen.save()
    let operation = make(context, world["batches"], world["rows"]) { saved in
      calls.add(saved, (try? imported(world)) ?? -1)
    }
    let broken = breakBatch(world, savedIn: context)
    let saves = saves(of: context)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let own = operation.completionBlock
    operation.completionBlock = {
      own?()
      end.yield()
    }
    queue.addOperation(operation)
    for await _ in saves.prefix(min(world["after"], world["batches"])) {}
    _ = try screen.fetch(Article.fetchRequest())
    // A user may tap twice.
    operation.cancel()
    operation.cancel()
    let saved = try imported(world)
    for await _ in ends.prefix(1) {}
    await withCheckedContinuation { next in queue.addBarrierBlock { next.resume() } }
    await context.perform(schedule: .enqueued) {}
    let after = try imported(world) - saved
    let size = world["rows"]
    world.observe("in the file when cancel() returned", saved)
    world.observe("batches saved after the cancel", (after + size - 1) / size)
    world.observe("completion called", calls.all.count)
    world.observe("calls of the completion", calls.all.count == 1 ? "one" : "\(calls.all.count)")
    if let (said, stored) = calls.all.last {
      world.observe("in the file at its last call", stored)
      world.observe(
        "what it says", said == stored ? "what is in the file" : "\(said) in place of \(stored)")
    }
    if let broken { NotificationCenter.default.removeObserver(broken) }
    screen.delete(old)
    try screen.save()
  }

  /// How many articles the file has, besides the one that it had before.
  private static func imported(_ world: World) throws -> Int {
    try world.storedRows(of: "Article") - 1
  }

  /// Lets the save of one batch fail, if the parameter names one: a keyword comes into it twice.
  private static func breakBatch(
    _ world: World, savedIn context: NSManagedObjectContext
  ) -> (any NSObjectProtocol)? {
    let (number, rows) = (world["broken"], world["rows"])
    guard number > 0 else { return nil }
    return NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: context, queue: nil
    ) { _ in
      let isBroken = context.insertedObjects.contains {
        ($0 as? Article).map { Int($0.views) / rows + 1 == number } ?? false
      }
      guard isBroken else { return }
      for _ in 0..<2 { Keyword(context: context).name = "twice" }
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
