import CoreData
import Foundation
import PlaygroundKit

/// A scenario whose sides come out differently in different orders, and end in every way that a
/// controlled run can end.
public enum OrderProbe: Scenario {
  public static let card = Card(
    98, "order-probe", "Every way to be ordered", part: .queues, claim: "Every order is seen.",
    question: "In which order?", why: "Because each is run.", given: "nothing",
    guide: "none.md#98")

  public static let parameters = [points]
  public static let points = Parameter(
    "points", 3, in: 1...400, "switch points that each of two parties has")
  public static let outcomes = [finished, stuck]
  public static let finished = Outcome("FINISHED", .accepted, "the side came to its end")
  public static let stuck = Outcome("STUCK", .forbidden, "queues waited", when: .deadlock)

  public static let sides: [Side] = [
    .column("dependent", "two parties, all steps touch one thing") {
      await orders($0, isShared: true)
    },
    .column("independent", "two parties, no step touches what another does") {
      await orders($0, isShared: false)
    },
    .wrong("each waits for the other", name: "deadlock", deadlock),
    .wrong("traps when the second comes first", name: "trap") {
      try await trap($0, inEveryOrder: false)
    },
    .wrong("traps in one of two ways", name: "traps") { try await trap($0, inEveryOrder: true) },
    .wrong("goes on without an end", name: "endless", endless),
    .wrong("blocks where nothing schedules it", name: "blocked", blocked),
    .wrong("goes on by itself", name: "outside", outside),
    .wrong("is never resumed", name: "hang", hang),
    .wrong("kills itself in the middle", name: "kill") { $0.kill() },
    .wrong("uses another's context", name: "trespass", trespass),
    .wrong("goes on without an end from task to task", name: "tasks", tasks),
    .wrong("traps when interrupted", name: "interrupted", interrupted),
    .wrong("is refused while another has the writer", name: "refused", refused),
    .wrong("has another party every second time", name: "unrepeatable", unrepeatable),
    .wrong("counts rows after it has left a queue", name: "left", left),
    .wrong("has many parties", name: "crowd", crowd),
    .wrong("asks for the age of a row", name: "stale", stale),
    .wrong("traps wherever it uses another's context", name: "torn", torn),
    .wrong("ends its process after its answer", name: "last") {
      close(STDIN_FILENO)
      await orders($0, isShared: true)
    },
    .wrong("computes for ever", name: "spins") { _ in while true {} },
    .wrong("starts parties before its first point", name: "born", born),
    .wrong("returns before its blocks have run", name: "leaves", leaves),
    .wrong("leaves a block to dispatch's main queue", name: "forgotten", forgotten),
    .wrong("opens its store a second time", name: "again") {
      try await again($0, keepsHistory: false)
    },
    .wrong("opens its store again, with a history", name: "historian") {
      try await again($0, keepsHistory: true)
    },
    .wrong("goes through sets of objects", name: "sets", sets),
    .wrong("draws random numbers", name: "drawn", drawn),
    .wrong("draws random numbers in two parties", name: "lots", lots),
    .wrong("is waited for by main while it merges", name: "merges", merges),
  ]

  @MainActor public static var model: NSManagedObjectModel { Probe.model }

  public static func observed(_ run: Observation) throws -> Outcome {
    guard let order = run.text("order") else { return finished }
    return Outcome(order, .accepted, "the order in which the points came")
  }

  /// What the parties write down, each at its points.
  final class Record: Sendable {
    private let storage = Lock("")
    func add(_ letter: String) { storage.withLock { $0 += letter } }
    var text: String { storage.withLock { $0 } }
  }

  /// Two blocks of two contexts, each with so many points; the outcome is the order they came in.
  @MainActor static func orders(_ world: World, isShared: Bool) async {
    let record = Record()
    let count = world[points]
    let contexts = ["a", "b"].map { name in
      let context = world.container.newBackgroundContext()
      context.name = name
      return (name, context)
    }
    await withTaskGroup(of: Void.self) { group in
      for (name, context) in contexts {
        group.addTask {
          await context.perform {
            for _ in 0..<count {
              SwitchPoints.pass(touching: isShared ? "shared" : name)
              record.add(name)
            }
          }
        }
      }
    }
    world.observe("order", record.text)
  }

  @MainActor private static func deadlock(_ world: World) async throws {
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    async let first: Void = a.perform { b.performAndWait {} }
    async let second: Void = b.perform { a.performAndWait {} }
    _ = await (first, second)
  }

  @MainActor private static func trap(_ world: World, inEveryOrder: Bool) async throws {
    let record = Record()
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    async let first: Void = a.perform {
      SwitchPoints.pass(touching: "shared")
      record.add("a")
    }
    async let second: Void = b.perform {
      SwitchPoints.pass(touching: "shared")
      if record.text.isEmpty { fatalError("b came first") }
      if inEveryOrder { fatalError("a came first") }
    }
    _ = await (first, second)
  }

  @MainActor private static func endless(_ world: World) async throws {
    let context = world.container.newBackgroundContext()
    await context.perform { while true { context.reset() } }
  }

  @MainActor private static func blocked(_ world: World) async throws {
    await world.container.newBackgroundContext().perform { _ = poll(nil, 0, -1) }
  }

  @MainActor private static func outside(_ world: World) async throws {
    await withCheckedContinuation { continuation in
      onForeignThread { continuation.resume() }
    }
  }

  @MainActor private static func hang(_ world: World) async throws {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  @MainActor private static func trespass(_ world: World) async throws {
    let view = world.container.viewContext
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: view)
    note.setValue(Int64(1), forKey: "number")
    nonisolated(unsafe) let borrowed = note
    async let sum: Int64 = world.container.newBackgroundContext().perform {
      let first = borrowed.value(forKey: "number") as? Int64 ?? 0
      return first * 10 + (borrowed.value(forKey: "number") as? Int64 ?? 0)
    }
    SwitchPoints.pass(touching: "main")
    note.setValue(Int64(2), forKey: "number")
    world.observe("order", "read \(await sum)")
  }
}
