import Foundation

#if os(macOS)
  public import CoreData
#else
  public import Faultline
#endif

/// The main file of a check calls this, to give the learner's function a store and a main loop.
///
/// The process reports through a file and an exit code; the parent decides whether to believe them.
public enum ExerciseHarness {
  /// What the child reports.
  struct Report: Codable {
    /// Repeats the parent's number for this run.
    var nonce: String
    var framesDropped: Int
    var frames: Int
    /// What the learner's function returned.
    var returned: Int?
    /// What it threw.
    var error: String?
  }

  /// What the child is told, in its environment.
  struct Order: Codable {
    static let variable = "FAULTLINE_EXERCISE"

    /// The number to repeat, the paths of the store and of the report, and the number of rows.
    var nonce: String
    var store: String
    var report: String
    var size: Int
    /// The entity whose rows are counted, and how many rows of it the store has before the run: a
    /// function that returns its argument does not return the number of rows.
    var entity: String?
    var rowsBefore: Int
    /// After this many seconds the child ends by itself, even if its parent is gone.
    var secondsMax: UInt32
  }

  /// Runs the learner's function on the main thread, whose loop turns and is ticked at 60 Hz, and
  /// ends the process.
  public static func run(
    _ body: @escaping @MainActor @Sendable (Int, NSPersistentContainer) async throws -> Int,
    model: @escaping @MainActor @Sendable () -> NSManagedObjectModel
  ) -> Never {
    guard let text = ProcessInfo.processInfo.environment[Order.variable],
      let order = try? JSONDecoder().decode(Order.self, from: Data(text.utf8))
    else {
      StandardStreams.complain("Run this with `faultline check`.\n")
      exit(ExitStatus.usage.rawValue)
    }
    alarm(order.secondsMax)
    Task { @MainActor in
      let report = await perform(order, model(), body)
      let data = try? JSONEncoder().encode(report)
      try? data?.write(to: URL(fileURLWithPath: order.report), options: .atomic)
      exit(data == nil ? ExitStatus.ourBug.rawValue : 0)
    }
    RunLoop.main.run()
    fatalError("the main loop ended")
  }

  @MainActor
  private static func perform(
    _ order: Order, _ model: NSManagedObjectModel,
    _ body: @MainActor @Sendable (Int, NSPersistentContainer) async throws -> Int
  ) async -> Report {
    var report = Report(nonce: order.nonce, framesDropped: 0, frames: 0)
    let meter = MainLoopMeter()
    do {
      let container = try open(order, model)
      await meter.start()
      report.returned = try await body(order.size, container)
    } catch {
      report.error = "\(error)"
    }
    await meter.nextTick()
    let reading = meter.reading()
    report.framesDropped = reading?.dropped ?? 0
    report.frames = reading?.frames ?? 0
    return report
  }

  @MainActor
  private static func open(
    _ order: Order, _ model: NSManagedObjectModel
  ) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Exercise", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: order.store))
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let context = container.viewContext
    if let entity = order.entity {
      for _ in 0..<order.rowsBefore {
        _ = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      }
      try context.save()
      context.reset()
    }
    return container
  }
}
