import CoreData
import PlaygroundKit

/// A context pays off while it keeps what related calls read, and lies when it is kept for longer.
///
///     faultline run 41
///     faultline run 41 --set touches=1
public enum ANewContext: Scenario {
  public static let card = Card(
    41, "a-new-context-for-every-touch", "A new context for every touch", part: .memory,
    claim: "Give each piece of work a context that keeps what it reads, and drop it with the work.",
    question: """
      A piece of work touches \(each.standard) articles, each \(touches.standard) times, through a \
      data manager. How many statements is that if the manager makes a context for each call? And \
      if it has one context for all calls?
      """,
    why: """
      A row stays in memory as long as a context has its object. A new context has no objects. An \
      old context keeps only those that something refers to. A context that keeps everything never \
      reads again. Unless it merges, it never learns what another context has saved.
      """,
    given: """
      {pieces|one piece|# pieces} of work, each with {touches|one call|# calls} for each of {each} \
      articles, half of which the one before had; a sync changes one of those in between
      """,
    guide: "07-memory.md#41",
    sources: [.rules("Performance Considerations: Context Reuse")],
    panels: [.engine, .memory], next: next)

  private static let pieces = Parameter(
    "pieces", 10, in: 1...10_000, "pieces of work, one after the other", explored: 2)
  private static let each = Parameter(
    "each", 20, in: 2...10_000, "articles that a piece of work touches", explored: 2)
  private static let touches = Parameter(
    "touches", 10, in: 1...10_000, "calls for each article in a piece of work", explored: 2)

  private static let stale = Outcome(
    "STALE", .forbidden, "calls got a revision that the file no longer had when the work began")
  private static let again = Outcome(
    "ASKED AGAIN", .forbidden, "the file was asked again for rows that the same work had read")
  private static let once = Outcome(
    "ASKED ONCE", .accepted, "each piece of work read each row once, as the file had it")

  public static let parameters = [pieces, each, touches]
  public static let outcomes = [stale, again, once]
  public static let sides: [Side] = [
    .wrong("a context per call", perCall),
    .wrong("one context for all", name: "reused", reused),
    .wrong("one that keeps all", name: "forever", forever),
    .right("a context per work", perWork),
  ]
  public static let repeats = 3
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles of revision 1, and a data manager that many calls ask for a revision,
  @MainActor public static func given(_ world: World) async throws {
    let context = world.container.viewContext
    for _ in 0..<(world[pieces] + 1) * (world[each] / 2) { Article(context: context).views = 1 }
    try context.save()
  }

  // when each call gets a new context,
  // anchor: call
  @MainActor private static func perCall(_ world: World) async throws {
    try await work(world) { _ in
      world.mark("a new context has no object, so its first touch costs a statement")
      return world.container.newBackgroundContext()
    }
  }
  // end: call

  // or all calls get the same one,
  // anchor: reused
  @MainActor private static func reused(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    try await work(world) { _ in bg }
  }
  // end: reused

  // or one that keeps every object it has read,
  // anchor: forever
  @MainActor private static func forever(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    bg.retainsRegisteredObjects = true
    try await work(world) { _ in
      world.mark("this context keeps all that it has read, and never reads it again")
      return bg
    }
  }
  // end: forever

  // or one that keeps them until the piece of work ends,
  // anchor: work
  @MainActor private static func perWork(_ world: World) async throws {
    var bg = world.container.newBackgroundContext()
    try await work(world) { isFirstCall in
      if isFirstCall {
        bg = world.container.newBackgroundContext()
        bg.retainsRegisteredObjects = true
      }
      return bg
    }
  }
  // end: work

  // while one piece of work follows the other, and a sync changes an article in between,
  // anchor: pieces
  @MainActor private static func work(
    _ world: World, contextForCall: (_ isFirstCall: Bool) -> NSManagedObjectContext
  ) async throws {
    let (sync, half) = (world.container.newBackgroundContext(), world[each] / 2)
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
    request.resultType = .managedObjectIDResultType
    let ids = try world.container.viewContext.fetch(request)
    var stale = 0
    for first in stride(from: 0, to: world[pieces] * half, by: half) {
      if first > 0 { try await sync.perform { try publish(ids[first], in: sync) } }
      for call in 0..<world[touches] * 2 * half {
        let (number, bg) = (first + call % (2 * half), contextForCall(call == 0))
        let views = try await bg.perform { try article(ids[number], in: bg)?.views }
        // The sync has changed the first article of each piece but the first.
        let isChanged = number > 0 && number % half == 0 && number <= first
        if views != (isChanged ? 2 : 1) { stale += 1 }
      }
    }
    world.observe("stale answers", stale, good: stale == 0)
  }
  // end: pieces

  private static func publish(_ id: NSManagedObjectID, in context: NSManagedObjectContext) throws {
    try article(id, in: context)?.views = 2
    try context.save()
  }

  private static func article(
    _ id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> Article? {
    try context.existingObject(with: id) as? Article
  }

  // then the answers are right or stale, and the statements tell what was asked for again.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.number("stale answers") != 0 { return stale }
    // A piece of work needs the row of each of its articles, and a sync one row.
    let needed = run[pieces] * (2 * (run[each] / 2) + 1)
    return run.number("rows fetched") ?? 0 > needed ? again : once
  }
}
