import CoreData
import PlaygroundKit

/// If two contexts read a number, add one and save, one increment can be lost, and no built-in
/// merge policy prevents it.
///
///     faultline run 27
///     faultline explore 27
public enum TheLostUpdate: Scenario {
  public static let card = Card(
    27, "the-lost-update", "The lost update that no built-in merge stops", part: .conflicts,
    claim: "A built-in merge policy picks one of two values; it cannot combine two increments.",
    question: """
      \(writers.standard) writers each run views += 1 and save, \(increments.standard) times. \
      What is the value of views in the end?
      """,
    why: """
      Two writers read 5, and both save 6. A built-in merge picks one of two values, and here \
      both are 6. To keep both increments, let the refused writer retry, write a policy that adds, \
      or let the store add.
      """,
    given: """
      one article with 0 views; {writers|one writer increments|# writers each increment} views \
      {increments|once|# times}
      """,
    guide: "05-conflicts.md#27",
    sources: [
      .operation("Saving on a private queue"), .notes("Reconciling Changes Between Contexts"),
    ])

  private static let writers = Parameter(
    "writers", 8, in: 1...64, "writers, each with its own context", explored: 2)
  private static let increments = Parameter(
    "increments", 25, in: 1...10_000, "how often each writer adds one", explored: 1)
  private static let policy = Parameter(
    "policy", 2, in: 1...4,
    "the wrong side's policy: 1 store trump, 2 object trump, 3 overwrite, 4 rollback")

  private static let lost = Outcome(
    "LOST", .forbidden, "every save succeeded, but some increments are missing")
  private static let kept = Outcome(
    "KEPT", .accepted, "every increment is there, and no save was refused")
  private static let redone = Outcome(
    "REDONE", .accepted, "every increment is there, some only after a conflict")

  public static let parameters = [writers, increments, policy]
  public static let outcomes = [lost, kept, redone]
  public static let sides: [Side] = [
    .wrong("let a policy decide", wrong),
    .right("refuse, refresh, retry", right),
    .right("a policy that adds", name: "adds", addInThePolicy),
    .right("add in the store", name: "store", addInTheStore),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an article with 0 views,
  @MainActor public static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).name = "The lost update"
    try world.container.viewContext.save()
  }

  // and several writers at the same time, each with its own context,
  // anchor: writers
  @MainActor private static func everyWriter(
    _ world: World, _ increment: @escaping @Sendable (NSManagedObjectContext) throws -> Int
  ) async throws {
    let retries = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 1...world[writers] {
        let context = world.container.newBackgroundContext()
        group.addTask {
          var retries = 0
          for _ in 1...world[increments] {
            retries += try await context.perform { try increment(context) }
          }
          return retries
        }
      }
      var retries = 0
      for try await count in group { retries += count }
      return retries
    }
    world.observe("retries", retries)
  }
  // end: writers

  // when each reads the number, adds one and saves, and a built-in merge settles each conflict,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    world.mark("a built-in merge picks one of two values and never adds them")
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

  // or saves under the policy that refuses, and after each refusal refreshes the article, adds one
  // to its present number and retries,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await everyWriter(world) { context in
      context.mergePolicy = NSMergePolicy.error
      var retries = 0
      for article in try context.fetch(Article.fetchRequest()) {
        article.views += 1
        while try !isSaved(context) {
          context.refresh(article, mergeChanges: false)
          article.views += 1
          retries += 1
        }
      }
      return retries
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

  // or saves under a policy of the app's own, which adds what both sides have added,
  // anchor: adds
  private final class AddingPolicy: NSMergePolicy, @unchecked Sendable {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
      let sums = list.map { conflict in
        let read = conflict.sourceObject.committedValues(forKeys: ["views"])["views"] as? Int64
        let mine = conflict.sourceObject.value(forKey: "views") as? Int64
        let row = conflict.persistedSnapshot ?? conflict.cachedSnapshot
        let theirs = row?["views"] as? Int64
        return (theirs ?? 0) + (mine ?? 0) - (read ?? 0)
      }
      try super.resolve(optimisticLockingConflicts: list)
      for (conflict, sum) in zip(list, sums) {
        conflict.sourceObject.setValue(sum, forKey: "views")
      }
    }
  }

  @MainActor private static func addInThePolicy(_ world: World) async throws {
    let policy = AddingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    try await everyWriter(world) { context in
      context.mergePolicy = policy
      for article in try context.fetch(Article.fetchRequest()) {
        article.views += 1
        try context.save()
      }
      return 0
    }
  }
  // end: adds

  // or does not read the number at all and lets the store add,
  // anchor: store
  @MainActor private static func addInTheStore(_ world: World) async throws {
    try await everyWriter(world) { context in
      let increment = NSBatchUpdateRequest(entityName: "Article")
      increment.propertiesToUpdate = ["views": NSExpression(format: "views + 1")]
      _ = try context.execute(increment)
      return 0
    }
  }
  // end: store

  // then the number in the file shows how many increments it holds.
  public static func observed(_ run: Observation) throws -> Outcome {
    let expected = run[writers] * run[increments]
    let stored = try run.stored("SELECT ZVIEWS FROM ZARTICLE").first?.first.flatMap { Int($0) } ?? 0
    run.observe("increments stored", stored, of: expected, section: "views in the file")
    run.observe(
      "lost", expected - stored, good: stored == expected, section: "views in the file")
    if stored != expected { return lost }
    return (run.number("retries") ?? run.number("conflicts") ?? 0) == 0 ? kept : redone
  }
}
