// H6: an awaited block cannot take an object along, nor can a background task.
// Swift 6: error: capture of 'article' with non-Sendable type 'NSManagedObject'
// Swift 6: error: capture of 'author' with non-Sendable type 'NSManagedObject'
// Swift 5: warning: capture of 'article' with non-Sendable type 'NSManagedObject'
// Swift 5: warning: capture of 'author' with non-Sendable type 'NSManagedObject'

import CoreData

func rename(_ article: NSManagedObject, in context: NSManagedObjectContext) async {
  await context.perform { article.setValue("new", forKey: "title") }
}

func rename(_ author: NSManagedObject, in container: NSPersistentContainer) async {
  await container.performBackgroundTask { _ in author.setValue("new", forKey: "name") }
}
