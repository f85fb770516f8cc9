import CoreData
import PlaygroundKit

/// Writes eight lines; `Scenarios/07-perform-returns-first/Exercise/Lines.swift` notes their order.
@MainActor func yours(_ world: World) async throws {
  let (bg, log) = (world.container.newBackgroundContext(), Lines())
  for _ in 1...world["rounds"] { try await eightLines(log, bg, world.container.viewContext) }
  log.note(world)
}

/// A moment is usually enough, and promises nothing.
@MainActor func eightLines(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) async throws {
  log.write("A", in: screen)
  start(log, bg)
  try await Task.sleep(for: .milliseconds(100))
  log.write("E", in: screen)
  await bg.perform { log.write("F", in: bg) }
  log.write("G", in: screen)
  await bg.perform { log.write("H", in: bg) }
}

/// The lines B, C and D.
func start(_ log: Lines, _ bg: NSManagedObjectContext) {
  bg.perform {
    log.write("B", in: bg)
    log.write("C", in: bg)
    log.write("D", in: bg)
  }
}
