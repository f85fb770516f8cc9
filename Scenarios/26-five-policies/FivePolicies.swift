import CoreData
import PlaygroundKit

/// If two contexts change the same row, the second saver's merge policy decides what the row keeps.
///
///     faultline run 26
///     faultline run 26 --side objectTrump
public enum FivePolicies: Scenario {
  public static let card = Card(
    26, "five-policies", "Five policies side by side", part: .conflicts,
    claim: "Only one of the five merge policies tells the second saver that there was a conflict.",
    question: "Two editors rename the same article. Which name stays? Is the second editor told?",
    why: """
      A save compares the row's version with the version that the context read. If they differ, \
      the merge policy decides: the error policy throws 133020 (.managedObjectMerge); the other \
      four choose by property or by row, and report nothing.
      """,
    given: "one article; the first saver changes name and content, the second name and views",
    guide: "05-conflicts.md#26",
    sources: [
      .operation("Saving on a private queue"), .rules("Merging Changes Between Contexts"),
    ])

  private static let refused = Outcome(
    "REFUSED", .accepted,
    "the save threw 133020 (.managedObjectMerge); the first saver's row stays whole")
  private static let storeWins = Outcome(
    "STORE WINS", .interesting,
    "the first saver's name, both savers' other changes; the second name is lost without an error")
  private static let objectWins = Outcome(
    "OBJECT WINS", .interesting,
    "the second saver's name, both savers' other changes; the first name is lost without an error")
  private static let overwritten = Outcome(
    "OVERWRITTEN", .interesting,
    "the second saver's whole row; the first saver's content is lost too, without an error")
  private static let rolledBack = Outcome(
    "ROLLED BACK", .interesting,
    "the first saver's row; the second saver's edit is lost without an error")
  private static let other = Outcome(
    "SOMETHING ELSE", .forbidden,
    "a row that none of the five policies produces")

  public static let outcomes = [refused, storeWins, objectWins, overwritten, rolledBack, other]
  public static let sides: [Side] = [
    .column("error", "error") { try await bothEdit($0, .error) },
    .column("storeTrump", "store trump") { try await bothEdit($0, .mergeByPropertyStoreTrump) },
    .column("objectTrump", "object trump") { try await bothEdit($0, .mergeByPropertyObjectTrump) },
    .column("overwrite", "overwrite") { try await bothEdit($0, .overwrite) },
    .column("rollback", "rollback") { try await bothEdit($0, .rollback) },
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given one article with an old name and old content,
  @MainActor public static func given(_ world: World) async throws {
    let article = Article(context: world.container.viewContext)
    article.name = "old"
    article.content = "old"
    try world.container.viewContext.save()
  }

  // when the second saver reads and edits it,
  // and the first saver reads, edits and saves it meanwhile,
  // and then the second saver saves under one of the five policies,
  // anchor: edit
  @MainActor private static func bothEdit(_ world: World, _ policy: NSMergePolicy) async throws {
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    second.mergePolicy = policy

    try await second.perform {
      let article = try second.fetch(Article.fetchRequest()).first
      article?.name = "second"
      article?.views = 2
    }
    try await first.perform {
      let article = try first.fetch(Article.fetchRequest()).first
      article?.name = "first"
      article?.content = "first"
      try first.save()
    }
    try await second.perform {
      world.mark("this context's merge policy decides the conflict")
      world.observe("second saver told", answer(to: second.save))
      let article = try second.fetch(Article.fetchRequest()).first
      world.observe("name, content, views", values(article), section: screen)
      world.observe("unsaved", unsaved(article), section: screen)
    }
  }
  // end: edit

  private static let screen = "on the second saver's screen"

  /// What a save reports: nothing, or the error's code and the conflicts that it lists.
  private static func answer(to save: () throws -> Void) -> String {
    do {
      try save()
      return "nothing"
    } catch {
      let error = error as NSError
      let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
      let versions = conflicts.map {
        "version \($0.oldVersionNumber) read, \($0.newVersionNumber) found"
      }
      return "\(error.code), \(conflicts.count) conflict: \(versions.joined(separator: "; "))"
    }
  }

  private static func values(_ article: Article?) -> String {
    article.map { "\($0.name ?? "nil"), \($0.content ?? "nil"), \($0.views)" } ?? "no article"
  }

  /// The properties with an unsaved change.
  private static func unsaved(_ article: Article?) -> String {
    let names = article?.changedValues().keys.sorted() ?? []
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }

  // then the row in the file shows what the policy chose.
  public static func observed(_ run: Observation) throws -> Outcome {
    let row = try run.stored("SELECT ZNAME, ZCONTENT, ZVIEWS FROM ZARTICLE").first ?? []
    for (column, value) in zip(["name", "content", "views"], row) {
      run.observe(column, value, section: "the row in the file")
    }
    switch (row, run.text("second saver told")) {
    case (["first", "first", "0"], "nothing"): return rolledBack
    case (["first", "first", "0"], _): return refused
    case (["first", "first", "2"], _): return storeWins
    case (["second", "first", "2"], _): return objectWins
    case (["second", "old", "2"], _): return overwritten
    default: return other
    }
  }
}
