import Foundation

/// The result of exploring one side. There are no other words for it; pages, reports and the guide
/// take them from here.
public enum Verdict: Sendable, Equatable {
  /// A schedule ended in an outcome that may not be (a counterexample); this is the smallest one.
  case refuted(outcome: String, isDeclared: Bool, by: Exploration.Found?)
  /// No schedule with at most this many switches does; those with more were not run.
  case proved(switchesMax: Int)
  /// No schedule does.
  case provedWhole
  /// No randomly sampled schedule did. With 95 % confidence, another one does with at most this
  /// chance.
  case sampled(chanceMax: Double)
  /// The budget ended first; of the schedules known so far this share was run, and none did.
  case incomplete(share: Double)

  /// Judges one side of an exploration.
  ///
  /// Bad is an outcome that is declared as forbidden, one that is not declared, and a run that
  /// hung, reached a limit or left our control, whatever a scenario says about it.
  public init(_ side: Exploration.SideFound, in exploration: Exploration) {
    let bad = side.outcomes.filter { $0.orders > 0 && exploration.isBad($0) }
    if let worst = bad.min(by: { Self.size($0.smallest) < Self.size($1.smallest) }) {
      self = .refuted(
        outcome: worst.name, isDeclared: worst.grade != nil, by: worst.smallest)
    } else if side.orders == 0 {
      self = .incomplete(share: 0)
    } else if exploration.strategy != .exhaustive {
      // The rule of three: (1 − p)ⁿ is 5 % for p near 3/n.
      self = .sampled(chanceMax: min(1, 3 / Double(side.orders)))
    } else if !side.isComplete {
      self = .incomplete(share: side.share)
    } else if let bound = exploration.bound, !side.isWhole {
      self = .proved(switchesMax: bound)
    } else {
      self = .provedWhole
    }
  }

  /// Endings that leave a run without an answer, whatever a scenario says about them.
  private static let neverPasses: [Ending.Kind] = [.hung, .uncontrolled, .limit]

  /// Whether a run may not end like this.
  static func isBad(_ grade: Grade?, _ ending: Ending.Kind?) -> Bool {
    grade == nil || grade == .forbidden || ending.map(neverPasses.contains) ?? false
  }

  private static func size(_ found: Exploration.Found?) -> (Int, Int) {
    found.map { ($0.switches, $0.steps) } ?? (.max, .max)
  }

  /// The verdict in words: `proved for ≤ 2 switches`.
  public var words: String {
    switch self {
    case .refuted: "refuted"
    case .proved(let bound): "proved for ≤ \(bound) \(bound == 1 ? "switch" : "switches")"
    case .provedWhole: "proved"
    case .sampled: "sampled"
    case .incomplete: "incomplete"
    }
  }
}

extension Exploration {
  /// Whether on each side all schedules have the same outcome. A search without a single switch
  /// says nothing about that.
  public var isIndifferentToOrder: Bool {
    strategy == .exhaustive && bound != 0
      && sides.allSatisfy { side in
        side.isComplete && side.outcomes.count { $0.orders > 0 } == 1
      }
  }

  /// The verdict on one of its sides, then what it rests on, in one sentence.
  public func sentence(about side: SideFound) -> String {
    let verdict = Verdict(side, in: self)
    let schedules = Self.counted(side.orders, "schedule", "schedules")
    switch verdict {
    case .refuted(let outcome, let isDeclared, let found):
      let name = isDeclared ? outcome : "\(outcome), which is not declared"
      guard let found else { return "\(verdict.words): a schedule ends as \(name)." }
      let kind =
        strategy == .exhaustive && side.isComplete ? "smallest schedule" : "smallest schedule seen"
      return "\(verdict.words): \(id(of: found, side)) is the \(kind) that ends as \(name):"
        + " \(Self.counted(found.switches, "switch", "switches")),"
        + " \(Self.counted(found.steps, "step", "steps"))."
    case .proved:
      return "\(verdict.words): no forbidden outcome in \(covered(side))."
        + doubt(about: side, or: ", or is the bound too small")
    case .provedWhole:
      return "\(verdict.words): no forbidden outcome in \(covered(side)), with any number of"
        + " switches." + doubt(about: side)
    case .sampled(let chance):
      return "\(verdict.words): 0 of \(schedules) (\(strategy.rawValue), seed \(seed)) had a"
        + " forbidden outcome; with 95 % confidence, the chance per run is below"
        + " \(Self.percent(above: chance))." + doubt(about: side, or: ", or are these too few")
    case .incomplete(let share):
      return "\(verdict.words): the budget ended after \(schedules),"
        + " \(Int(share * 100)) % of those known so far; none had a forbidden outcome."
    }
  }

  /// What is asked about a wrong side that shows nothing wrong.
  private func doubt(about side: SideFound, or other: String = "") -> String {
    guard side.kind == .wrong else { return "" }
    return " So this wrong side shows nothing wrong: is `observed` right\(other)?"
  }

  /// The exit code: whether every outcome was declared, no right side had a forbidden one, no limit
  /// was reached, and the exploration was complete.
  public var status: ExitStatus {
    ExitStatus.gravest(
      sides.flatMap { side in
        let outcomes = side.outcomes.filter { $0.orders > 0 }.map { outcome in
          ExitStatus(grade: outcome.grade, ending: ending(of: outcome), on: side.kind)
        }
        guard case .incomplete = Verdict(side, in: self) else { return outcomes }
        return outcomes + [.inconclusive]
      })
  }

  /// The id of a schedule of one of its sides.
  public func id(of found: Found, _ side: SideFound) -> ScheduleID {
    ScheduleID(side.subject, side: side.place, schedule: found.schedule)
  }

  /// Every schedule that its page names; those with long ids are kept on a shelf.
  public var ids: [ScheduleID] {
    sides.flatMap { side in side.outcomes.compactMap(\.smallest).map { id(of: $0, side) } }
  }

  /// Whether an outcome may not be.
  func isBad(_ outcome: OutcomeFound) -> Bool {
    Verdict.isBad(outcome.grade, ending(of: outcome))
  }

  /// The ending that an outcome stands for; nil for an outcome of runs that finished.
  private func ending(of outcome: OutcomeFound) -> Ending.Kind? {
    outcome.grade == nil
      ? Ending.Kind.allCases.first { $0.undeclaredName == outcome.name }
      : scenario.outcomes.first { $0.name == outcome.name }?.when
  }

  private func covered(_ side: SideFound) -> String {
    let schedules = Self.counted(side.orders, "schedule", "schedules")
    let covered = "\(Figures.grouped(side.orders)) of \(schedules)"
    guard side.ordersSkipped > 0 else { return covered }
    let skipped = Self.counted(side.ordersSkipped, "equal schedule", "equal schedules")
    return "\(covered) (\(skipped) skipped)"
  }

  /// A number with its noun in the singular or the plural.
  static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(Figures.grouped(count)) \(count == 1 ? one : many)"
  }

  /// A share in percent to two digits, rounded up: a bound must not be printed too small.
  private static func percent(above share: Double) -> String {
    let percent = share * 100
    var unit = 1.0
    var decimals = 0
    while percent < 9.95 * unit, decimals < 9 {
      unit /= 10
      decimals += 1
    }
    // A rounding error of the division is no reason to round up.
    let units = (percent / unit - 1e-6).rounded(.up)
    return String(format: "%.\(decimals)f %%", units * unit)
  }
}
