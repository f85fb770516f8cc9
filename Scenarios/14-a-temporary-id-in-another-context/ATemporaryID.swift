import CoreData
import PlaygroundKit

/// Another context finds an object by its id only when the object's row is in the store.
///
///     faultline run 14
///     faultline explore 14
public enum ATemporaryID: Scenario {
  public static let card = Card(
    14, "a-temporary-id-in-another-context", "A temporary id in another context", part: .identity,
    claim: "Another context finds an object by its id only when its row is in the store.",
    question: """
      An editor passes the ids of \(items.standard) new items to an indexer, which looks them up \
      in a context of its own. How many does it find?
      """,
    why: """
      Before its save an object has a temporary id, which only its context and that context's \
      children resolve; a parent does so once the child has saved into it. \
      obtainPermanentIDs makes the id permanent and writes no row; nor does a child's save \
      into its parent.
      """,
    given: "{items|one new item|# new items, one at a time}; an indexer looks each one up",
    guide: "03-identity.md#14",
    sources: [.rules("Why NSManagedObjectID is Thread-Safe"), .swiftConcurrency("Passe o ID")])

  private static let items = Parameter(
    "items", 100, in: 1...10_000, "items that are inserted and looked up", explored: 1)

  private static let notFound = Outcome(
    "NOT FOUND", .forbidden, "some items were not found, and every save succeeded")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "all were found, because each save was faster than the lookup")
  private static let found = Outcome(
    "FOUND", .accepted, "all were found, each after the save that wrote its row")

  public static let parameters = [items]
  public static let outcomes = [notFound, lucky, found]
  public static let sides: [Side] = [
    .wrong("pass the id, then save", wrong),
    .wrong("obtain a permanent id first", name: "permanent", permanent),
    .wrong("save in a child", name: "child", child),
    .right("save, then read the id", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an indexer, which looks items up by their ids,
  private static func isFound(
    _ id: NSManagedObjectID, in indexer: NSManagedObjectContext
  ) async throws -> Bool {
    try await indexer.perform {
      do {
        return try indexer.existingObject(with: id) is Article
      } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
        return false
      }
    }
  }

  private static func insert(_ number: Int, into context: NSManagedObjectContext) -> Article {
    let item = Article(context: context)
    item.views = Int64(number)
    return item
  }

  // when an editor passes the id of each new item, and saves the item meanwhile,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let editor = world.container.newBackgroundContext()
    try await count("before the save", world) { number, indexer in
      world.mark("the item is not saved yet, so this id is temporary")
      let id = await editor.perform { insert(number, into: editor).objectID }
      async let found = isFound(id, in: indexer)
      try await editor.perform { try editor.save() }
      return (id, try await found)
    }
  }
  // end: wrong

  // or obtains a permanent id first,
  // anchor: permanent
  @MainActor private static func permanent(_ world: World) async throws {
    let editor = world.container.newBackgroundContext()
    try await count("before the save", world) { number, indexer in
      let id = try await editor.perform {
        let item = insert(number, into: editor)
        try editor.obtainPermanentIDs(for: [item])
        return item.objectID
      }
      async let found = isFound(id, in: indexer)
      try await editor.perform { try editor.save() }
      return (id, try await found)
    }
  }
  // end: permanent

  // or saves it in a child of the screen's context, which is saved meanwhile,
  // anchor: child
  @MainActor private static func child(_ world: World) async throws {
    let form = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    form.parent = world.container.viewContext
    try await count("before the parent's save", world) { number, indexer in
      let id = try await form.perform {
        let item = insert(number, into: form)
        try form.obtainPermanentIDs(for: [item])
        try form.save()
        return item.objectID
      }
      async let found = isFound(id, in: indexer)
      try world.container.viewContext.save()
      return (id, try await found)
    }
  }
  // end: child

  // or saves it and then reads its id, which is another one than before,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let editor = world.container.newBackgroundContext()
    try await count("after the save", world) { number, indexer in
      let id = try await editor.perform {
        let item = insert(number, into: editor)
        try editor.save()
        return item.objectID
      }
      return (id, try await isFound(id, in: indexer))
    }
  }
  // end: right

  // then the indexer has found each item or not,
  @MainActor private static func count(
    _ moment: String, _ world: World,
    pass: (Int, NSManagedObjectContext) async throws -> (id: NSManagedObjectID, isFound: Bool)
  ) async throws {
    let indexer = world.container.newBackgroundContext()
    indexer.name = "indexer"
    var passed: [(id: NSManagedObjectID, isFound: Bool)] = []
    for number in 1...world[items] { passed.append(try await pass(number, indexer)) }
    world.observe("the id was passed", moment)
    world.observe("temporary ids", passed.count(where: \.id.isTemporaryID))
    world.observe("items found", passed.count(where: \.isFound), of: world[items])
  }

  // while all of them are in the file.
  public static func observed(_ run: Observation) throws -> Outcome {
    run.observe("rows in the end", try run.storedRows(of: "Article"), of: run[items])
    if run.number("items found") != run[items] { return notFound }
    return run.text("the id was passed") == "after the save" ? found : lucky
  }
}
