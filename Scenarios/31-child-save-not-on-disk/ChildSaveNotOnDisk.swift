import CoreData
import PlaygroundKit

/// A child's save goes one level up, to its parent, and no further.
///
///     faultline run 31
///     faultline run 31 --side right
public enum ChildSaveNotOnDisk: Scenario {
  public static let card = Card(
    31, "child-save-not-on-disk", "A child's save is not on disk", part: .parents,
    claim: "A child's save hands its changes to the parent; only the root context writes the file.",
    question: "A form saves \(rows.standard) articles without an error. Are they in the file?",
    why: """
      A child saves into its parent context, which is in memory. The file gets the rows only when \
      the root context saves.
      """,
    given: """
      a form on a child of the view context, {rows|one new article|# new articles}, kill -9 after \
      the last save
      """,
    guide: "06-parents.md#31",
    sources: [
      .rules("Context Hierarchy and Parent Contexts"),
      .tutorial("Parent/Child Managed Object Contexts"),
    ])

  private static let rows = Parameter("rows", 3, in: 1...100_000, "articles that the form creates")

  private static let lost = Outcome(
    "LOST", .forbidden, "every save succeeded, and no row reached the store")
  private static let partial = Outcome("PARTIAL", .forbidden, "some of the rows reached the store")
  private static let stored = Outcome(
    "STORED", .accepted, "every row had reached the store before the kill")

  public static let parameters = [rows]
  public static let outcomes = [lost, partial, stored]
  public static let sides: [Side] = [
    .wrong("save the child", wrong),
    .right("save the child, then its parent", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given a form that edits in a context whose parent is the view context,
  // anchor: form
  @MainActor private static func saveForm(_ world: World) async throws {
    let form = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    form.parent = world.container.viewContext
    let count = world[rows]
    try await form.perform {
      for number in 1...count {
        Article(context: form).name = "Note \(number)"
      }
      try form.save()
    }
    try look(world, after: "form saved")
  }
  // end: form

  // when only the form is saved before the process is killed,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    world.mark("the only save reaches the view context and goes no further")
    try await saveForm(world)
    world.kill()
  }
  // end: wrong

  // or its parent is saved too, on the parent's own queue, before the process is killed,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await saveForm(world)
    let screen = world.container.viewContext
    try await screen.perform { try screen.save() }
    try look(world, after: "view context saved")
    world.kill()
  }
  // end: right

  // then the screen shows the rows in either case, while a second connection to the store finds
  // none before the view context has saved,
  @MainActor private static func look(_ world: World, after moment: String) throws {
    let shown = try world.container.viewContext.count(for: Article.fetchRequest())
    world.observe("on the screen", shown, section: moment)
    world.observe("in the store", try world.storedRows(of: "Article"), section: moment)
  }

  // and after the kill the store holds exactly the rows that had reached it.
  public static func observed(_ run: Observation) throws -> Outcome {
    let rows = try run.storedRows(of: "Article")
    run.observe("rows in the store", rows, of: run[Self.rows], section: "after kill -9")
    if rows == run[Self.rows] { return stored }
    return rows == 0 ? lost : partial
  }
}
