import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline explore 27`: every order, within a bound.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore", abstract: "Run a scenario in every order that a bound allows.")

  /// The scenario, by number or name.
  @Argument(help: "The scenario, by its number or name.")
  var scenario: String

  /// The most switches of an order.
  @Option(help: "The most switches of an order.")
  var bound: Int = 2

  func run() throws {
    let found = try ScenarioID.scenarios([scenario], in: Catalogue.all)
    var options = Explorer.Options()
    options.bound = bound
    let exploration = try Explorer(version: FaultlineCommand.version).explore(found[0], options)
    for side in exploration.sides {
      print(
        side.name, side.orders, "orders", side.ordersSkipped, "skipped", side.isComplete,
        "steps", side.stepsMax, side.nanoseconds / 1_000_000, "ms")
      for outcome in side.outcomes {
        print(
          "  ", outcome.name, outcome.orders,
          outcome.smallest.map {
            (
              $0.switches, $0.steps,
              $0.schedule.turns.map { "\($0.choice):\($0.option)" }.joined(separator: " ")
            )
          } as Any, outcome.meaning)
      }
    }
  }
}
