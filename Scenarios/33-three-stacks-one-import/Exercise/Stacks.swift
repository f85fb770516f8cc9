import CoreData
import PlaygroundKit

/// Three apps; `Scenarios/33-three-stacks-one-import/Exercise/Apps.swift` has them and `Stack`.
@MainActor func yours(_ world: World) async throws {
  try await Apps(world).use(reader: reader, form: form, drawing: drawing)
}

/// Imports articles, while its list fetches; the list is told of each.
@MainActor func reader(_ container: NSPersistentContainer) -> Stack {
  // TODO: The main thread writes every article, and draws nothing meanwhile.
  let screen = container.viewContext
  return Stack(screen: screen, work: screen, saves: [screen])
}

/// Edits beside unsaved notes of the screen, which it lists, and can be cancelled.
@MainActor func form(_ container: NSPersistentContainer) -> Stack {
  // TODO: What a cancelled form has edited stays unsaved here, and the next save writes it.
  let screen = container.viewContext
  return Stack(screen: screen, work: screen, saves: [screen])
}

/// Draws on the screen, and saves each drawing without a fetch meanwhile.
@MainActor func drawing(_ container: NSPersistentContainer) -> Stack {
  // TODO: The main thread writes every stroke, and draws nothing meanwhile.
  let screen = container.viewContext
  return Stack(screen: screen, work: screen, saves: [screen])
}
