import Faultline
import Foundation
import PlaygroundKit

/// Two contexts that change the same row, each so many times.
enum Crossing: Scenario {
  static let card = Card(
    97, "crossing", "Two contexts, one row", part: .conflicts, claim: "Orders take time.",
    question: "How many in a second?", why: "Each is a run.", given: "one row",
    guide: "none.md#97")
  static let saves = PlaygroundKit.Parameter("saves", 1, in: 1...1_000, "saves of each context")
  static let parameters = [saves]
  static let saved = Outcome("SAVED", .accepted, "every save was made")
  static let outcomes = [saved]
  static let sides: [PlaygroundKit.Side] = [.right("two contexts", cross)]

  @MainActor static let model: NSManagedObjectModel = {
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

  @MainActor static func given(_ world: World) async throws {
    let context = world.container.viewContext
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      .setValue(Int64(0), forKey: "number")
    try context.save()
  }

  @MainActor private static func cross(_ world: World) async throws {
    let contexts = (0..<2).map { _ in world.container.newBackgroundContext() }
    let saves = world[saves]
    async let first: Void = change(contexts[0], saves)
    async let second: Void = change(contexts[1], saves)
    _ = try await (first, second)
  }

  private static func change(_ context: NSManagedObjectContext, _ saves: Int) async throws {
    try await context.perform {
      context.mergePolicy = NSMergePolicy.overwrite
      for number in 1...saves {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        try context.fetch(request)[0].setValue(Int64(number), forKey: "number")
        try context.save()
      }
    }
  }

  static func observed(_ run: Observation) throws -> Outcome { saved }
}

/// How many orders of two contexts are run in a second, and how that goes down with their steps.
enum Exploring {
  private static let orders = 3_000

  /// Measures and prints the table.
  static func measure(runs: Int) throws {
    let explorer = Explorer(version: "benchmark")
    print(
      "\nrandom schedules, store in memory, one process on one processor; medians of \(runs) runs")
    print("\nsaves of each   steps   orders/s   µs an order   µs a step   MB at most")
    for saves in [1, 2, 4, 8, 16] {
      var options = Explorer.Options()
      options.strategy = .random
      options.ordersMax = orders
      options.parameters = ["saves": saves]
      var seconds: [Double] = []
      var steps = 0
      for _ in 0..<runs {
        let side = try explorer.explore(RunnableScenario(Crossing.self), options).sides[0]
        seconds.append(Double(side.nanoseconds) / 1e9)
        steps = side.stepsMax
      }
      let median = seconds.sorted()[seconds.count / 2]
      let micros = median * 1e6 / Double(orders)
      print(
        pad("\(saves)", 13), pad("\(steps)", 7), pad("\(Int(1e6 / micros))", 10),
        pad(String(format: "%.0f", micros), 13),
        pad(String(format: "%.1f", micros / Double(steps)), 11),
        pad(String(format: "%.0f", Measurement.peakMemoryOfChildren / 1e6), 12))
    }
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
