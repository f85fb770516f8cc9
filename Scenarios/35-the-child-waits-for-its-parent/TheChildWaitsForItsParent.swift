import CoreData
import PlaygroundKit

/// A child's save needs its parent's queue; if the parent is the view context, that is the main
/// queue.
///
///     faultline run 35
///     faultline explore 35
public enum TheChildWaitsForItsParent: Scenario {
  public static let card = Card(
    35, "the-child-waits-for-its-parent", "The child's save waits for its parent's queue",
    part: .parents,
    claim: "Never wait for a child while you hold its parent's queue.",
    question: """
      A form saves on its own queue. Meanwhile the main thread asks it with performAndWait whether \
      anything is unsaved. What is the answer?
      """,
    why: """
      The form's save holds the form's queue and waits for its parent's queue, main. The main \
      thread holds main and waits for the form's queue. Neither continues.
      """,
    given:
      "a form saves {notes|one note|# notes, one at a time,} in a child of the view context",
    guide: "06-parents.md#35",
    sources: [
      .rules("Context Hierarchy and Parent Contexts"),
      .tutorial("Parent/Child Managed Object Contexts"),
    ])

  private static let notes = Parameter(
    "notes", 100, in: 1...100_000, "notes that the form saves", explored: 1)

  private static let deadlock = Outcome(
    "DEADLOCK", .forbidden, "main waits for the form, whose save waits for main", when: .deadlock)
  private static let missing = Outcome("MISSING", .forbidden, "the screen lacks notes")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "this time main never asked while the form was saving")
  private static let onMain = Outcome(
    "ON MAIN", .interesting, "all notes are on the screen, and main did all the work")
  private static let saved = Outcome(
    "SAVED", .accepted, "all notes are on the screen, and main called no performAndWait")

  public static let parameters = [notes]
  public static let outcomes = [deadlock, missing, lucky, onMain, saved]
  public static let sides: [Side] = [
    .wrong("ask with performAndWait", wrong),
    .right("ask with await perform", right),
    .column("inside", "save inside performAndWait", saveOnMain),
    .wrong("save inside, one queued", name: "queued", saveOnMainBehindAnother),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given a form whose context is a child of the view context,
  // anchor: form
  @MainActor private static func form(_ world: World) -> NSManagedObjectContext {
    let form = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    form.name = "form"
    form.parent = world.container.viewContext
    return form
  }

  // and a new note in it,
  private static func write(in form: NSManagedObjectContext) {
    Article(context: form).name = "Note"
  }
  // end: form

  // when the form saves on its own queue, while the main thread counts its list and then blocks to
  // ask the form whether the note is still unsaved,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let (form, screen) = (form(world), world.container.viewContext)
    var (listed, unsaved) = (0, 0)
    for _ in 1...world[notes] {
      await form.perform { write(in: form) }
      async let saved: Void = form.perform { try form.save() }
      listed = try screen.count(for: Article.fetchRequest())
      world.mark("main waits for the form's queue, and the form's save waits for main")
      if form.performAndWait({ form.hasChanges }) { unsaved += 1 }
      try await saved
    }
    try note("performAndWait", listed, unsaved, world)
  }
  // end: wrong

  // or asks without blocking,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let (form, screen) = (form(world), world.container.viewContext)
    var (listed, unsaved) = (0, 0)
    for _ in 1...world[notes] {
      await form.perform { write(in: form) }
      async let saved: Void = form.perform { try form.save() }
      listed = try screen.count(for: Article.fetchRequest())
      if await form.perform({ form.hasChanges }) { unsaved += 1 }
      try await saved
    }
    try note("await perform", listed, unsaved, world)
  }
  // end: right

  // or does the whole edit inside performAndWait, on a thread that then holds both queues,
  // anchor: inside
  @MainActor private static func saveOnMain(_ world: World) async throws {
    let (form, screen) = (form(world), world.container.viewContext)
    var (listed, unsaved) = (0, 0)
    for _ in 1...world[notes] {
      listed = try screen.count(for: Article.fetchRequest())
      let isUnsaved = try form.performAndWait {
        write(in: form)
        try form.save()
        return form.hasChanges
      }
      if isUnsaved { unsaved += 1 }
    }
    try note("performAndWait, save included", listed, unsaved, world)
  }
  // end: inside

  // or saves inside performAndWait while an autosave is queued on the form,
  // anchor: queued
  @MainActor private static func saveOnMainBehindAnother(_ world: World) async throws {
    let (form, screen) = (form(world), world.container.viewContext)
    var (listed, unsaved) = (0, 0)
    for _ in 1...world[notes] {
      await form.perform { write(in: form) }
      async let autosave: Void = form.perform { try form.save() }
      listed = try screen.count(for: Article.fetchRequest())
      let isUnsaved = try form.performAndWait {
        try form.save()
        return form.hasChanges
      }
      if isUnsaved { unsaved += 1 }
      try await autosave
    }
    try note("performAndWait", listed, unsaved, world)
  }
  // end: queued

  // then all notes are on the screen in the end,
  @MainActor private static func note(
    _ main: String, _ listed: Int, _ unsaved: Int, _ world: World
  ) throws {
    let shown = try world.container.viewContext.count(for: Article.fetchRequest())
    world.observe("main used", main)
    world.observe("listed before the last save", listed)
    world.observe("still unsaved when main asked", unsaved)
    world.observe("notes on the screen", shown, of: world[notes])
  }

  // unless main waited for the form while the form waited for main.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.number("notes on the screen") != run[notes] { return missing }
    switch run.text("main used") {
    case "performAndWait": return lucky
    case "performAndWait, save included": return onMain
    default: return saved
    }
  }
}
