// H6, H8: performAndWait may return an object, which its caller must not use.
// Swift 6: accepted

import CoreData

func title(in context: NSManagedObjectContext) -> String? {
  let article = context.performAndWait { context.registeredObjects.first }
  return article?.value(forKey: "title") as? String
}
