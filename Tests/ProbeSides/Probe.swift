import CoreData
import Foundation
import PlaygroundKit

/// A scenario whose sides end in every way a process can end.
public enum Probe: Scenario {
  public static let card = Card(
    99, "probe", "Every way to end", part: .queues, claim: "Every ending is seen.",
    question: "How did it end?", why: "Because the side says so.", given: "{notes} notes",
    guide: "none.md#99", panels: [.mainLoop, .engine, .memory])

  public static let notes = Parameter("notes", 3, in: 1...100_000, "notes in the store")
  public static let right = Outcome("RIGHT", .accepted, "all notes are there")
  public static let wrong = Outcome("WRONG", .forbidden, "notes are missing")
  public static let stuck = Outcome("STUCK", .forbidden, "queues waited", when: .deadlock)

  public static let parameters = [notes]
  public static let outcomes = [right, wrong, stuck]
  // A report of a deadlock names lines, for which all debug information is read.
  public static let limit = Duration.seconds(5)
  public static let sides: [Side] = [
    .right("finishes", name: "finishes", finishes),
    .wrong("forgets", name: "forgets", forgets),
    .wrong("throws", name: "throws", fails),
    .wrong("traps", name: "traps", traps),
    .wrong("exits", name: "exits", exits),
    .wrong("kills itself", name: "kills", kills),
    .wrong("deadlocks", name: "deadlocks", deadlocks),
    .wrong("spins", name: "spins", spins),
    .wrong("stalls", name: "stalls", stalls),
    .wrong("allocates", name: "allocates", allocates),
    .wrong("breaks the queue rule", name: "breaks", checker: .record, breaks),
    .wrong("is stopped by the checker", name: "stopped", checker: .on, breaks),
    .right("prints", name: "prints", prints),
  ]

  @MainActor public static let model: NSManagedObjectModel = {
    let number = NSAttributeDescription()
    number.name = "number"
    number.attributeType = .integer64AttributeType
    let note = NSEntityDescription()
    note.name = "Note"
    note.managedObjectClassName = "NSManagedObject"
    note.properties = [number]
    let model = NSManagedObjectModel()
    model.entities = [note]
    return model
  }()

  @MainActor public static func given(_ world: World) async throws {
    try insert(1, in: world.container.viewContext)
  }

  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Note")
    run.observe("rows stored", stored, of: run[notes] + 1)
    return stored == run[notes] + 1 ? right : wrong
  }

  @MainActor static func finishes(_ world: World) async throws {
    world.mark("the line that matters")
    try insert(world[notes], in: world.container.viewContext)
    var generator = world.random
    world.observe("drawn", Int.random(in: 0..<1_000_000, using: &generator))
  }

  @MainActor static func forgets(_ world: World) async throws {
    _ = NSEntityDescription.insertNewObject(
      forEntityName: "Note", into: world.container.viewContext)
  }

  struct Refusal: Error {}

  @MainActor static func fails(_ world: World) async throws {
    world.observe("seen before", "yes")
    throw Refusal()
  }

  @MainActor static func traps(_ world: World) async throws {
    world.observe("seen before", "yes")
    fatalError("this side traps")
  }

  @MainActor static func exits(_ world: World) async throws { exit(3) }

  @MainActor static func kills(_ world: World) async throws {
    try insert(world[notes], in: world.container.viewContext)
    world.kill()
  }

  /// main takes A and wants B, a thread takes B and wants A; each begins to wait once both have
  /// one.
  @MainActor static func deadlocks(_ world: World) async throws {
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    let (hasA, hasB) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let other = Thread {
      b.performAndWait {
        hasB.signal()
        hasA.wait()
        a.performAndWait {}
      }
    }
    other.start()
    a.performAndWait {
      hasA.signal()
      hasB.wait()
      b.performAndWait {}
    }
  }

  @MainActor static func spins(_ world: World) async throws {
    var number = world[notes]
    while number != 0 { number = number &* 3 | 1 }
  }

  /// Keeps the main thread until thirty frames have gone by.
  @MainActor static func stalls(_ world: World) async throws {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .milliseconds(500) {}
    try insert(world[notes], in: world.container.viewContext)
  }

  /// Touches 200 MB and gives them back.
  @MainActor static func allocates(_ world: World) async throws {
    let size = 200_000_000
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
    memset(memory, 1, size)
    memory.deallocate()
  }

  @MainActor static func breaks(_ world: World) async throws {
    let note = NSEntityDescription.insertNewObject(
      forEntityName: "Note", into: world.container.viewContext)
    nonisolated(unsafe) let borrowed = note
    await world.container.newBackgroundContext().perform {
      _ = borrowed.value(forKey: "number")
    }
  }

  @MainActor static func prints(_ world: World) async throws {
    print("this must not reach the page")
    try insert(world[notes], in: world.container.viewContext)
  }

  @MainActor private static func insert(_ count: Int, in context: NSManagedObjectContext) throws {
    for number in 0..<count {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(Int64(number), forKey: "number")
    }
    try context.save()
  }
}
