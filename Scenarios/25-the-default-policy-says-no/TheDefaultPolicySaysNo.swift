import CoreData
import PlaygroundKit

/// A refused save keeps every edit in its context and writes none; only its error says so.
///
///     faultline run 25
///     faultline explore 25
public enum TheDefaultPolicySaysNo: Scenario {
  public static let card = Card(
    25, "the-default-policy-says-no", "The default policy says no", part: .conflicts,
    claim: "Under the default policy a conflict refuses the save; read its list, then save again.",
    question: """
      Two forms edit different fields of one article, and both editors tap Done. One save is \
      refused. Where is that editor's text now?
      """,
    why: """
      A new context has the error policy. A save that finds a conflict writes nothing and throws \
      133020 (.managedObjectMerge), even if the two savers changed different fields. `try?` drops \
      the error, and with it the reason why the edit exists in this context alone.
      """,
    given: "{articles|one article|# articles}; two forms open each, edit one field and save",
    guide: "05-conflicts.md#25",
    sources: [
      .operation("Saving on a private queue"),
      .notes("Reconciling Changes Between Contexts"),
    ])

  private static let articles = Parameter(
    "articles", 100, in: 1...10_000, "articles that both editors edit", explored: 1)

  private static let ignored = Outcome(
    "IGNORED", .forbidden, "an edit is not in the file, and its editor was not told")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "no save was refused, because the timing was lucky")
  private static let kept = Outcome(
    "KEPT", .accepted, "every edit is in the file, and no save was refused")
  private static let retried = Outcome(
    "RETRIED", .accepted, "a save was refused, its conflicts were read, and every edit is there")

  public static let parameters = [articles]
  public static let outcomes = [ignored, lucky, kept, retried]
  public static let sides: [Side] = [
    .wrong("try? save()", wrong),
    .right("read the list, save again", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles with an old name and old content,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] {
      let article = Article(context: world.container.viewContext)
      (article.name, article.content) = ("old", "old")
    }
    try world.container.viewContext.save()
  }

  // when one form edits an article's name while another edits its content,
  @MainActor private static func bothEdit(
    _ world: World, error: String,
    done: @escaping @Sendable (NSManagedObjectContext) throws -> Int
  ) async throws {
    let ids = try world.container.viewContext.fetch(Article.fetchRequest()).map(\.objectID)
    var (refusals, unsaved) = (0, 0)
    for id in ids {
      async let name = edit(id, "name", done, world)
      async let content = edit(id, "content", done, world)
      for form in try await [name, content] {
        refusals += form.refusals
        unsaved += form.isUnsaved ? 1 : 0
      }
    }
    world.observe("the error of a save", error)
    world.observe("refusals seen by the code", refusals)
    world.observe("edits left in a form", unsaved, good: unsaved == 0)
  }

  /// Opens a form on an article, edits a field, and does what Done does.
  private static func edit(
    _ id: NSManagedObjectID, _ field: String,
    _ done: @escaping @Sendable (NSManagedObjectContext) throws -> Int, _ world: World
  ) async throws -> (refusals: Int, isUnsaved: Bool) {
    let form = world.container.newBackgroundContext()
    try await form.perform {
      try form.existingObject(with: id).setValue("edited", forKey: field)
    }
    return try await form.perform {
      let refusals = try done(form)
      return (refusals, form.hasChanges)
    }
  }

  // and Done drops the error of the save,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await bothEdit(world, error: "is dropped") { form in
      world.mark("if this save throws 133020, the edit exists in this form alone")
      try? form.save()
      return 0
    }
  }
  // end: wrong

  // or reads what the error lists, decides about each conflict, and saves again,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await bothEdit(world, error: "is read") { form in
      var refusals = 0
      while true {
        do {
          try form.save()
          return refusals
        } catch let error as CocoaError where error.code == .managedObjectMerge && refusals < 9 {
          guard let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] else {
            throw error
          }
          for conflict in conflicts { keepOrGiveUp(conflict) }
          refusals += 1
        }
      }
    }
  }

  /// Keeps the form's edit if the article is there and the other saver changed other fields, and
  /// gives it up otherwise.
  private static func keepOrGiveUp(_ conflict: NSMergeConflict) {
    let article = conflict.sourceObject
    let read = conflict.objectSnapshot ?? conflict.cachedSnapshot ?? [:]
    let found = conflict.persistedSnapshot ?? conflict.cachedSnapshot ?? [:]
    let isTheirsToo = article.changedValues().keys.contains { field in
      read[field] as? AnyHashable != found[field] as? AnyHashable
    }
    let isGone = conflict.newVersionNumber == 0
    article.managedObjectContext?.refresh(article, mergeChanges: !isGone && !isTheirsToo)
  }
  // end: right

  // then each article in the file has both edits, or lacks one.
  public static func observed(_ run: Observation) throws -> Outcome {
    let query = "SELECT COUNT(*) FROM ZARTICLE WHERE"
    let stored = try ["ZNAME", "ZCONTENT"].map { column in
      Int(try run.stored("\(query) \(column) = 'edited'").joined().first ?? "") ?? 0
    }.reduce(0, +)
    run.observe("edits stored", stored, of: 2 * run[articles])
    if stored < 2 * run[articles] { return ignored }
    guard let left = run.number("edits left in a form"), left == 0 else { return ignored }
    return run.text("the error of a save") == "is dropped"
      ? lucky : run.number("refusals seen by the code") ?? 0 > 0 ? retried : kept
  }
}
