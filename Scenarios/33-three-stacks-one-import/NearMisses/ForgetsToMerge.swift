import CoreData
import PlaygroundKit

/// Three apps; `Scenarios/33-three-stacks-one-import/Exercise/Apps.swift` has them and `Stack`.
@MainActor func yours(_ world: World) async throws {
  try await Apps(world).use(reader: reader, form: form, drawing: drawing)
}

/// Imports articles, while its list fetches; the list is told of each.
@MainActor func reader(_ container: NSPersistentContainer) -> Stack {
  let (screen, bg) = (container.viewContext, container.newBackgroundContext())
  return Stack(screen: screen, work: bg, saves: [bg])
}

/// Edits beside unsaved notes of the screen, which it lists, and can be cancelled.
@MainActor func form(_ container: NSPersistentContainer) -> Stack {
  let screen = container.viewContext
  let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  child.parent = screen
  return Stack(screen: screen, work: child, saves: [child, screen])
}

/// Draws on the screen, and saves each drawing without a fetch meanwhile.
@MainActor func drawing(_ container: NSPersistentContainer) -> Stack {
  let writer = container.newBackgroundContext()
  let screen = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  screen.parent = writer
  return Stack(screen: screen, work: screen, saves: [screen, writer])
}
