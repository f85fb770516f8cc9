import ArgumentParser
import PlaygroundKit

/// The command itself, with nothing after it.
struct FaultlineCommand: ParsableCommand {
  /// The version of the tool, written into every run record.
  static let version = "0.1.0"

  /// The name, the version and the commands.
  static let configuration = CommandConfiguration(
    commandName: "faultline",
    abstract: "Core Data's concurrency rules, broken on purpose and put right.",
    discussion: """
      faultline run 8                    wrong and right, side by side
      faultline run 8 --set rows=50000   the same with another number
      faultline explore 27               every order of its steps, with what comes
      faultline explore 27 --step        you say who goes on
      faultline replay s3-27-9R-2        one of those orders again, step by step
      faultline draw s3-27-9R-2          a picture of it
      faultline show 8                   the story and the lines of both sides
      faultline list                     every scenario
      """,
    version: version,
    subcommands: [
      ListCommand.self, ShowCommand.self, RunCommand.self, ExploreCommand.self,
      MatrixCommand.self, ReplayCommand.self, DrawCommand.self, StartCommand.self,
      CheckCommand.self,
      GuideCommand.self, ModelCommand.self,
    ])

  /// Prints twelve lines of help.
  func run() throws {
    try Output.standard.write(
      """
      faultline: Core Data's concurrency rules, broken on purpose and put right.

        faultline run 8        runs the wrong way and the right way, side by side
        faultline explore 27   runs them in every order of their steps, one party at a time
        faultline show 8       the story, the outcomes, the lines of every side
        faultline list         every scenario, by number

      `run` has real threads, a store file and a process for each side; `explore` has a clock and
      a scheduler of its own. A crash or a deadlock is something a page shows.
      Data goes to standard output, messages to standard error; --json prints the whole record.
      `faultline --help` names every command, `faultline help run` every flag of one.
      Begin with: faultline run 8

      """)
  }
}
