import CoreData
import PlaygroundKit

/// An app with a library on disk and drafts in memory; each store is added on a queue of its own.
enum App {
  /// Launches the app with both stores, and again with one of them on a disk that is not there.
  @MainActor static func launchTwice(
    _ world: World,
    open: @MainActor ([NSPersistentStoreDescription]) async throws -> NSPersistentContainer
  ) async throws {
    let (library, drafts) = (NSPersistentStoreDescription(), NSPersistentStoreDescription())
    library.url = world.storeURL
    drafts.type = NSInMemoryStoreType
    await launch("with both stores", [library, drafts], world, open: open)

    let unplugged = world["missing"] == 1 ? library : drafts
    unplugged.type = NSSQLiteStoreType
    unplugged.url = URL(fileURLWithPath: "/unplugged/Store.sqlite")
    await launch("with one missing", [library, drafts], world, open: open)
  }

  @MainActor private static func launch(
    _ launch: String, _ stores: [NSPersistentStoreDescription], _ world: World,
    open: @MainActor ([NSPersistentStoreDescription]) async throws -> NSPersistentContainer
  ) async {
    for store in stores { store.shouldAddStoreAsynchronously = true }
    var says = "nothing"
    do {
      let screen = try await open(stores).viewContext
      let listed = try await screen.perform(schedule: .enqueued) {
        try screen.count(for: Article.fetchRequest())
      }
      world.observe(launch, "lists \(listed)")
    } catch { says = error.localizedDescription }
    world.observe("the app says", says)
    world.observe("notes saved", 0)
  }
}
