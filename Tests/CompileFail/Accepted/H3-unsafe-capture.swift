// H3: a variable marked unsafe carries an object anywhere, and nobody says so but the checker.
// Swift 6: accepted

import CoreData

func rename(_ article: NSManagedObject, in context: NSManagedObjectContext) {
  nonisolated(unsafe) let article = article
  context.perform { article.setValue("new", forKey: "title") }
}
