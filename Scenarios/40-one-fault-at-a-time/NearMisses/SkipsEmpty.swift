import CoreData
import PlaygroundKit

/// Reports on all categories, in a context in which a user is writing.
///
/// `Scenarios/40-one-fault-at-a-time/Exercise/Desk.swift` has the context.
@MainActor func yours(_ world: World) async throws {
  try await Desk.use(world) { try report(in: $0) }
}

/// A line for each category, by name: the number of its articles, and the one that was read most.
func report(in context: NSManagedObjectContext) throws -> [String] {
  let request = categories()
  request.relationshipKeyPathsForPrefetching = ["articles"]
  return try context.fetch(request).filter { !$0.articles.isEmpty }.map { category in
    let mostRead = category.articles.max { $0.views < $1.views }
    return line(category.name, category.articles.count, mostRead?.name)
  }
}

/// All categories, by name.
func categories() -> NSFetchRequest<Category> {
  let request = Category.fetchRequest()
  request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
  return request
}

/// One line of the report.
func line(_ category: String?, _ count: Int, _ mostRead: String?) -> String {
  "\(category ?? "no name"): \(count), most read \(mostRead ?? "none")"
}
