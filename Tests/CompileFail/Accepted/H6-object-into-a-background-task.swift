// H6: the block of the awaited performBackgroundTask is not @Sendable, so an object gets into it.
// Swift 6: accepted

import CoreData

func rename(_ author: NSManagedObject, in container: NSPersistentContainer) async {
  await container.performBackgroundTask { _ in author.setValue("new", forKey: "name") }
}
