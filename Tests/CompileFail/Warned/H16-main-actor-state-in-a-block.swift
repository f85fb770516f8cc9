// H16: the blocks of a context are @Sendable, so they do not inherit the main actor.
// Swift 6: warning: main actor-isolated property 'title' can not be mutated from a Sendable closure
// Swift 5: warning: main actor-isolated property 'title' can not be mutated from a Sendable closure

import CoreData

@MainActor final class Screen {
  var title = ""

  func load(_ context: NSManagedObjectContext) {
    context.perform { self.title = "loaded" }
  }
}
