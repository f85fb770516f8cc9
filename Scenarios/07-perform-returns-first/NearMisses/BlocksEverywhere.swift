import CoreData
import PlaygroundKit

/// Writes eight lines; `Scenarios/07-perform-returns-first/Exercise/Lines.swift` notes their order.
@MainActor func yours(_ world: World) async throws {
  let (bg, log) = (world.container.newBackgroundContext(), Lines())
  for _ in 1...world["rounds"] { try await eightLines(log, bg, world.container.viewContext) }
  log.note(world)
}

/// The order is right, and the main thread runs the blocks of the background.
@MainActor func eightLines(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) async throws {
  log.write("A", in: screen)
  bg.performAndWait {
    log.write("B", in: bg)
    bg.performAndWait { log.write("C", in: bg) }
    log.write("D", in: bg)
  }
  log.write("E", in: screen)
  bg.performAndWait { log.write("F", in: bg) }
  log.write("G", in: screen)
  bg.performAndWait { log.write("H", in: bg) }
}
