// H3: an object cannot be handed to another actor.
// Swift 6: error: sending 'article' risks causing data races
// Swift 5: accepted

import CoreData

@MainActor func show(_ article: NSManagedObject) {}

func load(_ article: NSManagedObject) async { await show(article) }
