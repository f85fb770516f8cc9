import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Prints what a scenario is about, without running it.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the question, the outcomes and the code of a scenario.",
    discussion: """
      faultline show 8
      faultline show 8 --side wrong
      """)

  /// The scenarios, as typed.
  @Argument(help: "Scenarios: 8, 08, 8..12, 3,8, a name, or a folder of yours.")
  var ids: [String] = []

  /// The side to show; everything when nil.
  @Option(help: "Show only the code of this side.")
  var side: String?

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Prints the stories.
  func run() throws {
    try ChosenScenario.each(ids, for: "show") { try show($0) }
  }

  private func show(_ chosen: [RunnableScenario]) throws {
    let output = try page.destination()
    if page.json || page.plain {
      let records = try chosen.map { try StoryRecord($0.description, side: side) }
      guard page.json else { return try output.write(records.map(\.plain).joined()) }
      return try output.write(
        records.count == 1 ? Output.json(records[0]) : Output.json(records))
    }
    for (index, scenario) in chosen.enumerated() {
      let story = Story(scenario.description, page.style)
      let text = try side.map { try story.lines(ofSide: $0) } ?? story.text
      try output.write((index > 0 ? "\n" : "") + text)
    }
  }
}
