import CoreData
import PlaygroundKit

/// Of two contexts that read a number, add one and save, one has added nothing, and no merge policy
/// knows.
///
///     faultline run 27
///     faultline explore 27
public enum TheLostUpdate: Scenario {
  public static let card = Card(
    27, "the-lost-update", "The lost update that no policy stops", part: .conflicts,
    claim: "A merge policy chooses between two values; it cannot add what both have added.",
    question: """
      \(writers.standard) writers add one to the same number, \(increments.standard) times each. \
      What is it in the end?
      """,
    why: """
      Two read 5 and write 6. A policy sees two wishes for one property and grants one of them; \
      that both meant one more stands nowhere. Only the refused one can ask again.
      """,
    given: """
      one article without readers; {writers|one writer counts|# writers count} \
      {increments|one reader|# readers} each
      """,
    guide: "05-conflicts.md#27",
    sources: [
      .operation("Saving on a private queue"), .notes("Reconciling Changes Between Contexts"),
    ])

  private static let writers = Parameter(
    "writers", 8, in: 1...64, "contexts that count", explored: 2)
  private static let increments = Parameter(
    "increments", 25, in: 1...10_000, "readers that each of them counts", explored: 1)
  private static let policy = Parameter(
    "policy", 2, in: 1...4,
    "the wrong side's policy: 1 store trump, 2 object trump, 3 overwrite, 4 rollback")

  private static let lost = Outcome(
    "LOST", .forbidden, "every save succeeded, and some of what they added is not there")
  private static let kept = Outcome(
    "KEPT", .accepted, "every reader was counted, one after the other")
  private static let redone = Outcome(
    "REDONE", .accepted, "every reader was counted; who was refused has counted again")

  public static let parameters = [writers, increments, policy]
  public static let outcomes = [lost, kept, redone]
  public static let sides: [Side] = [
    .wrong("let a policy decide", wrong),
    .right("be refused, read again, redo", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an article that nobody has read yet,
  @MainActor public static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).name = "The lost update"
    try world.container.viewContext.save()
  }

  // and writers at the same time, each with a context of its own,
  @MainActor private static func everyWriter(
    _ world: World, _ count: @escaping @Sendable (NSManagedObjectContext) throws -> Int
  ) async throws {
    let redone = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 1...world[writers] {
        let context = world.container.newBackgroundContext()
        group.addTask {
          var redone = 0
          for _ in 1...world[increments] {
            redone += try await context.perform { try count(context) }
          }
          return redone
        }
      }
      var redone = 0
      for try await count in group { redone += count }
      return redone
    }
    world.observe("counted again", redone)
  }

  // when each reads the number, adds one and saves, and a policy settles what is in the way,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    world.mark("chooses one of two values, and never adds them up")
    let policy = NSMergePolicy(merge: NSMergePolicyType(rawValue: UInt(world[policy]))!)
    try await everyWriter(world) { context in
      context.mergePolicy = policy
      for article in try context.fetch(Article.fetchRequest()) {
        article.views += 1
        try context.save()
      }
      return 0
    }
  }
  // end: wrong

  // or saves under the policy that refuses, and if it was refused, takes the number that is there
  // now and adds one to that,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await everyWriter(world) { context in
      context.mergePolicy = NSMergePolicy.error
      var redone = 0
      for article in try context.fetch(Article.fetchRequest()) {
        article.views += 1
        while try !isSaved(context) {
          context.refresh(article, mergeChanges: false)
          article.views += 1
          redone += 1
        }
      }
      return redone
    }
  }

  private static func isSaved(_ context: NSManagedObjectContext) throws -> Bool {
    do {
      try context.save()
      return true
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      return false
    }
  }
  // end: right

  // then the number in the file tells how many have counted.
  public static func observed(_ run: Observation) throws -> Outcome {
    let expected = run[writers] * run[increments]
    let stored = try run.stored("SELECT ZVIEWS FROM ZARTICLE").first?.first.flatMap { Int($0) } ?? 0
    run.observe("readers counted", stored, of: expected, section: "the number in the file")
    run.observe(
      "lost", expected - stored, good: stored == expected, section: "the number in the file")
    if stored != expected { return lost }
    return run.number("counted again") == 0 ? kept : redone
  }
}
