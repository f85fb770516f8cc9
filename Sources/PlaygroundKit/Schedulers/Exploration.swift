/// What exploring a scenario found: for each side, which outcomes, how often, and by which order.
public struct Exploration: Sendable, Codable, Equatable {
  /// How one side was explored.
  public struct SideFound: Sendable, Codable, Equatable {
    /// The side's name, `wrong`.
    public var name: String
    /// Whose orders its ids name, and its place there.
    public var subject: ScheduleID.Subject
    /// Its place among the sides of that subject.
    public var place: Int
    /// Its kind.
    public var kind: Side.Kind
    /// What came of its runs, in the order of the declared outcomes, others after them.
    public var outcomes: [OutcomeFound]
    /// How many orders were run.
    public var orders: Int
    /// How many were left out because they equal one that was run.
    public var ordersSkipped: Int
    /// Whether every order within the bound was run or is equal to one that was.
    public var isComplete: Bool
    /// Whether no order needs more switches than the bound: what is proved then holds without one.
    public var isWhole = false
    /// The share of the known work that was done when the budget ended, from 0 to 1.
    public var share: Double
    /// The most steps a run had.
    public var stepsMax: Int
    /// Wall time in nanoseconds.
    public var nanoseconds: Int
  }

  /// One outcome of one side.
  public struct OutcomeFound: Sendable, Codable, Equatable {
    /// Its name.
    public var name: String
    /// Its grade; nil if nobody declared it.
    public var grade: Grade?
    /// What it means, as declared.
    public var meaning: String
    /// How many of the orders had it.
    public var orders: Int
    /// The smallest order that has it: fewest switches, then fewest steps; nil if none has.
    public var smallest: Found?
  }

  /// An order with its size.
  public struct Found: Sendable, Codable, Equatable {
    /// The order.
    public var schedule: Schedule
    /// How often somebody is interrupted in it.
    public var switches: Int
    /// How many steps it has.
    public var steps: Int
  }

  /// How orders are chosen.
  public enum Strategy: String, Sendable, Codable, CaseIterable {
    /// All of them, those with the fewest switches first.
    case exhaustive = "dfs"
    /// Each choice at random.
    case random
    /// By priorities that change at a few random steps.
    case pct
    /// The main loop runs only when nobody else can, for random stretches.
    case starveMain = "starve-main"
    /// By lot, by priorities of two depths and with a starved main loop, in turn.
    case portfolio
  }

  /// The version of the tool.
  public var tool: String
  /// The scenario.
  public var scenario: ScenarioRecord
  /// The values of the parameters.
  public var parameters: [ParameterRecord]
  /// The values that are not those for exploring, as `name=value`: who replays an order says them
  /// again.
  public var settings: [String]
  /// How orders were chosen.
  public var strategy: Strategy
  /// The most switches that were allowed; nil if there was no bound.
  public var bound: Int?
  /// The seed of the first run, if schedules were sampled randomly.
  public var seed: UInt64
  /// What was found, side by side.
  public var sides: [SideFound]
  /// Wall time in nanoseconds; less than that of all sides together if they ran at the same time.
  public var nanoseconds: Int
}
