import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline watch 27`: checks an exercise whenever its file is saved.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Check an exercise each time you save it.",
    discussion: """
      faultline watch exercises/27-the-lost-update
      faultline watch 27                 the same
      faultline watch                    inside that folder
      faultline watch 27 --plain         tab-separated values, without keys

      On a terminal one key does the rest: c checks again, h shows the next hint, e explores your \
      code, o opens a picture of the schedule that fails, n goes on to the next exercise that you \
      have not passed, q quits. Elsewhere, and with --no-input, --json or --plain, it prints each \
      check until its input ends.
      """)

  @Argument(help: "The exercise: its folder, number or name; without it the current folder.")
  var exercise: String?

  @OptionGroup var input: InputOptions

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  func run() throws {
    guard page.output ?? "-" == "-" else {
      throw Complaint(.usage, "watch takes no -o: it prints each check at once, so use > instead.")
    }
    let (exercise, path) = try desk.place(self.exercise)
    let hasKeys =
      !input.noInput && !page.json && !page.plain && Terminal.isInput && Terminal.isOutput
    let workspace = try Workspace()
    try Interruption.cleaningUp(
      after: {
        let loop = try WatchLoop(exercise, path, page, in: workspace)
        guard hasKeys else { return try loop.run(nil) }
        try KeyTerminal.whileOurs { try loop.run($0) }
      },
      with: { workspace.removeFiles() })
  }
}
