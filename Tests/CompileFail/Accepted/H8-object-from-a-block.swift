// H8: an object may be returned from a block, and be used where it must not be.
// Swift 6: accepted

import CoreData

@MainActor func title(in context: NSManagedObjectContext) async throws -> String? {
  let found = try await context.perform {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Article"))
  }
  return found.first?.value(forKey: "title") as? String
}
