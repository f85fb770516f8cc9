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

/// Tries a second time, and then takes any error for a conflict and gives up in silence.
func importFeed(
  _ names: ArraySlice<String>, bringing field: String, into context: NSManagedObjectContext
) async throws {
  try await context.perform {
    for _ in 1...2 {
      for keyword in try keywords(names, in: context) {
        keyword.setValue("\(field) of \(keyword.name ?? "")", forKey: field)
      }
      if (try? context.save()) != nil { return }
      context.reset()
    }
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
