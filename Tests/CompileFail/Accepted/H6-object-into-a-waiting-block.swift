// H6: performAndWait takes any closure, so an object of one context passes into another's block.
// Swift 6: accepted

import CoreData

func rename(_ article: NSManagedObject, in another: NSManagedObjectContext) {
  another.performAndWait { article.setValue("new", forKey: "title") }
}
