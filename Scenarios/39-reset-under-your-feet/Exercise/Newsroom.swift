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
    let lines = try await bg.perform { try importing(items, batch, bg) }
    world.observe("the last lines", lines.joined(separator: "; "))
    let inFile = Set(
      try world.stored("SELECT ZNAME || ', revision ' || ZVIEWS FROM ZARTICLE").joined())
    world.observe(
      "names as the file has them", lines.count(where: inFile.contains), of: world["articles"])
  }
}
