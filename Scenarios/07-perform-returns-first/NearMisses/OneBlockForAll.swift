import CoreData
import PlaygroundKit

/// Writes eight lines; `Scenarios/07-perform-returns-first/Exercise/Lines.swift` notes their order.
@MainActor func yours(_ world: World) async throws {
  let (bg, log) = (world.container.newBackgroundContext(), Lines())
  for _ in 1...world["rounds"] { try await eightLines(log, bg, world.container.viewContext) }
  log.note(world)
}

/// One block has an order, and three of its lines do not belong there.
@MainActor func eightLines(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) async throws {
  await bg.perform {
    for line in ["A", "B", "C", "D"] { log.write(line, in: line == "A" ? screen : bg) }
    for line in ["E", "F", "G", "H"] { log.write(line, in: "EG".contains(line) ? screen : bg) }
  }
}
