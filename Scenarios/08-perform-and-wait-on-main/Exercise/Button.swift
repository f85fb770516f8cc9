import CoreData
import Foundation
import PlaygroundKit

/// A button that writes articles.
enum Button {
  /// What the button does: writes so many articles, and returns how many the file has then.
  typealias Action =
    @MainActor (_ count: Int, _ container: NSPersistentContainer) async throws -> Int

  /// Presses the button, and notes the number that it shows and what the file has at this moment.
  ///
  /// The file may have articles already, from earlier presses.
  @MainActor static func press(_ world: World, _ action: Action) async throws {
    let before = world.container.newBackgroundContext()
    let earlier = world["earlier"]
    try await before.perform {
      for _ in 0..<earlier { Article(context: before).name = "Earlier" }
      try before.save()
    }
    // Only main counts.
    nonisolated(unsafe) var savesOnMain = 0
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { _ in if Thread.isMainThread { savesOnMain += 1 } }
    defer { NotificationCenter.default.removeObserver(token) }
    let shown = try await action(world["rows"], world.container)
    world.observe("saves on the main thread", savesOnMain == 0 ? "none" : "\(savesOnMain)")
    world.observe("shown", "\(shown), with \(try world.storedRows(of: "Article")) in the file")
  }
}
