import CoreData
import PlaygroundKit

/// Writes eight lines; `Scenarios/07-perform-returns-first/Exercise/Lines.swift` notes their order.
@MainActor func yours(_ world: World) async throws {
  let (bg, log) = (world.container.newBackgroundContext(), Lines())
  for _ in 1...world["rounds"] { try await eightLines(log, bg, world.container.viewContext) }
  log.note(world)
}

/// Writes A, E and G in the queue of the screen, and the other lines in that of the background.
@MainActor func eightLines(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) async throws {
  firstSeven(log, bg, screen)
  await bg.perform { log.write("H", in: bg) }
}

/// The first seven of them.
///
/// This function is not `async`, so the compiler accepts `perform` without `await` in it.
@MainActor func firstSeven(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) {
  log.write("A", in: screen)
  // TODO: This call returns before its block has run.
  bg.perform {
    log.write("B", in: bg)
    // TODO: This one too, although it is made inside a block of the same context.
    bg.perform { log.write("C", in: bg) }
    log.write("D", in: bg)
  }
  log.write("E", in: screen)
  // TODO: This call waits, and the main thread stands still meanwhile.
  bg.performAndWait { log.write("F", in: bg) }
  log.write("G", in: screen)
}
