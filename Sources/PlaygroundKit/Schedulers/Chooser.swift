/// Decides at each choice of a run who goes on.
public protocol Chooser: Sendable {
  /// The place of the party that goes on, among at least two parties that could.
  ///
  /// Parties are known by their numbers, 0 is the main loop. The first is the default; where
  /// `isSwitchPoint` says so it is the party that is running, and any other interrupts it.
  mutating func choose(_ options: [Int], isSwitchPoint: Bool) -> Int

  /// When the run is over, the first turn of a schedule that could not be taken: its choice had no
  /// such option, or never came.
  var misfit: Schedule.Turn? { get }
}

extension Chooser {
  /// Nothing: who follows no schedule cannot miss a turn of it.
  public var misfit: Schedule.Turn? { nil }
}

/// How one run is to choose, as it is told to the process that makes it.
public enum Plan: Sendable, Codable, Equatable {
  /// By a schedule, and the default way where it says nothing.
  case replay(Schedule)
  /// Each choice at random.
  case random(seed: UInt64)
  /// By priorities that change at `depth − 1` of the first `length` choices.
  case pct(seed: UInt64, depth: Int, length: Int)
  /// The main loop only when nobody else can, for stretches.
  case starveMain(seed: UInt64)

  /// The plan of one run of a sample, by its number from 0, with about so many choices in a run.
  public static func drawn(
    by strategy: Exploration.Strategy, seed: UInt64, number: UInt64, length: Int
  ) -> Plan {
    let seed = seed &+ number
    switch strategy {
    case .exhaustive, .random: return .random(seed: seed)
    case .pct: return .pct(seed: seed, depth: 3, length: length)
    case .starveMain: return .starveMain(seed: seed)
    case .portfolio:
      return switch number % 4 {
      case 0: .random(seed: seed)
      case 1: .starveMain(seed: seed)
      case let depth: .pct(seed: seed, depth: Int(depth), length: length)
      }
    }
  }

  /// Who chooses so, at the beginning of a run.
  public var chooser: any Chooser {
    switch self {
    case .replay(let schedule): ReplayChooser(schedule)
    case .random(let seed): RandomChooser(seed: seed)
    case .pct(let seed, let depth, let length):
      PCTChooser(seed: seed, depth: depth, length: length)
    case .starveMain(let seed): StarveMainChooser(seed: seed)
    }
  }
}

/// Takes the turns of a schedule, and everywhere else the default.
public struct ReplayChooser: Chooser {
  private let turns: [Schedule.Turn]
  private var next = 0
  private var choice = 0
  private var missing: Schedule.Turn?

  /// Begins a run of a schedule.
  public init(_ schedule: Schedule) { turns = schedule.turns }

  /// The first turn that could not be taken.
  public var misfit: Schedule.Turn? { missing ?? (next < turns.count ? turns[next] : nil) }

  /// The option of the turn at this choice, if there is one.
  public mutating func choose(_ options: [Int], isSwitchPoint: Bool) -> Int {
    defer { choice += 1 }
    guard next < turns.count, turns[next].choice == choice else { return 0 }
    let turn = turns[next]
    next += 1
    if options.indices.contains(turn.option) { return turn.option }
    missing = missing ?? turn
    return 0
  }
}

/// Draws lots at every choice, each option as likely as any other.
public struct RandomChooser: Chooser {
  private var generator: SeededGenerator

  /// Begins a run; the same seed chooses the same way.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Any of the options.
  public mutating func choose(_ options: [Int], isSwitchPoint: Bool) -> Int {
    Int.random(in: options.indices, using: &generator)
  }
}

/// Lets the party of the highest priority go on, and takes the priority away at a few choices.
///
/// Probabilistic concurrency testing (Burckhardt and others, 2010): an order that `depth` steps in
/// a certain order are enough for is found with a probability of at least 1/(n·kᵈ⁻¹) a run, for n
/// parties and k choices.
///
/// A party that waits in a loop for somebody of lower priority would starve it. So the choices
/// beyond `length` are made at random, as in FairPCT: with `length` half of the choices that a run
/// may have, a run that does not end is a random one from its half on.
public struct PCTChooser: Chooser {
  private var generator: SeededGenerator
  private let length: Int
  /// The choices at which somebody loses their priority, and the one they have from then on.
  private var changes: [Int: UInt64] = [:]
  /// By party; whoever appears draws one that is above those of all changes.
  private var priorities: [Int: UInt64] = [:]
  private var choice = 0

  /// Begins a run; the same seed chooses the same way.
  public init(seed: UInt64, depth: Int, length: Int) {
    generator = SeededGenerator(seed: seed)
    self.length = length
    for change in 1..<max(1, depth) where length > 0 {
      // Two changes at one choice are one.
      changes[Int.random(in: 0..<length, using: &generator)] = UInt64(change)
    }
  }

  /// The option of the highest priority.
  public mutating func choose(_ options: [Int], isSwitchPoint: Bool) -> Int {
    defer { choice += 1 }
    if choice >= length { return Int.random(in: options.indices, using: &generator) }
    for party in options where priorities[party] == nil {
      priorities[party] = UInt64.random(in: (1 << 32)...(.max), using: &generator)
    }
    if let lowered = changes[choice] { priorities[options[first(of: options)]] = lowered }
    return first(of: options)
  }

  private func first(of options: [Int]) -> Int {
    options.indices.max {
      priorities[options[$0], default: 0] < priorities[options[$1], default: 0]
    }
      ?? 0
  }
}

/// Lets the main loop go on only when nobody else can, for stretches; between them lots are drawn.
///
/// The stretches are limited, because a main loop that never turns again is no schedule that a
/// system would make: whoever waits for it would wait for ever. After each it has the first turn.
public struct StarveMainChooser: Chooser {
  /// The longest stretch, in choices.
  private static let stretchMax = 50

  private var generator: SeededGenerator
  private var isStarving = false
  private var left = 0

  /// Begins a run; the same seed chooses the same way.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Any of the options, without the main loop's while it is starved.
  public mutating func choose(_ options: [Int], isSwitchPoint: Bool) -> Int {
    if left == 0 {
      isStarving.toggle()
      left = Int.random(in: 1...Self.stretchMax, using: &generator)
      if !isStarving, let main = options.firstIndex(of: 0) { return main }
    }
    left -= 1
    let others = options.indices.filter { !isStarving || options[$0] != 0 }
    return others.randomElement(using: &generator) ?? 0
  }
}
