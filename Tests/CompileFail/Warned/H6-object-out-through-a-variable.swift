// H6: a block should not leave an object behind in a variable of its caller.
// Swift 6: warning: mutation of captured var 'article' in concurrently-executing code
// Swift 5: warning: capture of 'article' with non-Sendable type 'NSManagedObject?'

import CoreData

func first(in context: NSManagedObjectContext) async -> Bool {
  var article: NSManagedObject?
  await context.perform { article = context.registeredObjects.first }
  return article != nil
}
