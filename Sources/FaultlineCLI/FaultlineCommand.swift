import ArgumentParser
import PlaygroundKit

/// `faultline` itself, without a subcommand.
struct FaultlineCommand: ParsableCommand {
  /// The version of the tool, written into every run record.
  static let version = "0.1.0"

  /// The name, the version and the commands.
  static let configuration = CommandConfiguration(
    commandName: "faultline",
    abstract: "Core Data's concurrency rules, broken on purpose and put right.",
    discussion: """
      faultline run 8                    wrong and right, side by side
      faultline run 8 --set rows=50000   the same with more rows
      faultline explore 27               every schedule with at most 2 switches
      faultline explore 27 --step        choose which thread runs next
      faultline replay s3-27-9R-2        one of those schedules, step by step
      faultline draw s3-27-9R-2          a picture of it
      faultline show 8                   the story and the code of both sides
      faultline list                     every scenario
      faultline start 27                 an exercise; then watch, hint, progress
      """,
    version: version,
    subcommands: [
      ListCommand.self, ShowCommand.self, RunCommand.self, ExploreCommand.self,
      MatrixCommand.self, ReplayCommand.self, DrawCommand.self, StartCommand.self,
      CheckCommand.self, WatchCommand.self, HintCommand.self, PredictCommand.self,
      SolutionCommand.self, ResetCommand.self, ProgressCommand.self, NewCommand.self,
      GuideCommand.self, ModelCommand.self, DoctorCommand.self,
    ])

  /// Prints twelve lines of help, none longer than 80 characters.
  func run() throws {
    try Output.standard.write(
      """
      faultline: Core Data's concurrency rules, broken on purpose and put right.

        faultline run 8        run the wrong way and the right way, side by side
        faultline explore 27   run every schedule, one thread or task at a time
        faultline show 8       print the question, the outcomes and each side's code
        faultline list         list every scenario by number

      `run` uses real threads, a store file and a process for each side; `explore`
      controls the scheduler and the clock. The page shows a crash or a deadlock.
      Data goes to standard output, messages to standard error; --json prints all.
      `faultline --help` lists the commands, `faultline help run` the flags of one.
      Start with: faultline run 8

      """)
  }
}
