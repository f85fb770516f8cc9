import CoreData
import PlaygroundKit

/// Two feeds bring keywords at the same time, each into its own context.
///
/// The feeds overlap: the first brings the meanings of all keywords but the last, the second brings
/// synonyms for all keywords but the first.
///
/// `Scenarios/29-find-or-create-races/Exercise/Stored.swift` is what the file has before.
@MainActor func yours(_ world: World) async throws {
  try await storeOneBefore(world)
  let names = (1...world["names"]).map { "Name \($0)" }
  let first = world.container.newBackgroundContext()
  let second = world.container.newBackgroundContext()
  async let one: Void = importFeed(names.dropLast(), bringing: "meaning", into: first)
  async let two: Void = importFeed(names.dropFirst(), bringing: "synonym", into: second)
  _ = try await (one, two)
}

/// Finds or creates each keyword of a feed, sets the field that the feed brings, and saves.
func importFeed(
  _ names: ArraySlice<String>, bringing field: String, into context: NSManagedObjectContext
) async throws {
  try await context.perform {
    for keyword in try keywords(names, in: context) {
      keyword.setValue("\(field) of \(keyword.name ?? "")", forKey: field)
    }
    // TODO: The other feed may have saved one of these keywords meanwhile. Keyword has a uniqueness
    // constraint on its name, so this save is refused then, and the user sees an error.
    try context.save()
  }
}

/// The keywords of these names, from one fetch; those that the file lacks are made.
func keywords(
  _ names: ArraySlice<String>, in context: NSManagedObjectContext
) throws -> [Keyword] {
  let request = NSFetchRequest<Keyword>(entityName: "Keyword")
  request.predicate = NSPredicate(format: "name IN %@", Array(names))
  request.returnsObjectsAsFaults = false
  let found = try context.fetch(request)
  return names.map { name in
    if let keyword = found.first(where: { $0.name == name }) { return keyword }
    let keyword = Keyword(context: context)
    keyword.name = name
    return keyword
  }
}
