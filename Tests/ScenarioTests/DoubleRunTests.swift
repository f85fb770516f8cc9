import Foundation
import Scenarios
import Testing

@testable import PlaygroundKit

/// The same schedule is the same run, event by event, in whichever process it is made.
///
///     FAULTLINE_DOUBLE_RUNS=100000 swift test -c release -Xswiftc -enable-testing \
///       --filter DoubleRunTests
@Suite struct DoubleRunTests {
  @Test func theSameScheduleMakesTheSameEventsInAnotherProcess() throws {
    let count = ProcessInfo.processInfo.environment["FAULTLINE_DOUBLE_RUNS"].flatMap { Int($0) }
    let executable = try ScenarioRun.executable()
    // Scenarios whose runs are long show nothing more, and show it slowly.
    let scenarios = Catalogue.all.filter { ![8, 36, 37, 38].contains($0.card.number) }
    let sides = scenarios.flatMap { scenario in scenario.sides.map { (scenario, $0) } }
    let runs = max(1, (count ?? 150) / sides.count)
    for (number, (scenario, side)) in sides.enumerated() {
      let scenario = RunnableScenario(scenario, executable: executable)
      let parameters = try Explorer.parameters([:], of: scenario)
      let pair = try (0..<2).map { _ in
        try ControlledSide(
          scenario, side: side.description, parameters: parameters, in: Workspace())
      }
      for seed in 0..<UInt64(runs) {
        let seed = seed &+ UInt64(number) &* 1_000_000
        let first = try pair[0].run(.random(seed: seed))
        let schedule = Schedule(
          first.choices.indices.filter { first.choices[$0].chosen > 0 }.map {
            Schedule.Turn(choice: $0, option: first.choices[$0].chosen)
          })
        let second = try pair[1].run(.replay(schedule))
        let what = "\(scenario.card.name) \(side.name), seed \(seed)"
        #expect(first.eventsHash == second.eventsHash, "\(what)")
        #expect(first.outcome == second.outcome, "\(what)")
        #expect(first.choices == second.choices, "\(what)")
        #expect(!second.isMisfit, "\(what)")
        if first.eventsHash != second.eventsHash { return }
      }
    }
  }
}
