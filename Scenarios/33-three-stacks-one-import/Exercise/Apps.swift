import CoreData
import PlaygroundKit

/// The contexts that an app works with.
struct Stack: Sendable {
  /// What the user sees; its queue is the main queue.
  let screen: NSManagedObjectContext
  /// Where the app makes its changes.
  let work: NSManagedObjectContext
  /// The contexts to save when the work is done, in this order.
  let saves: [NSManagedObjectContext]

  /// Saves them, each inside its own queue.
  func save() async throws {
    for context in saves { try await context.perform { try context.save() } }
  }
}

/// Three apps, one after the other, each with the stack that was chosen for it.
@MainActor struct Apps {
  /// What chooses the stack of an app.
  typealias Choice = @MainActor (NSPersistentContainer) -> Stack

  private let world: World

  /// The apps of this run.
  init(_ world: World) { self.world = world }

  /// Uses the three apps.
  func use(reader: Choice, form: Choice, drawing: Choice) async throws {
    try await read(reader(world.container))
    try await draw(drawing(world.container))
    try await fill(form)
  }

  /// The reader imports articles. Its list is told of each, and fetches meanwhile.
  private func read(_ stack: Stack) async throws {
    let rows = world["rows"]
    let list = List(stack.screen)
    await stack.work.perform {
      for number in 1...rows { Article(context: stack.work).name = "Article \(number)" }
    }
    async let saved: Void = stack.save()
    _ = try stack.screen.fetch(newest())
    try await saved
    await stack.screen.perform(schedule: .enqueued) {}
    list.close()
    let told = list.count == rows ? "each article" : "\(list.count) articles"
    let source = stack.screen.parent == nil ? "from the file" : "through a parent's queue"
    world.observe(
      "the reader",
      "its list is told of \(told) and fetches \(source), main writes \(list.written) objects")
  }

  private func newest() -> NSFetchRequest<Article> {
    let request = Article.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
    request.fetchLimit = 20
    return request
  }

  /// The user draws strokes, which are on the screen before they are saved. The drawing app fetches
  /// nothing while it saves.
  private func draw(_ stack: Stack) async throws {
    let (strokes, list) = (world["rows"], List(stack.screen))
    await stack.work.perform {
      for number in 1...strokes { Category(context: stack.work).name = "Stroke \(number)" }
    }
    let shown = stack.screen.insertedObjects.count == strokes ? "each stroke" : "no stroke"
    try await stack.save()
    list.close()
    world.observe(
      "the drawing app",
      "shows \(shown) before its save, main writes \(list.written) objects")
  }

  /// The user has an unsaved note on the screen. A form opens, which lists it. While the form
  /// is open, its own note is not in the screen's context, whose save would write it.
  private func fill(_ form: Choice) async throws {
    let first = form(world.container)
    Keyword(context: first.screen).name = "unsaved"
    let listed = try await first.work.perform {
      let listed = try first.work.count(for: Keyword.fetchRequest())
      Keyword(context: first.work).name = "kept"
      return listed
    }
    let open = first.screen.insertedObjects.count
    try await first.save()
    world.observe(
      "the form",
      "lists \(listed) unsaved note(s), leaves \(open) unsaved on the screen while it is open")
  }
}

/// Hears which objects a context announces as new, and counts those that it writes to the file.
@MainActor private final class List {
  private(set) var (count, written) = (0, 0)
  private var tokens: [any NSObjectProtocol] = []

  init(_ screen: NSManagedObjectContext) {
    let isRoot = screen.parent == nil
    tokens = [
      observe(.NSManagedObjectContextObjectsDidChange, screen) { $0.count += $1 },
      observe(.NSManagedObjectContextDidSave, screen) { $0.written += isRoot ? $1 : 0 },
    ]
  }

  private func observe(
    _ name: Notification.Name, _ screen: NSManagedObjectContext,
    _ add: @escaping @MainActor @Sendable (List, Int) -> Void
  ) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(forName: name, object: screen, queue: nil) {
      [unowned self] note in
      let new = (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
      MainActor.assumeIsolated { add(self, new) }
    }
  }

  func close() { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
