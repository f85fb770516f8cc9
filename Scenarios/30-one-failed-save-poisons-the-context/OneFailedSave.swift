import CoreData
import PlaygroundKit

/// A refused change stays pending, and every later save of its context tries it again.
///
///     faultline run 30
///     faultline explore 30
public enum OneFailedSave: Scenario {
  public static let card = Card(
    30, "one-failed-save-poisons-the-context", "One failed save poisons the context",
    part: .conflicts,
    claim: "Take back what a refused save names and no more, or give each edit its own context.",
    question: """
      Two windows edit articles in the view context. A save is refused, because a sync has changed \
      an article of the first window. What happens to the edits in the second?
      """,
    why: """
      A save writes every pending change of its context, or none. After a refusal all of them are \
      still pending, so each later save tries the refused one again and throws too. `rollback()` \
      drops all of them, and a save that finds nothing left to write succeeds.
      """,
    given: """
      two windows with {forms|one form|# forms} each; a sync has changed \
      {forms|the article|every tenth article} of the first window
      """,
    guide: "05-conflicts.md#30", sources: [.operation("Saving on a private queue")])

  private static let forms = Parameter("forms", 50, in: 1...5_000, "forms per window", explored: 1)

  private static let poisoned = Outcome(
    "POISONED", .forbidden, "edits wait in the context behind one that the store refuses")
  private static let dropped = Outcome(
    "DROPPED", .forbidden, "an edit is gone that no sync touched, or whose save succeeded")
  private static let returned = Outcome(
    "RETURNED", .accepted, "only refused edits are not in the file, and their Done failed")

  public static let parameters = [forms]
  public static let outcomes = [poisoned, dropped, returned]
  public static let sides: [Side] = [
    .wrong("save again", saveAgain), .wrong("rollback()", name: "rollback", rollBack),
    .right("take back what was refused", takeBack),
    .right("a context for each edit", name: "own", contextForEach),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles, each open in a form of one of two windows,
  @MainActor public static func given(_ world: World) async throws {
    for number in 0..<world[forms] {
      Article(context: world.container.viewContext).name = "first \(number)"
      Article(context: world.container.viewContext).name = "second \(number)"
    }
    try world.container.viewContext.save()
  }

  @MainActor private struct Form {
    let context: NSManagedObjectContext
    let article: Article
  }

  @MainActor private static func viewContext(_ world: World) -> NSManagedObjectContext {
    world.container.viewContext
  }

  /// Every tenth article of the first window.
  private static func names(_ forms: Int) -> [String] {
    stride(from: 0, to: forms, by: 10).map { "first \($0)" }
  }

  // when a sync changes some articles of the first window,
  private static func sync(_ world: World) async throws {
    let (context, names) = (world.container.newBackgroundContext(), names(world[forms]))
    try await context.perform {
      for article in try context.fetch(Article.fetchRequest()) where names.contains(article.name!) {
        article.timestamp = .distantPast
      }
      try context.save()
    }
  }

  // and in both windows each form gets its text, and Done is tapped,
  @MainActor private static func bothEdit(
    _ world: World, in context: @MainActor (World) -> NSManagedObjectContext,
    done: @escaping @MainActor @Sendable (Form) throws -> Void
  ) async throws {
    let opened = try world.container.viewContext.fetch(Article.fetchRequest()).map {
      let context = context(world)
      return Form(
        context: context, article: try context.existingObject(with: $0.objectID) as! Article)
    }
    try await sync(world)
    let first = Task { await failures("first", opened, done) }
    let second = Task { await failures("second", opened, done) }
    let failed = await first.value + second.value
    let refused = names(world[forms])
    let behind = Set(failed).subtracting(refused).count
    world.observe("failed", failed.count, section: "Done")
    world.observe("failed for another form", behind, good: behind == 0, section: "Done")
    let pending = opened.count { $0.article.hasChanges }
    world.observe("left pending", pending, good: pending <= refused.count, section: "edits")
    let rows = try world.stored("SELECT ZNAME FROM ZARTICLE WHERE ZCONTENT = 'edited'").joined()
    let lost = Set(opened.compactMap(\.article.name)).subtracting(failed + rows).count
    world.observe("lost, though Done succeeded", lost, good: lost == 0, section: "edits")
  }

  /// Edits each article of a window and taps Done, and returns the articles whose Done threw.
  @MainActor private static func failures(
    _ window: String, _ forms: [Form], _ done: @MainActor (Form) throws -> Void
  ) async -> [String] {
    var failed: [String] = []
    for form in forms {
      guard let name = form.article.name, name.hasPrefix(window) else { continue }
      form.article.content = "edited"
      await Task.yield()
      do { try done(form) } catch { failed.append(name) }
    }
    return failed
  }

  // and a refused edit stays where it is, so that the next Done saves it again,
  // anchor: wrong
  @MainActor private static func saveAgain(_ world: World) async throws {
    try await bothEdit(world, in: viewContext) { form in
      world.mark("once an edit is refused, this throws for every form of the context")
      try form.context.save()
    }
  }
  // end: wrong

  // or everything that is pending is dropped,
  // anchor: rollback
  @MainActor private static func rollBack(_ world: World) async throws {
    try await bothEdit(world, in: viewContext) { form in
      do {
        try form.context.save()
      } catch {
        world.mark("this also drops the edit of the other window, which is not saved yet")
        form.context.rollback()
        throw error
      }
    }
  }
  // end: rollback

  // or only what the error names, and the rest is saved,
  // anchor: right
  @MainActor private static func takeBack(_ world: World) async throws {
    try await bothEdit(world, in: viewContext) { form in
      do {
        try form.context.save()
      } catch let error as CocoaError where error.code == .managedObjectMerge {
        let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
        for conflict in conflicts {
          form.context.refresh(conflict.sourceObject, mergeChanges: false)
        }
        try form.context.save()
      }
      if form.article.content != "edited" { throw CocoaError(.managedObjectMerge) }
    }
  }
  // end: right

  // or each form has a context of its own,
  // anchor: own
  @MainActor private static func contextForEach(_ world: World) async throws {
    try await bothEdit(world, in: newContext) { form in try form.context.save() }
  }

  @MainActor private static func newContext(_ world: World) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = world.container.persistentStoreCoordinator
    return context
  }
  // end: own

  // then each edit of an article that the sync left alone is in the file, or some are not.
  public static func observed(_ run: Observation) throws -> Outcome {
    let (all, refused) = (2 * run[forms], names(run[forms]).count)
    let stored = try run.storedArticles(where: "ZCONTENT = 'edited' AND ZTIMESTAMP IS NULL")
    run.observe("stored without a conflict", stored, of: all - refused, section: "edits")
    if run.number("left pending") ?? all > refused { return poisoned }
    let lost = run.number("lost, though Done succeeded") ?? all
    return stored == all - refused && lost == 0 ? returned : dropped
  }
}
