// H8: an object that came back from a block and is kept cannot be handed on to another actor.
// Swift 6: error: sending 'self.article' risks causing data races
// Swift 5: accepted

import CoreData

@MainActor func show(_ article: NSManagedObject?) {}

actor Reader {
  var article: NSManagedObject?

  func read(_ context: NSManagedObjectContext) async {
    article = await context.perform { context.registeredObjects.first }
    await show(article)
  }
}
