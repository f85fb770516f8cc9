import Foundation
import PlaygroundKit
import Scenarios

/// Runs scenarios as the command line does: every side in a process of its own, made of the built
/// executable.
enum ScenarioRun {
  /// The built command line, which lies beside the bundle of these tests.
  static func executable() throws -> String {
    try BuildFolder.current().products.appendingPathComponent("faultline").path
  }

  /// The record of a run.
  static func of(
    _ scenario: any Scenario.Type, repeats: Int = 1, sides: [String] = [], seed: UInt64 = 1,
    _ parameters: [String: Int] = [:]
  ) throws -> RunRecord {
    var options = Runner.Options()
    options.repeats = repeats
    options.sides = sides
    options.seed = seed
    options.parameters = parameters
    return try Runner(version: "test").run(
      RunnableScenario(scenario, executable: try ScenarioRun.executable()), options)
  }
}

extension RunRecord {
  /// The outcomes of a side, each once.
  func outcomes(_ side: String) -> Set<String> {
    Set(sides.first { $0.name == side }?.trials.map(\.outcome) ?? [])
  }

  /// The number noted under a name in every repeat of a side.
  func numbers(_ side: String, _ name: String, in section: String? = nil) -> [Int] {
    trials(side).compactMap { trial in
      let metric = trial.metrics.last {
        $0.name == name && (section == nil || $0.section == section)
      }
      if case .number(let number)? = metric?.amount { return number }
      return nil
    }
  }

  /// The words noted under a name in every repeat of a side.
  func texts(_ side: String, _ name: String) -> [String] {
    trials(side).compactMap { trial in
      if case .text(let text)? = trial.metrics.last(where: { $0.name == name })?.amount {
        return text
      }
      return nil
    }
  }

  /// Every repeat of a side.
  func trials(_ side: String) -> [Trial] { sides.first { $0.name == side }?.trials ?? [] }
}
