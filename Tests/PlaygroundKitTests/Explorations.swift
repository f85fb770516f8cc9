import Foundation

@testable import PlaygroundKit

/// Explorations made by hand, so that tests of pages and verdicts run nothing.
enum Explorations {
  typealias SideFound = Exploration.SideFound
  typealias OutcomeFound = Exploration.OutcomeFound

  /// The executable that runs the sides of `OrderProbe`.
  static var probes: String {
    URL(fileURLWithPath: Runner.thisExecutable).deletingLastPathComponent()
      .appendingPathComponent("ProbeSides").path
  }

  static let outcomes = [
    Outcome("KEPT", .accepted, "every reader was counted, one after the other"),
    Outcome("REDONE", .interesting, "every reader was counted; who was refused has counted again"),
    Outcome("LOST", .forbidden, "every save succeeded, and some of what they added is not there"),
    Outcome("DEADLOCK", .forbidden, "each waits for the other", when: .deadlock),
    Outcome("NOT WAITED FOR", .accepted, "the steps were not enough", when: .limit),
  ]

  /// How often an outcome came, with turns of a smallest order that has it.
  static func found(
    _ name: String, _ orders: Int, switches: Int = 0, steps: Int = 11,
    _ turns: (choice: Int, option: Int)...
  ) -> OutcomeFound {
    let declared = outcomes.first { $0.name == name }
    return OutcomeFound(
      name: name, grade: declared?.grade, meaning: declared?.meaning ?? "SIGSEGV: main.swift:7",
      orders: orders,
      smallest: orders == 0
        ? nil
        : Exploration.Found(
          schedule: Schedule(turns.map { Schedule.Turn(choice: $0.choice, option: $0.option) }),
          switches: switches, steps: steps))
  }

  static func side(
    _ name: String, _ kind: Side.Kind, place: Int = 0, _ outcomes: [OutcomeFound],
    isComplete: Bool = true, isWhole: Bool = false, share: Double = 1
  ) -> SideFound {
    SideFound(
      name: name, subject: .scenario(27), place: place, kind: kind, outcomes: outcomes,
      orders: outcomes.reduce(0) { $0 + $1.orders }, ordersSkipped: 1_204, isComplete: isComplete,
      isWhole: isWhole, share: share, stepsMax: 40, nanoseconds: 350_000_000)
  }

  static func exploration(
    _ sides: [SideFound], strategy: Exploration.Strategy = .exhaustive, bound: Int? = 2,
    settings: [String] = []
  ) -> Exploration {
    Exploration(
      tool: "0.1.0",
      scenario: ScenarioRecord(
        number: 27, slug: "the-lost-update", title: "The lost update that no built-in merge stops",
        part: .conflicts, claim: "A policy settles rows and not intentions.",
        question: "What is lost?", why: "Both read before either wrote.",
        given: "2 contexts, 1 row", guide: "05-conflicts.md#27", sources: [],
        panels: [], next: [], outcomes: outcomes),
      parameters: [], settings: settings, strategy: strategy, bound: bound, seed: 1, sides: sides,
      nanoseconds: 350_000_000 * sides.count)
  }

  /// Wrong and right, as of scenario 27.
  static var two: Exploration {
    exploration([
      side(
        "wrong", .wrong,
        [
          found("KEPT", 371), found("REDONE", 0), found("LOST", 388, switches: 1, (3, 1)),
          found("DEADLOCK", 0),
        ]),
      side(
        "right", .right, place: 1,
        [
          found("KEPT", 371), found("REDONE", 641, switches: 1, steps: 14, (3, 1)),
          found("LOST", 0), found("DEADLOCK", 0),
        ]),
    ])
  }

  /// Two wrong sides, one of which crashed as nobody declared.
  static var three: Exploration {
    var exploration = exploration([
      side(
        "wrong", .wrong,
        [found("KEPT", 12_345), found("LOST", 2_388, switches: 2, (3, 1), (9, 2))]),
      side(
        "main", .wrong, place: 1,
        [found("KEPT", 31), found("CRASHED", 1, switches: 1, steps: 4, (0, 1))],
        isComplete: false, share: 0.34),
      side("right", .right, place: 2, [found("KEPT", 71), found("LOST", 0)], isWhole: true),
    ])
    exploration.scenario.title = "Two queues that wait for each other, and a heading that goes on"
    return exploration
  }

  /// Five columns of a random sample, whose schedules have ids that are too long for a page.
  static var five: Exploration {
    exploration(
      ["error", "storeTrump", "objectTrump", "overwrite", "rollback"].enumerated().map {
        place, name in
        var kept = found("KEPT", 15_000, switches: 12, steps: 40)
        kept.smallest?.schedule = Schedule(
          (0..<30).map { Schedule.Turn(choice: 2 * $0 + place, option: 1 + $0 % 3) })
        return side(
          name, .column, place: place,
          [kept, found("REDONE", 5_000, switches: 1, (4, 1)), found("LOST", 0)])
      }, strategy: .pct, bound: nil)
  }

  static let all = [("two", two), ("three", three), ("five", five)]
}
