import CoreData
import Foundation
import PlaygroundKit

/// An app at its first launch.
enum App {
  /// What it does then: imports so many articles, and shows the first of them on a screen.
  typealias Launch =
    @MainActor (
      _ articles: Int, _ fits: Int, _ container: NSPersistentContainer,
      _ show: @MainActor ([Article]) throws -> Void
    ) async throws -> Void

  /// What fetches the articles of a screen, again when the user comes back to the list.
  typealias Reload =
    @MainActor (_ fits: Int, _ screen: NSManagedObjectContext) throws -> [Article]

  /// Launches it, notes what its first screen shows, and when, and reloads the list in the end.
  @MainActor static func start(_ world: World, reload: Reload, _ launch: Launch) async throws {
    let saves = SavesOnMain()
    var first: String?
    try await launch(world["rows"], world["fits"], world.container) { articles in
      guard first == nil else { return }
      let isInOrder = articles.enumerated().allSatisfy { $0.offset + 1 == Int($0.element.views) }
      let words = isInOrder ? "articles 1 to \(articles.count)" : "articles in another order"
      let isEarly = try world.storedRows(of: "Article") <= world["rows"] / 2
      first = "\(words), \(isEarly ? "before" : "after") half of the import"
    }
    _ = try reload(world["fits"], world.container.viewContext)
    world.observe("first screen", first ?? "none")
    world.observe("saves on the main thread", saves.number == 0 ? "none" : "\(saves.number)")
  }
}

/// Counts the saves that run on the main thread, of any context.
final class SavesOnMain {
  private let lock = NSLock()
  private var count = 0

  /// How many there were.
  var number: Int { lock.withLock { count } }

  /// Begins to count.
  init() {
    NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { [weak self] _ in if Thread.isMainThread { self?.add() } }
  }

  private func add() { lock.withLock { count += 1 } }
}

/// `lock` protects `count`.
extension SavesOnMain: @unchecked Sendable {}
