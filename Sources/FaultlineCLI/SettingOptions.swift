import ArgumentParser
import Foundation
import PlaygroundKit

/// The values that a learner gives to the parameters of scenarios.
struct SettingOptions: ParsableArguments {
  /// Parameters with their values, as typed.
  @Option(
    name: .customLong("set"),
    help: "Set a parameter, as in rows=50000; may be given more than once.")
  var settings: [String] = []

  /// The values by the names of parameters.
  func values(for scenarios: [RunnableScenario]) throws(Complaint) -> [String: Int] {
    var values: [String: Int] = [:]
    for setting in settings {
      let (name, value) = try Self.setting(setting, scenarios)
      values[name] = value
    }
    return values
  }

  private static func setting(
    _ text: String, _ scenarios: [RunnableScenario]
  ) throws(Complaint) -> (String, Int) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw Complaint(.usage, "--set \(text): write name=number, as in --set rows=50000.")
    }
    let name = String(parts[0])
    guard let value = Int(parts[1].filter { $0 != "_" && $0 != "," }) else {
      let meaning =
        scenarios.flatMap { $0.parameters }.first { $0.name == name }
        .map { " (\($0.meaning))" } ?? ""
      throw Complaint(
        .usage, "--set \(text): \(name)\(meaning) takes a whole number, not “\(parts[1])”.")
    }
    return (name, value)
  }
}

/// The seed of randomly sampled schedules and of repeats.
struct SeedOption: ParsableArguments {
  /// The seed, if one was typed.
  @Option(help: "The seed of the first run; if not given, FAULTLINE_SEED or 1.")
  var seed: UInt64?

  /// The seed that was typed, else the environment's, else 1.
  var value: UInt64 {
    get throws(Complaint) {
      if let seed { return seed }
      guard let text = ProcessInfo.processInfo.environment["FAULTLINE_SEED"] else { return 1 }
      guard let seed = UInt64(text) else {
        throw Complaint(
          .usage, "FAULTLINE_SEED=\(text) is not a seed: give a whole number, 0 or more.")
      }
      return seed
    }
  }
}
