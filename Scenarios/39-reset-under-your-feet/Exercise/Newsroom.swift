import CoreData
import PlaygroundKit

/// What a feed brings: an article, or a correction of one that it has brought before.
struct Item: Sendable {
  /// The article's name.
  let name: String
  /// Which version of it this is, from 1.
  let revision: Int64
}

/// A newsroom, which imports a feed and wants to know of the articles that came last.
enum Newsroom {
  /// Imports the feed in a context that keeps its objects until a reset, and notes the lines.
  @MainActor static func receive(
    _ world: World,
    importing: @escaping @Sendable ([Item], Int, NSManagedObjectContext) throws -> [String]
  ) async throws {
    let items = (0..<world["items"]).map { number in
      number % 6 == 5
        ? Item(name: "Item \(number - 3)", revision: 2)
        : Item(name: "Item \(number)", revision: 1)
    }
    let (bg, batch) = (world.container.newBackgroundContext(), world["batch"])
    bg.retainsRegisteredObjects = true
    let desk = correct(corrected(of: items), as: world.container.newBackgroundContext(), after: bg)
    let lines = try await bg.perform { try importing(items, batch, bg) }
    NotificationCenter.default.removeObserver(desk)
    world.observe("the last lines", lines.joined(separator: "; "))
    let inFile = Set(
      try world.stored("SELECT ZNAME || ', revision ' || ZVIEWS FROM ZARTICLE").joined())
    let wrong = lines.filter { !inFile.contains($0) }
    let blank = wrong.count { $0.hasPrefix("no name") }
    let counts = [(blank, "without values"), (wrong.count - blank, "not as the file has it")]
    let words = counts.compactMap { $0 > 0 ? "\($0) \($1)" : nil }.joined(separator: ", ")
    world.observe("the lines", words.isEmpty ? "as the file has them" : words)
    world.observe(
      "names as the file has them", lines.count - wrong.count, of: world["articles"])
  }

  /// One of the last ten items, which the feed itself does not correct.
  private static func corrected(of items: [Item]) -> String {
    let number = (items.count - 10..<items.count).first { $0 % 3 != 2 } ?? 0
    return "Item \(number)"
  }

  /// A desk corrects an article in a context of its own, as soon as a save has brought it.
  private static func correct(
    _ name: String, as desk: NSManagedObjectContext, after importing: NSManagedObjectContext
  ) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: importing, queue: nil
    ) { _ in
      desk.performAndWait {
        let request = Article.fetchRequest()
        request.predicate = NSPredicate(format: "name == %@ AND views < 3", name)
        if let article = try? desk.fetch(request).first {
          article.views = 3
          try? desk.save()
        }
        desk.reset()
      }
    }
  }
}
