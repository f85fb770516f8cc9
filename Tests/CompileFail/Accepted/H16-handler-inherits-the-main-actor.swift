// H16: the handler of loadPersistentStores inherits the main actor, wherever it will be called.
// Swift 6: accepted

import CoreData

@MainActor final class Screen {
  var title = ""

  func load(_ container: NSPersistentContainer) {
    container.loadPersistentStores { _, _ in self.title = "loaded" }
  }
}
