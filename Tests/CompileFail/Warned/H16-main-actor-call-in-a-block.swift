// H16: a call of main-actor code in a block is only warned of, as is the use of its state.
// Swift 6: warning: call to main actor-isolated instance method 'reload()'
// Swift 5: warning: call to main actor-isolated instance method 'reload()'

import CoreData

@MainActor final class List {
  func reload() {}
}

func show(_ list: List, _ context: NSManagedObjectContext) async {
  await context.perform { list.reload() }
}
