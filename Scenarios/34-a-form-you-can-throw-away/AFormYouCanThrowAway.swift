import CoreData
import PlaygroundKit

/// A form that edits in a context of its own is cancelled by dropping that context.
///
///     faultline run 34
///     faultline explore 34
public enum AFormYouCanThrowAway: Scenario {
  public static let card = Card(
    34, "a-form-you-can-throw-away", "A form you can throw away", part: .parents,
    claim: "Give each form a context of its own; Cancel then drops the context, and nothing else.",
    question: """
      A form edits an article in the view context and makes a category for it, and is cancelled. \
      Another form has an unsaved edit, and an autosave may come. What is in the file?
      """,
    why: """
      A save writes everything that is unsaved in its context, and a rollback drops everything. \
      Neither knows which form an edit belongs to. A context per form does.
      """,
    given: """
      {forms|one form is|# forms, one at a time, are} opened and cancelled; another form edits \
      {forms|a letter|# letters}; the view context is autosaved at {forms|any moment|every tenth}
      """,
    guide: "06-parents.md#34",
    sources: [.rules("Context Hierarchy and Parent Contexts")])

  private static let forms = Parameter(
    "forms", 100, in: 1...10_000, "forms that are opened and cancelled", explored: 1)

  private static let leaked = Outcome(
    "LEAKED", .forbidden, "the file has edits of a form that was cancelled")
  private static let lost = Outcome(
    "LOST", .forbidden, "the file lacks edits of the other form, and has none of a cancelled one")
  private static let clean = Outcome(
    "CLEAN", .accepted, "the file has the other form's edits, and nothing of a cancelled form")

  public static let parameters = [forms]
  public static let outcomes = [leaked, lost, clean]
  public static let sides: [Side] = [
    .wrong("set back by hand", setBackByHand),
    .wrong("roll back the view context", name: "rollback", rollBack),
    .right("drop a child context", dropAChild),
    .right("drop a scratch context", name: "scratch", dropAScratchContext),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles, and letters that another form writes in the view context,
  @MainActor public static func given(_ world: World) async throws {
    let screen = world.container.viewContext
    for name in ["article", "letter"] {
      for article in (1...world[forms]).map({ _ in Article(context: screen) }) {
        (article.name, article.content) = (name, "old")
      }
    }
    try screen.save()
  }

  // and a form, which changes an article's text and puts it into a new category,
  // anchor: edit
  private static func edit(_ id: NSManagedObjectID, in form: NSManagedObjectContext) throws {
    let article = try form.existingObject(with: id) as? Article
    article?.content = "draft"
    article?.category = Category(context: form)
    article?.category?.name = "draft"
  }
  // end: edit

  // when the form edits in the view context, and Cancel sets back the text,
  // anchor: wrong
  @MainActor private static func setBackByHand(_ world: World) async throws {
    try await useForms(world, in: \.container.viewContext) { form, id in
      let article = try form.existingObject(with: id) as? Article
      world.mark("this sets back the field that Cancel knows; the new category stays")
      article?.content = "old"
    }
  }
  // end: wrong

  // or drops every unsaved change of the view context,
  // anchor: rollback
  @MainActor private static func rollBack(_ world: World) async throws {
    try await useForms(world, in: \.container.viewContext) { form, _ in
      world.mark("this drops the other form's edit too, and takes back nothing that was autosaved")
      form.rollback()
    }
  }
  // end: rollback

  // or the form edits in a child of the view context, which goes when the form goes,
  // anchor: right
  @MainActor private static func dropAChild(_ world: World) async throws {
    try await useForms(world) { world in
      let form = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      form.parent = world.container.viewContext
      return form
    }
  }
  // end: right

  // or in a context on the coordinator,
  // anchor: scratch
  @MainActor private static func dropAScratchContext(_ world: World) async throws {
    try await useForms(world) { world in
      let form = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      form.persistentStoreCoordinator = world.container.persistentStoreCoordinator
      return form
    }
  }
  // end: scratch

  // while the other form edits too and an autosave comes at each tenth, and the app saves at last,
  // anchor: use
  @MainActor private static func useForms(
    _ world: World, in context: (World) -> NSManagedObjectContext,
    cancel: (@Sendable (NSManagedObjectContext, NSManagedObjectID) throws -> Void)? = nil
  ) async throws {
    let screen = world.container.viewContext
    let all = Dictionary(grouping: try screen.fetch(Article.fetchRequest()), by: \.name)
    var unsaved = 0
    let ids = (all["article"] ?? []).map(\.objectID)
    for (number, letter) in (all["letter"] ?? []).enumerated() {
      letter.content = "written"
      async let autosave: Void = screen.perform { if number % 10 == 0 { try screen.save() } }
      let (form, id) = (context(world), ids[number])
      try await form.perform(schedule: .enqueued) { try edit(id, in: form) }
      unsaved += try await form.perform(schedule: .enqueued) {
        try cancel?(form, id)
        let changed = screen.insertedObjects.union(screen.updatedObjects)
        return changed.contains { ($0 as? Article)?.name != "letter" } ? 1 : 0
      }
      try await autosave
    }
    world.observe("Cancels that left unsaved edits", unsaved, good: unsaved == 0)
    try screen.save()
  }
  // end: use

  // then the file has edits of a cancelled form, or lacks edits of the other one, or neither.
  public static func observed(_ run: Observation) throws -> Outcome {
    let texts = try run.storedArticles(where: "ZCONTENT = 'draft'")
    let categories = try run.stored("SELECT 1 FROM ZCATEGORY WHERE ZNAME = 'draft'").count
    let written = try run.storedArticles(where: "ZCONTENT = 'written'")
    run.observe("texts of cancelled forms", texts, good: texts == 0, section: "in the file")
    run.observe(
      "categories of cancelled forms", categories, good: categories == 0, section: "in the file")
    run.observe("edits of the other form", written, of: run[forms], section: "in the file")
    if texts + categories > 0 { return leaked }
    return written < run[forms] ? lost : clean
  }
}
