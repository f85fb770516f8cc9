import ArgumentParser
import Foundation
import PlaygroundKit

/// `faultline new my-race`: writes a scenario of the learner's own.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Write a scenario of your own into a folder, ready to run.",
    discussion: """
      faultline new my-race
      faultline run my-race
      faultline explore my-race

      The folder holds one Swift file with a wrong and a right side. Names are lower-case words \
      with hyphens.
      """)

  @Argument(help: "The folder, whose name is the scenario's: my-race.")
  var name: String

  @OptionGroup var page: PageOptions

  /// What `--json` prints.
  private struct Made: Codable {
    var folder: String
    var file: String
  }

  func run() throws {
    let output = try page.destination()
    let scenario = try NewScenario(name)
    try scenario.write()
    let (folder, file) = (DeskOptions.shown(scenario.folder), DeskOptions.shown(scenario.file))
    if page.json { return try output.write(Output.json(Made(folder: folder, file: file))) }
    if page.plain || page.quiet { return try output.write(file + "\n") }
    let words = folder.quotedForShell
    let lines =
      [file, ""] + page.style.hanging("Next  ", "faultline run \(words)   both sides, side by side")
      + page.style.hanging("      ", "faultline explore \(words)   \(Card.exploring)")
      + page.style.hanging("      ", "change the file: comments in it name its five parts")
      + page.style.hanging("Note  ", EditorSettings.note)
    try output.write(lines.map(page.style.finished).joined(separator: "\n") + "\n")
  }
}
