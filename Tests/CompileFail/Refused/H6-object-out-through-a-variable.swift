// H6: a block cannot leave an object behind in a variable of its caller.
// Swift 6: error: mutation of captured var 'article' in concurrently-executing code
// Swift 5: warning: mutation of captured var 'article' in concurrently-executing code

import CoreData

func first(in context: NSManagedObjectContext) async -> Bool {
  var article: NSManagedObject?
  await context.perform { article = context.registeredObjects.first }
  return article != nil
}
