import CoreData
import PlaygroundKit

/// Writes eight lines; `Scenarios/07-perform-returns-first/Exercise/Lines.swift` notes their order.
@MainActor func yours(_ world: World) async throws {
  let (bg, log) = (world.container.newBackgroundContext(), Lines())
  for _ in 1...world["rounds"] { try await eightLines(log, bg, world.container.viewContext) }
  log.note(world)
}

/// The order is right, the blocks run in their own thread, and the main thread waits for them.
@MainActor func eightLines(
  _ log: Lines, _ bg: NSManagedObjectContext, _ screen: NSManagedObjectContext
) async throws {
  log.write("A", in: screen)
  write(["B", "C", "D"], log, bg)
  log.write("E", in: screen)
  write(["F"], log, bg)
  log.write("G", in: screen)
  write(["H"], log, bg)
}

/// Writes some lines in a block, and waits for it.
func write(_ lines: [String], _ log: Lines, _ bg: NSManagedObjectContext) {
  let done = DispatchSemaphore(value: 0)
  bg.perform {
    for line in lines { log.write(line, in: bg) }
    done.signal()
  }
  done.wait()
}
