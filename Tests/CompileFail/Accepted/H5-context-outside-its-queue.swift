// H5, H14: a context is Sendable, so any task and any actor may call it; only the checker objects.
// Swift 6: accepted

import CoreData

func save(_ context: NSManagedObjectContext) {
  Task.detached { try context.save() }
}

actor Importer {
  let context: NSManagedObjectContext

  init(_ context: NSManagedObjectContext) { self.context = context }

  func insert() throws {
    _ = NSEntityDescription.insertNewObject(forEntityName: "Article", into: context)
    try context.save()
  }
}
