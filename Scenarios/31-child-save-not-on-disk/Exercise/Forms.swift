import CoreData
import PlaygroundKit

/// Forms, each a context with some others between it and the store.
enum Forms {
  /// Fills a form, queues an autosave of it, saves it to the store, and kills the process; in some
  /// checks two forms that are refused are saved before the kill.
  @MainActor static func save(
    _ world: World, with saveToStore: @MainActor (NSManagedObjectContext) async throws -> Void
  ) async throws {
    let form = form(world)
    let rows = world["rows"]
    await form.perform {
      for number in 1...rows { Article(context: form).name = "Note \(number)" }
    }
    autosave(form)
    try await saveToStore(form)
    // Blocks of the first form that are still to run would multiply the schedules.
    if world["refused"] == 1, try world.storedRows(of: "Article") == rows {
      await saveRefused(world, with: saveToStore)
    }
    world.kill()
  }

  /// Saves a form with two keywords of one name, which the store refuses, and a form with an
  /// article that is not valid, which the form's own save refuses; notes whether each throws.
  @MainActor private static func saveRefused(
    _ world: World, with saveToStore: @MainActor (NSManagedObjectContext) async throws -> Void
  ) async {
    let (twins, invalid) = (form(world), form(world))
    await twins.perform {
      for _ in 1...2 { Keyword(context: twins).name = "twin" }
    }
    await invalid.perform { Article(context: invalid).setValue(nil, forKey: "views") }
    var seen: [String] = []
    for form in [twins, invalid] {
      do {
        try await saveToStore(form)
        seen.append("throws nothing")
      } catch {
        seen.append("throws")
      }
    }
    world.observe("a refused save", seen.joined(separator: ", "))
  }

  private static func autosave(_ form: NSManagedObjectContext) {
    form.perform { try? form.save() }
  }

  /// A form with its parent, and the parent of that, and so on: `world["levels"]` contexts in all.
  ///
  /// The first saves to the store. From it to the form, private queues and the main queue take
  /// turns.
  @MainActor private static func form(_ world: World) -> NSManagedObjectContext {
    let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    root.name = "level 1"
    root.persistentStoreCoordinator = world.container.persistentStoreCoordinator
    return (2...world["levels"]).reduce(root) { parent, level in
      let child = NSManagedObjectContext(
        concurrencyType: level % 2 == 0
          ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
      child.name = "level \(level)"
      child.parent = parent
      return child
    }
  }
}
