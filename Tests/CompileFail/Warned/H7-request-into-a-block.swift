// H7: a fetch request is made inside the block that executes it.
// Swift 6: warning: capture of 'request' with non-Sendable type 'NSFetchRequest<NSManagedObject>'
// Swift 5: warning: capture of 'request' with non-Sendable type 'NSFetchRequest<NSManagedObject>'

import CoreData

func count(_ context: NSManagedObjectContext) async throws -> Int {
  let request = NSFetchRequest<NSManagedObject>(entityName: "Article")
  return try await context.perform { try context.count(for: request) }
}
