import Foundation

#if os(macOS)
  import CoreData
#else
  import Faultline
#endif

/// The process of one side of one repeat, as seen from inside.
///
/// The runner starts the same executable again with a hidden first argument. `main` must be called
/// from a synchronous entry point: after the first suspension of an asynchronous one, Linux runs
/// the main actor on some other thread, and there would be no main loop to measure.
///
/// 1. read the task; end with the parent, whatever happens
/// 2. open the store, let the scenario fill it, open it again with nothing in memory
/// 3. start the main loop's tick and the sampler
/// 4. run the side
/// 5. wait for one more tick, so that a stall at the very end is seen; note everything; leave
public enum SideProcess {
  /// The hidden first argument.
  public static let argument = "__side"

  /// Runs a side and never returns if the arguments ask for one; otherwise returns at once.
  @MainActor public static func runIfAsked(
    _ arguments: [String] = CommandLine.arguments, catalogue: [any Scenario.Type]
  ) {
    runIfAsked(arguments, catalogue.map { ScenarioCode($0) })
  }

  /// The same for a program whose scenarios are not all types.
  @MainActor static func runIfAsked(_ arguments: [String], _ codes: [ScenarioCode]) {
    guard arguments.count == 3, arguments[1] == argument else { return }
    let folder = SideTask.Folder(url: URL(fileURLWithPath: arguments[2]))
    endWithParent()
    refuseCoreDumps()
    do {
      let task = try JSONDecoder().decode(
        SideTask.self, from: Data(contentsOf: URL(fileURLWithPath: folder.task)))
      let (scenario, side) = try codes.code(of: task.scenario, side: task.side)
      let journal = try Journal(writingTo: folder.journal)
      Task { @MainActor in
        let ending = await run(side, of: scenario, task: task, folder: folder, journal: journal)
        journal.write(.ended(ending))
        fflush(nil)
        // Not `exit`: other threads may still run.
        _exit(0)
      }
      while true { RunLoop.main.run() }
    } catch {
      StandardStreams.complain("\(error)\n")
      _exit(ExitStatus.ourBug.rawValue)
    }
  }

  @MainActor private static func run(
    _ side: Side, of scenario: ScenarioCode, task: SideTask, folder: SideTask.Folder,
    journal: Journal
  ) async -> Ending {
    let meter = MainLoopMeter()
    let sampler = Sampler(
      journal: journal, meter: meter, limit: .nanoseconds(task.limitNanoseconds))
    do {
      if !task.isFilled {
        try await scenario.given(open(scenario, task, folder, journal, sampler))
      }
      let world = try open(scenario, task, folder, journal, sampler)
      await meter.start()
      journal.write(.began)
      sampler.start()
      let start = ContinuousClock.now
      try await side.body(world)
      let took = ContinuousClock.now - start
      await meter.nextTick()
      sampler.finish()
      journal.write(.metric(Metric(Metric.total, took.nanoseconds, .nanoseconds)))
      return Ending(.finished)
    } catch {
      sampler.finish()
      return Ending(DiskSpace.isMissing(error) ? .diskFull : .threw, describe(error))
    }
  }

  @MainActor private static func open(
    _ scenario: ScenarioCode, _ task: SideTask, _ folder: SideTask.Folder, _ journal: Journal,
    _ sampler: Sampler
  ) throws -> World {
    let container = NSPersistentContainer(
      name: scenario.slug, managedObjectModel: scenario.model())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.store)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return World(
      container: container, store: StoreFile(folder.store), trial: task.trial,
      parameters: task.parameters,
      seed: task.seed, journal: journal,
      beforeKill: {
        fflush(nil)
        sampler.finish()
      })
  }

  /// The error's own sentence, with the code of those that are known by their code.
  static func describe(_ error: any Error) -> String {
    let known = error as NSError
    let hasCode = known.domain == NSCocoaErrorDomain || known.domain == NSPOSIXErrorDomain
    let words = hasCode ? known.localizedDescription : "\(error)"
    return words.prefix(290) + (hasCode ? " (\(known.code))" : "")
  }

  /// The parent holds the other end of standard input: when it is gone, so is its reader.
  private static func endWithParent() {
    let thread = Thread {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { _exit(0) }
      }
    }
    thread.name = "lifeline"
    thread.start()
  }

  /// A page shows that a side crashed; nothing reads a dump of its memory.
  static func refuseCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      setrlimit(RLIMIT_CORE, &none)
    #endif
  }
}
