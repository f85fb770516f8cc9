import CoreData
import PlaygroundKit

/// Reports on all categories, in a context in which a user is writing.
///
/// `Scenarios/40-one-fault-at-a-time/Exercise/Desk.swift` has the context.
@MainActor func yours(_ world: World) async throws {
  try await Desk.use(world) { try report(in: $0) }
}

/// Saves, so that the file has everything.
func report(in context: NSManagedObjectContext) throws -> [String] {
  try context.save()
  let request = NSFetchRequest<NSDictionary>(entityName: "Article")
  request.resultType = .dictionaryResultType
  request.propertiesToFetch = ["name", "views", "category.name"]
  request.sortDescriptors = [NSSortDescriptor(key: "views", ascending: true)]
  let rows = try context.fetch(request)
  let groups = Dictionary(grouping: rows) { $0["category.name"] as? String ?? "no name" }
  return groups.sorted { $0.key < $1.key }.map { name, rows in
    line(name, rows.count, rows.last?["name"] as? String)
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
