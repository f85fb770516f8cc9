import CoreData

// anchor: store
/// A library whose isolation the compiler can see: its contexts stay inside.
public struct LibraryStore: Sendable {
  private let container: NSPersistentContainer

  /// A library on the store of this container.
  public init(_ container: NSPersistentContainer) { self.container = container }

  /// Does work for the screen, in the view context; objects that it returns stay on the main actor.
  @MainActor public func onScreen<Value>(
    _ work: (NSManagedObjectContext) throws -> Value
  ) rethrows -> Value {
    try work(container.viewContext)
  }

  /// Does work in the background, in a context for this block alone; values may leave it.
  public func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable (NSManagedObjectContext) throws -> Value
  ) async throws -> Value {
    let context = container.newBackgroundContext()
    return try await context.perform { try work(context) }
  }
}
// end: store
