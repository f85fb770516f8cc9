import CoreData
import PlaygroundKit

/// Imports, each of which changes, deletes and adds articles, and saves.
@MainActor struct Imports {
  private let world: World

  init(_ world: World) { self.world = world }

  /// Runs three imports, and after each of them compares what a list shows with the file.
  func run(_ list: ShownList) async throws {
    let (screen, bg) = (world.container.viewContext, world.container.newBackgroundContext())
    if world["capitals"] == 1 { try await rename(in: bg) }
    let first = try list.rows()
    _ = Self.text(first)
    let filled = FilledAgain(first.filter { $0.name == name("left") }, of: screen)
    var (rows, values) = (true, true)
    for revision in 1...3 {
      let saved = try await save(revision, in: bg)
      await screen.perform(schedule: .enqueued) {}
      let shown = try list.rows()
      screen.processPendingChanges()
      filled.look(at: shown)
      let text = Self.text(shown)
      rows = rows && Set(text.keys) == Set(saved.keys)
      values = values && text.allSatisfy { saved[$0] ?? $1 == $1 }
    }
    world.observe("rows", rows ? "as in the file" : "not as in the file")
    world.observe("values", values ? "as in the file" : "not as in the file")
    filled.close()
    world.observe("objects filled again", filled.count)
    world.observe("added", rows ? world["changes"] : 0)
    world.observe("deleted", 0)
    world.observe("changed, with the new value", values ? world["changes"] : 0)
  }

  /// What an article is called that has this name, or this name in capitals.
  private func name(_ small: String) -> String {
    world["capitals"] == 1 ? small.uppercased() : small
  }

  /// Writes all names in capitals, before the list has read any.
  private func rename(in bg: NSManagedObjectContext) async throws {
    try await bg.perform {
      for article in try bg.fetch(Article.fetchRequest()) {
        article.name = article.name?.uppercased()
      }
      try bg.save()
    }
  }

  /// Changes what earlier imports have left, deletes the oldest of it and adds new articles.
  private func save(
    _ revision: Int, in bg: NSManagedObjectContext
  ) async throws -> [NSManagedObjectID: String] {
    let changes = world["changes"]
    let (changed, deleted) = (name("changed"), name("deleted"))
    let new = revision < 3 ? deleted : name("added")
    return try await bg.perform {
      let old = try bg.fetch(Article.fetchRequest())
      for article in old where article.name == deleted { bg.delete(article) }
      for article in old where article.name == changed { article.views = Int64(revision) }
      for _ in 0..<changes { Article(context: bg).name = new }
      try bg.save()
      return try Self.text(bg.fetch(Article.fetchRequest()))
    }
  }

  /// What each of these articles shows.
  private nonisolated static func text(_ articles: [Article]) -> [NSManagedObjectID: String] {
    Dictionary(articles.map { ($0.objectID, "\($0.name ?? "") \($0.views)") }) { first, _ in first }
  }
}

/// Counts how often an object of an article that no import touches was refreshed or replaced.
@MainActor private final class FilledAgain {
  /// How often.
  var count: Int { again.value }
  private let again = Count()
  private let untouched: [NSManagedObjectID: Article]
  private var token: (any NSObjectProtocol)?

  init(_ untouched: [Article], of screen: NSManagedObjectContext) {
    let ids = Set(untouched.map(\.objectID))
    self.untouched = Dictionary(uniqueKeysWithValues: untouched.map { ($0.objectID, $0) })
    token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: screen, queue: nil
    ) { [again] change in
      let refreshed = change.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
      again.add(refreshed.count { ids.contains($0.objectID) })
    }
  }

  func look(at shown: [Article]) {
    again.add(
      shown.count { article in untouched[article.objectID].map { $0 !== article } ?? false })
  }

  func close() { token.map(NotificationCenter.default.removeObserver) }
}

/// A number that any thread may count up.
private final class Count: Sendable {
  private let lock = NSLock()
  /// Guarded by `lock`.
  nonisolated(unsafe) private var number = 0

  /// The number.
  var value: Int { lock.withLock { number } }

  /// Adds this many.
  func add(_ more: Int) { lock.withLock { number += more } }
}
