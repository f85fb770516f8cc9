import CoreData
import Foundation
import PlaygroundKit

/// An actor that answers from a context, and asks another one.
public protocol Clerk: Actor {
  /// What its jobs have written, in the order in which they ran.
  var log: [String] { get set }

  /// The name of the first row that it looks after.
  func name() async throws -> String
}

extension Clerk {
  /// A line with a name of its own and one that another clerk gives.
  public func line(asking other: Self) async throws -> String {
    let own = try await name()
    return "\(own), with \(try await other.name())"
  }

  /// Starts two more jobs of this actor, and gives the order in which everything ran, and whether
  /// that was on the main thread.
  public func startTwoJobs() async -> (order: String, isOnMain: Bool) {
    log = ["begins"]
    let isOnMain = Thread.isMainThread
    let jobs = [Task { log.append("first") }, Task { log.append("second") }]
    log.append("ends")
    for job in jobs { await job.value }
    return (log.joined(separator: ", "), isOnMain)
  }
}

extension NSManagedObjectContext {
  /// The name of its first article, or of its first category if that is what it is named after.
  public func firstName() throws -> String {
    let request = NSFetchRequest<NSManagedObject>(
      entityName: name == "articles" ? "Article" : "Category")
    return try fetch(request).first?.value(forKey: "name") as? String ?? "nothing"
  }
}

extension World {
  /// Lets a clerk for articles and a clerk for shelves ask each other, and notes their lines.
  @MainActor public func letClerksAskEachOther<One: Clerk>(
    rounds: Int, clerk: (NSManagedObjectContext) -> One
  ) async throws {
    let contexts = ["articles", "shelves"].map { name in
      let context = container.newBackgroundContext()
      context.name = name
      return context
    }
    let (articles, shelves) = (clerk(contexts[0]), clerk(contexts[1]))
    let jobs = await articles.startTwoJobs()
    observe("order in one actor", jobs.order)
    observe("a job that main awaits", "runs on \(jobs.isOnMain ? "main" : "another thread")")
    var lines: Set<String> = []
    for _ in 1...rounds {
      async let one = articles.line(asking: shelves)
      async let two = shelves.line(asking: articles)
      lines.insert("\(try await one); \(try await two)")
    }
    observe("lines", lines.sorted().joined(separator: " or "))
    // The runtime does not hold an executor. The thread of a job that has ended may still be in the
    // queue, so the contexts stay until it has left.
    for context in contexts { await context.perform {} }
  }
}
