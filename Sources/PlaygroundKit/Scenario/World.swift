import Foundation

#if os(macOS)
  public import CoreData
#else
  public import Faultline
#endif

/// What one run of one side works with: a store of its own, the parameters, and a place for notes.
///
/// Everything noted is written to a file at once, so that it outlives a crash or a kill.
/// May be used from any queue; the container and the notes are safe to share, the rest never
/// changes.
public final class World: Sendable {
  /// A container on this side's own store file, loaded, with nothing in memory.
  public let container: NSPersistentContainer
  /// The store file.
  public var storeURL: URL { store.url }
  /// Which repeat this is, from 1.
  public let trial: Int

  /// The store, read by a second connection.
  private let store: StoreFile
  /// The values of the parameters by their names.
  let parameters: [String: Int]
  /// The seed of the first repeat.
  let seed: UInt64
  /// The file that holds all notes.
  let journal: Journal
  /// The lines already marked; a loop marks the same line again and again.
  private let marked = Lock<Set<String>>([])
  private let beforeKill: @Sendable () -> Void

  init(
    container: NSPersistentContainer, store: StoreFile, trial: Int, parameters: [String: Int],
    seed: UInt64, journal: Journal, beforeKill: @escaping @Sendable () -> Void
  ) {
    self.container = container
    self.store = store
    self.trial = trial
    self.parameters = parameters
    self.seed = seed
    self.journal = journal
    self.beforeKill = beforeKill
  }

  /// The value of a parameter in this run.
  public subscript(_ parameter: Parameter) -> Int {
    parameters[parameter.name, default: parameter.standard]
  }

  /// The value of the parameter of a name; a name that no parameter has stops the program.
  public subscript(name: String) -> Int { parameters.value(named: name) }

  /// Random numbers, the same for the same seed and the same repeat.
  public var random: SeededGenerator { SeededGenerator(seed: seed &+ UInt64(trial)) }

  /// Marks the next line of the scenario as the cause, and says in a few words what it does.
  public func mark(_ why: String, file: String = #filePath, line: Int = #line) {
    guard marked.withLock({ $0.insert("\(file):\(line)").inserted }) else { return }
    journal.write(.mark(Mark(pointingAt: line + 1, of: file, why: why)))
  }

  /// Notes a number, beside what was expected if that is known.
  public func observe(
    _ name: String, _ value: Int, of total: Int? = nil, _ unit: Metric.Unit = .count,
    good: Bool? = nil, section: String? = nil
  ) {
    journal.write(.metric(Metric(name, value, of: total, unit, good: good, section: section)))
  }

  /// Notes an observation, in words.
  public func observe(_ name: String, _ text: String, good: Bool? = nil, section: String? = nil) {
    journal.write(.metric(Metric(name, text, good: good, section: section)))
  }

  /// Adds a point to a curve, drawn on the page as a spark line.
  public func sample(_ series: String, _ value: Double) {
    journal.write(.sample(series: series, value: value))
  }

  /// How many rows of an entity the file holds, counted through a second connection.
  public func storedRows(of entity: String) throws -> Int {
    Scheduling.reach(.fetch, entity)
    Scheduling.touch(.rows(of: entity))
    return try store.rows(of: entity)
  }

  /// The rows a query returns from the file, read through a second connection: columns as text.
  public func stored(_ sql: String) throws -> [[String]] {
    Scheduling.reach(.fetch)
    Scheduling.touch(.allRows)
    return try store.query(sql)
  }

  /// Ends this process at once, with `kill -9`: no store is flushed or closed.
  ///
  /// What the process has handed to the operating system survives; a loss of power may take more.
  public func kill() -> Never {
    beforeKill()
    journal.write(.killsItself)
    Foundation.kill(getpid(), SIGKILL)
    while true { pause() }
  }
}

/// Random numbers that depend only on their seed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts a sequence.
  public init(seed: UInt64) { state = seed }

  /// The next number of the sequence (SplitMix64).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
