// H6: a block of a context should not take an object along; in Swift 6 mode the compiler warns.
// Swift 6: warning: capture of 'article' with non-Sendable type 'NSManagedObject'
// Swift 5: accepted

import CoreData

func rename(_ article: NSManagedObject, in context: NSManagedObjectContext) {
  context.perform { article.setValue("new", forKey: "title") }
}
