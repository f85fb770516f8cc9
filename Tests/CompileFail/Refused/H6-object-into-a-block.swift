// H6: a block of a context cannot take an object along.
// Swift 6: error: capture of 'article' with non-Sendable type 'NSManagedObject'
// Swift 5: warning: capture of 'article' with non-Sendable type 'NSManagedObject'

import CoreData

func rename(_ article: NSManagedObject, in context: NSManagedObjectContext) {
  context.perform { article.setValue("new", forKey: "title") }
}
