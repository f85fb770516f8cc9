import CoreData
import PlaygroundKit

/// Writes eight lines; `Scenarios/07-perform-returns-first/Exercise/Lines.swift` notes their order.
@MainActor func yours(_ world: World) async throws {
  let (bg, log) = (world.container.newBackgroundContext(), Lines())
  for _ in 1...world["rounds"] { try await eightLines(log, bg, world.container.viewContext) }
  log.note(world)
}

/// The block inside the block is enqueued behind it, and an await of the outer one does not wait.
@MainActor func eightLines(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) async throws {
  log.write("A", in: screen)
  await bg.perform {
    log.write("B", in: bg)
    bg.perform { log.write("C", in: bg) }
    log.write("D", in: bg)
  }
  log.write("E", in: screen)
  await bg.perform { log.write("F", in: bg) }
  log.write("G", in: screen)
  await bg.perform { log.write("H", in: bg) }
}
