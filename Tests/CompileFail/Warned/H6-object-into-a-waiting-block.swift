// H6: nor should a block that performAndWait runs, since the 26 SDKs.
// Swift 6: warning: capture of 'article' with non-Sendable type 'NSManagedObject'
// Swift 5: accepted

import CoreData

func rename(_ article: NSManagedObject, in another: NSManagedObjectContext) {
  another.performAndWait { article.setValue("new", forKey: "title") }
}
