// H15: a class of objects that is bound to the main actor is of no use to a background context.
// Swift 6: warning: main actor-isolated property 'title' can not be mutated from a Sendable closure
// Swift 5: warning: main actor-isolated property 'title' can not be mutated from a Sendable closure

import CoreData

@MainActor final class Article: NSManagedObject {
  @Managed var title: String?
}

func insert(into context: NSManagedObjectContext) {
  context.perform { Article(context: context).title = "new" }
}
