import ArgumentParser
import PlaygroundKit
import Scenarios

/// What a word on the command line names: a scenario of ours, or a folder of the learner's.
enum ChosenScenario {
  /// Does something with the scenario that a word names.
  static func with<R>(
    _ word: String, beside: [String] = [], _ body: (RunnableScenario) throws -> R
  ) throws -> R {
    if let folder = try LearnerFolder(word, among: Catalogue.exercises) {
      return try folder.withScenario(beside: beside, body)
    }
    guard beside.isEmpty else {
      throw Complaint(
        .usage, "--beside is for exercises: scenario \(word) has all of its sides anyway.")
    }
    let scenario = try ScenarioID.scenario(word, in: Catalogue.all, and: Matrix.scenarios)
    tellTrouble(with: [scenario])
    return try body(scenario)
  }

  /// Says why pages may lack lines of some scenarios of ours, or name the wrong ones.
  static func tellTrouble(with scenarios: [RunnableScenario]) {
    for scenario in scenarios {
      BuildFolder.trouble(with: scenario.description.card.file).map(Output.complain)
    }
  }

  /// Does something with the scenarios that some words name, one after the other; a folder stands
  /// alone.
  static func each(
    _ words: [String], beside: [String] = [], for command: String,
    _ body: ([RunnableScenario]) throws -> Void
  ) throws {
    let folders = try words.compactMap { try LearnerFolder($0, among: Catalogue.exercises) }
    guard let folder = folders.first else {
      if let refusal = MatrixCommand.refusal(of: words) { throw refusal }
      guard beside.isEmpty else {
        throw Complaint(.usage, "--beside is for exercises: our scenarios show all of their sides.")
      }
      let scenarios = try ScenarioID.scenarios(words, in: Catalogue.all, for: command)
      tellTrouble(with: scenarios)
      return try body(scenarios)
    }
    guard words.count == 1 else {
      throw Complaint(
        .usage, "A folder stands alone: `faultline \(command) \(folder.path.quotedForShell)`.")
    }
    try folder.withScenario(beside: beside) { try body([$0]) }
  }
}

/// Sides of ours beside a learner's.
struct BesideOption: ParsableArguments {
  /// The names of the sides, as typed.
  @Option(
    name: .customLong("beside"),
    help: "With a folder: show this side of ours beside yours, as in --beside right.")
  var names: [String] = []
}
