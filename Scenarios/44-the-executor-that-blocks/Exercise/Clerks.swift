import CoreData
import PlaygroundKit

/// An actor that answers from a context without `perform`, and runs where its executor says.
actor ContextClerk {
  private let context: NSManagedObjectContext
  private let executor: any SerialExecutor
  private var log: [String] = []

  /// Where its jobs run.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes an actor that uses this context.
  init(_ context: NSManagedObjectContext, _ executor: any SerialExecutor) {
    (self.context, self.executor) = (context, executor)
  }

  /// The name of the first row that it looks after.
  func name() throws -> String {
    let request = NSFetchRequest<NSManagedObject>(
      entityName: context.name == "articles" ? "Article" : "Category")
    return try context.fetch(request).first?.value(forKey: "name") as? String ?? "nothing"
  }

  /// A line with a name of its own and one that another clerk gives.
  func line(asking other: ContextClerk) async throws -> String {
    let own = try name()
    return "\(own), with \(try await other.name())"
  }

  /// Starts two more jobs of this actor, and gives the order in which everything ran.
  func startTwoJobs() async -> String {
    log = ["begins"]
    let jobs = [Task { log.append("first") }, Task { log.append("second") }]
    log.append("ends")
    for job in jobs { await job.value }
    return log.joined(separator: ", ")
  }
}

/// Two clerks that ask each other.
enum Clerks {
  /// Lets each write a line and ask the other for a part of it, and notes their lines.
  @MainActor static func askEachOther(
    _ world: World, executor: (NSManagedObjectContext) -> any SerialExecutor
  ) async throws {
    let contexts = ["articles", "shelves"].map { name in
      let context = world.container.newBackgroundContext()
      context.name = name
      return context
    }
    let clerks = contexts.map { ContextClerk($0, executor($0)) }
    let (articles, shelves) = (clerks[0], clerks[1])
    world.observe("order in one actor", await articles.startTwoJobs())
    var lines: Set<String> = []
    for _ in 1...world["rounds"] {
      async let one = articles.line(asking: shelves)
      async let two = shelves.line(asking: articles)
      lines.insert("\(try await one); \(try await two)")
    }
    world.observe("lines", lines.sorted().joined(separator: " or "))
    // The runtime does not hold an executor. The thread of a job that has ended may still be in the
    // queue, so the contexts stay until it has left.
    for context in contexts { await context.perform {} }
  }
}
