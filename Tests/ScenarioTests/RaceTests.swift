import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// The races that the thread sanitizer sees in the sides, if the tests are built with it.
///
///     swift test --sanitize=thread --filter RaceTests
@Suite(
  .enabled(
    if: BuildFolder.isThreadSanitized, "run it as: swift test --sanitize=thread --filter RaceTests")
)
struct RaceTests {
  private static let metric = "data races seen"
  /// Small numbers: a race shows in a hundred rows, and the sanitizer slows every one of them.
  private static let parameters: [String: [String: Int]] = [
    "perform-and-wait-on-main": ["rows": 10_000], "reset-in-loops": ["rows": 3_000],
  ]

  @Test func theWrongSideOf01RacesOnTheScreensObjects() throws {
    var races = 0
    // The two threads must meet in one object; in ten runs they do.
    for seed in UInt64(1)...10 where races == 0 {
      let record = try ScenarioRun.of(ReadingSomeoneElsesObject.self, sides: ["wrong"], seed: seed)
      races += record.numbers("wrong", Self.metric).reduce(0, +)
    }
    #expect(races > 0)
  }

  @Test func noOtherSideRaces() throws {
    for scenario in Catalogue.all {
      let parameters = Self.parameters[scenario.card.slug] ?? [:]
      for side in scenario.sides where side.kind != .wrong {
        let record = try ScenarioRun.of(scenario, sides: [side.name], parameters)
        #expect(!(record.trials(side.name).isEmpty))
        let races = record.numbers(side.name, Self.metric)
        #expect(races == [], "\(scenario.card.slug) \(side.name)")
      }
    }
  }
}
