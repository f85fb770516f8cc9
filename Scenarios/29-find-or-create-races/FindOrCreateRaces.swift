import CoreData
import PlaygroundKit

/// Two contexts that look for a row before they insert it can both insert it.
///
///     faultline run 29
///     faultline explore 29
public enum FindOrCreateRaces: Scenario {
  public static let card = Card(
    29, "find-or-create-races", "Find-or-create races", part: .conflicts,
    claim: "A fetch that finds no row reserves none.",
    question: """
      Two feeds bring the same \(names.standard) names. Each import looks for a name and inserts \
      it if it is missing. How many rows are there in the end?
      """,
    why: """
      One import fetches and finds no row. Before it saves, the other import fetches and finds \
      none either, so both insert one. New rows have no earlier version, so no save finds a \
      conflict.
      """,
    given: "two feeds with the same {names|name|# names}, imported at the same time",
    guide: "05-conflicts.md#29",
    sources: [
      .rules("Pattern 1: Background Import"), .operation("What this library does"),
    ])

  private static let names = Parameter(
    "names", 100, in: 1...10_000, "names that both feeds bring", explored: 1)

  private static let duplicate = Outcome(
    "DUPLICATE", .forbidden, "some names have two rows, and every save succeeded")
  private static let missing = Outcome("MISSING", .forbidden, "some names have no row")
  private static let fieldLost = Outcome(
    "FIELD LOST", .forbidden, "every name has one row, and some rows lack what a feed brought")
  private static let one = Outcome("ONE", .accepted, "every name has one row")

  public static let parameters = [names]
  public static let outcomes = [duplicate, missing, fieldLost, one]
  public static let sides: [Side] = [
    .wrong("a context for each feed", wrong),
    .right("one context for both", right),
    .right("a uniqueness constraint", name: "constraint", constraint),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an empty store, and imports that insert each name they do not find,
  // anchor: import
  private static func importFeed(
    _ names: Int, as entity: String, into context: NSManagedObjectContext
  ) async throws {
    for number in 1...names {
      try await context.perform {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "name == %@", "Name \(number)")
        if try context.count(for: request) == 0 {
          let new = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
          new.setValue("Name \(number)", forKey: "name")
          try context.save()
        }
      }
    }
  }
  // end: import

  // when each of two feeds is imported into its own context,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    world.mark("the other feed can fetch between this feed's fetch and its save")
    async let one: Void = importFeed(world[names], as: "Category", into: first)
    async let two: Void = importFeed(world[names], as: "Category", into: second)
    _ = try await (one, two)
  }
  // end: wrong

  // or both are imported into one context, whose blocks run one after another,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let both = world.container.newBackgroundContext()
    async let one: Void = importFeed(world[names], as: "Category", into: both)
    async let two: Void = importFeed(world[names], as: "Category", into: both)
    _ = try await (one, two)
  }
  // end: right

  // or each into its own context, as an entity with unique names, under a policy that keeps the row
  // in the store,
  // anchor: constraint
  @MainActor private static func constraint(_ world: World) async throws {
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    first.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    second.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    async let one: Void = importFeed(world[names], as: "Keyword", into: first)
    async let two: Void = importFeed(world[names], as: "Keyword", into: second)
    _ = try await (one, two)
  }
  // end: constraint

  // then the file has one row for each name, or two for some names.
  public static func observed(_ run: Observation) throws -> Outcome {
    let all = "(SELECT ZNAME FROM ZCATEGORY UNION ALL SELECT ZNAME FROM ZKEYWORD)"
    let counts = try run.stored("SELECT count(*), count(DISTINCT ZNAME) FROM \(all)").first ?? []
    let rows = counts.first.flatMap { Int($0) } ?? 0
    let distinct = counts.last.flatMap { Int($0) } ?? 0
    run.observe("names", distinct, of: run[names], section: "in the file")
    run.observe("rows", rows, good: rows == run[names], section: "in the file")
    if distinct < run[names] { return missing }
    if rows > distinct { return duplicate }
    return try hasLostFields(run) ? fieldLost : one
  }

  // (In the exercise one feed brings meanings for all names but one, and the other synonyms.)
  private static func hasLostFields(_ run: Observation) throws -> Bool {
    let sql = "SELECT count(ZMEANING), count(ZSYNONYM) FROM ZKEYWORD"
    let counts = try run.stored(sql).joined().compactMap { Int($0) }
    return counts.contains { $0 > 0 } && counts.contains { $0 < run[names] - 1 }
  }
}
