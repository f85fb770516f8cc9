// H6: nor should an awaited block, of which Swift 5 mode warns too, or that of a background task.
// Swift 6: warning: capture of 'article' with non-Sendable type 'NSManagedObject'
// Swift 6: warning: capture of 'author' with non-Sendable type 'NSManagedObject'
// Swift 5: warning: capture of 'article' with non-Sendable type 'NSManagedObject'

import CoreData

func rename(_ article: NSManagedObject, in context: NSManagedObjectContext) async {
  await context.perform { article.setValue("new", forKey: "title") }
}

func rename(_ author: NSManagedObject, in container: NSPersistentContainer) {
  container.performBackgroundTask { _ in author.setValue("new", forKey: "name") }
}
