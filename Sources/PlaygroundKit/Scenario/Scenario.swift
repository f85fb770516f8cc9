import Foundation

#if os(macOS)
  public import CoreData
#else
  public import Faultline
#endif

/// One lesson: the same thing done wrong and done right, on the same data.
///
/// A scenario file is read from top to bottom as prose, always in this order:
///
/// 1. the **claim** as the doc comment of the type, with the two commands to type;
/// 2. the **card**: number, slug, title, part, question, why, where the guide tells it;
/// 3. the **parameters** a learner may change, each a `static let`;
/// 4. the **outcomes**, each a `static let` with its grade, fixed before anything runs;
/// 5. the **sides**, in the order of the columns;
/// 6. **given**: what the store holds before the clock starts, the same for every side;
/// 7. **wrong**, then **right**: pure Core Data, the kit appears only to mark the line that
///    matters;
/// 8. **observed**: what the run left behind, and the outcome that this means.
///
/// ```swift
/// /// The main thread waits for every row when it calls `performAndWait` on a background context.
/// ///
/// ///     faultline run 8
/// ///     faultline run 8 --set rows=50000
/// public enum PerformAndWaitOnMain: Scenario {
///   public static let card = Card(
///     8, "perform-and-wait-on-main", "performAndWait from the main thread", part: .blocking,
///     claim: "performAndWait makes its caller wait, on the main thread too.",
///     question: "Ten thousand rows are written on a background queue. Which thread waits?",
///     why: "The caller waits for the block. The work is as long on both sides.",
///     given: "{rows} inserts, one save", guide: "02-blocking.md#08",
///     sources: [Source("Threading and Concurrency", "performAndWait; pitfalls")],
///     panels: [.mainLoop, .engine, .memory])
///
///   static let rows = Parameter("rows", 10_000, in: 1...1_000_000, "rows inserted in one save")
///   static let stall = Outcome("STALL", .forbidden, "the main loop dropped more than one frame")
///   static let smooth = Outcome("SMOOTH", .accepted, "the main loop kept turning")
///
///   public static let parameters = [rows]
///   public static let outcomes = [stall, smooth]
///   public static let sides: [Side] = [
///     .wrong("bg.performAndWait on main", wrong),
///     .right("bg.perform, then back to main", right),
///   ]
///   @MainActor public static var model: NSManagedObjectModel { Library.model }
///
///   @MainActor static func wrong(_ world: World) async throws {
///     let bg = world.container.newBackgroundContext()
///     world.mark("main waits here until the last row is saved")
///     try bg.performAndWait { … world[rows] … try bg.save() }
///   }
///   …
///   public static func observed(_ run: Observation) throws -> Outcome {
///     run.framesDropped > 1 ? stall : smooth
///   }
/// }
/// ```
///
/// Each side of each repeat runs in a process of its own, on the real main thread, whose run loop
/// turns and is ticked at 60 Hz. A crash, a deadlock or a kill is therefore something a run shows,
/// not the end of the program.
public protocol Scenario: Sendable {
  /// What the catalogue, the page and the guide say about this scenario.
  static var card: Card { get }

  /// The numbers a learner may change with `--set`.
  static var parameters: [Parameter] { get }

  /// All possible outcomes of a run, graded before anything runs.
  static var outcomes: [Outcome] { get }

  /// The columns of the page, in order.
  static var sides: [Side] { get }

  /// The data model of the store that every side gets for itself.
  @MainActor static var model: NSManagedObjectModel { get }

  /// How many times each side runs by default; five.
  static var repeats: Int { get }

  /// How long one run of one side may take; thirty seconds.
  static var limit: Duration { get }

  /// Fills the store before the clock starts; the side then gets a new container on the same file.
  @MainActor static func given(_ world: World) async throws

  /// Names the outcome of one run, from its observations and from the store it left.
  ///
  /// It is called in the parent process, after the side's process has ended, so it reads the file
  /// as another process would. It is not called for a crash or a deadlock: those have the outcome
  /// declared with `when:`.
  static func observed(_ run: Observation) throws -> Outcome
}

extension Scenario {
  /// No parameters.
  public static var parameters: [Parameter] { [] }

  /// Five repeats, enough for a median and a spread.
  public static var repeats: Int { 5 }

  /// Thirty seconds for one run of one side.
  public static var limit: Duration { .seconds(30) }

  /// An empty store.
  @MainActor public static func given(_ world: World) async throws {}
}
