import CoreData
import PlaygroundKit

/// A row can be deleted while a function waits, and the object that the function holds outlives it.
///
///     faultline run 17
///     faultline explore 17
public enum DeletedWhileYouHeldIt: Scenario {
  public static let card = Card(
    17, "deleted-while-you-held-it", "Deleted while you held it", part: .identity,
    claim: "After an await, an object that you held may have no row; hold the id and fetch again.",
    question: """
      A screen opens an article, waits for its picture, and then shows the name. Meanwhile the \
      server's deletion of the article arrives. What does the screen show?
      """,
    why: """
      A suspended function holds no queue, so the deletion is saved while it waits. Its object \
      keeps its values, unless its context merges: then they read nil.
      """,
    given: "{articles|one article|# articles}; a sync deletes each one while it is on the screen",
    guide: "03-identity.md#17",
    sources: [.swiftConcurrency("Padrões Comuns"), .notes("Reconciling Changes Between Contexts")])

  private static let articles = Parameter(
    "articles", 100, in: 1...10_000, "articles that are opened and deleted", explored: 1)

  private static let blank = Outcome("BLANK", .forbidden, "a name that was there is empty now")
  private static let ghost = Outcome("GHOST", .forbidden, "a name was shown whose row was gone")
  private static let inTime = Outcome(
    "IN TIME", .interesting, "each name was read before its row was deleted")
  private static let told = Outcome(
    "TOLD", .accepted, "no name of a deleted row was shown, and the screen knows which are gone")
  private static let pinned = Outcome(
    "PINNED", .accepted, "what was shown is of the moment of opening, as the screen asked")

  public static let parameters = [articles]
  public static let outcomes = [blank, ghost, inTime, told, pinned]
  public static let sides: [Side] = [
    .wrong("keep the object", wrong),
    .wrong("keep it, and merge", name: "merge", merge),
    .right("keep the id, fetch again", right),
    .right("pin what is read", name: "pin", pin),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles,
  @MainActor public static func given(_ world: World) async throws {
    for number in 1...world[articles] {
      Article(context: world.container.viewContext).name = "Article \(number)"
    }
    try world.container.viewContext.save()
  }

  // which a screen opens one by one; a sync deletes each while the screen waits for its picture,
  // anchor: open
  @MainActor private static func openEach(
    _ world: World, reads: String,
    show: (NSManagedObjectID, _ picture: @MainActor () async throws -> Void) async throws -> String?
  ) async throws {
    let ids = try world.container.viewContext.fetch(Article.fetchRequest()).map(\.objectID)
    let sync = world.container.newBackgroundContext()
    sync.name = "sync"
    var seen: [(isThere: Bool, shown: String?)] = []
    for id in ids {
      var (isThere, deletion) = (true, Task<Void, any Error> {})
      let shown = try await show(id) {
        deletion = Task {
          try await sync.perform {
            sync.delete(sync.object(with: id))
            try sync.save()
          }
        }
        await sync.perform { sync.reset() }
        isThere = try world.storedRows(of: "Article") == ids.count - seen.count
      }
      seen.append((isThere, shown))
      try await deletion.value
    }
    let blank = seen.count { $0.shown == "" }
    world.observe("the screen reads", reads)
    world.observe("told that it is gone", seen.count { $0.shown == nil })
    world.observe("empty names shown", blank, good: blank == 0)
    let ghosts = seen.count { !$0.isThere && $0.shown?.isEmpty == false }
    world.observe("names shown without a row", ghosts)
  }
  // end: open

  // when the screen holds the object while it waits,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let screen = world.container.viewContext
    try await openEach(world, reads: "what it holds") { id, picture in
      let article = try screen.existingObject(with: id) as? Article
      world.mark("the row can be deleted while the screen waits here")
      try await picture()
      return article?.name ?? ""
    }
  }
  // end: wrong

  // or also lets its context merge what others save,
  // anchor: merge
  @MainActor private static func merge(_ world: World) async throws {
    world.container.viewContext.automaticallyMergesChangesFromParent = true
    try await wrong(world)
  }
  // end: merge

  // or holds the id, and fetches the article again when it goes on,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let screen = world.container.viewContext
    try await openEach(world, reads: "what is there now") { id, picture in
      try await picture()
      return try article(id, in: screen)?.name
    }
  }

  private static func article(
    _ id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> Article? {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "self == %@", id)
    request.returnsObjectsAsFaults = false
    return try context.fetch(request).first
  }
  // end: right

  // or pins its context to the store as it is when the article is opened,
  // anchor: pin
  @MainActor private static func pin(_ world: World) async throws {
    let screen = world.container.viewContext
    try await openEach(world, reads: "what was there at the opening") { id, picture in
      try screen.setQueryGenerationFrom(.current)
      _ = try article(id, in: screen)
      try await picture()
      return try article(id, in: screen)?.name
    }
  }
  // end: pin

  // then the screen has shown a name with its row, one without it, an empty one, or none.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.number("empty names shown") ?? 0 > 0 { return blank }
    if run.number("names shown without a row") ?? 0 > 0 {
      return run.text("the screen reads") == "what was there at the opening" ? pinned : ghost
    }
    return run.number("told that it is gone") ?? 0 > 0 ? told : inTime
  }
}
