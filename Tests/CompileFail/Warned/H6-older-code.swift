// H6: code for SDKs before 26, whose performAndWait took any closure, compiles in Swift 5 mode.
// Swift 6: warning: mutation of captured var 'count' in concurrently-executing code
// Swift 6: warning: mutation of captured var 'failure' in concurrently-executing code
// Swift 6: warning: capture of 'articles' with non-Sendable type '[NSManagedObject]'
// Swift 5: accepted

import CoreData

func count(in context: NSManagedObjectContext) -> Int {
  var count = 0
  context.performAndWait { count = context.registeredObjects.count }
  return count
}

func save(_ context: NSManagedObjectContext) -> (any Error)? {
  var failure: (any Error)?
  context.performAndWait {
    do { try context.save() } catch { failure = error }
  }
  return failure
}

func delete(_ articles: [NSManagedObject], in context: NSManagedObjectContext) throws -> Bool {
  try context.performAndWait {
    for article in articles { context.delete(article) }
    try context.save()
    return context.hasChanges
  }
}

func block(of coordinator: NSPersistentStoreCoordinator) -> Int {
  var count = 0
  coordinator.performAndWait { count = coordinator.persistentStores.count }
  return count
}
