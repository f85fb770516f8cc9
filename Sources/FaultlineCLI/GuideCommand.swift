import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// A command whose page the guide may show.
protocol PageCommand: ParsableCommand {
  /// What it prints.
  func text(_ style: PageStyle) throws -> String
}

/// `faultline guide`: the guide, held against the sources and fresh runs.
struct GuideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guide", abstract: "Hold the guide against the sources and fresh runs.",
    subcommands: [Check.self, Bless.self])

  /// What both commands take.
  struct Options: ParsableArguments {
    @Option(help: "One page only, by its file name.")
    var only: String?

    @OptionGroup var page: PageOptions

    /// The guide of this clone, with runs made by this executable.
    var guide: GuideCheck {
      get throws {
        let progress = ProgressLine(verbose: page.verbose, quiet: page.quiet)
        let style = PageStyle(width: 100, ascii: false, colour: false)
        return try GuideCheck.current(
          run: { run in
            defer { progress.finish() }
            let scenario = try ScenarioID.scenario("\(run.number)", in: Catalogue.all)
            var options = Runner.Options()
            options.parameters = run.parameters
            let runner = Runner(version: FaultlineCommand.version) { progress.tell($0) }
            let record = try runner.run(scenario, options)
            return (record, Page(record, style).text)
          },
          print: { try Self.page(of: $0, style) })
      }
    }

    /// What a command prints that needs no more than its words.
    private static func page(of line: GuideCommandLine, _ style: PageStyle) throws -> String {
      let command: any ParsableCommand
      do { command = try FaultlineCommand.parseAsRoot(line.words) } catch {
        throw Complaint(
          .usage, "faultline \(line) cannot be run: \(FaultlineCommand.message(for: error))")
      }
      guard let command = command as? any PageCommand else {
        throw Complaint(.ourBug, "faultline \(line) prints no page")
      }
      return try command.text(style)
    }
  }

  /// `faultline guide check`: fails when anything in the guide is no longer so.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Fail when a block, a page or a figure is no longer so.",
      discussion: """
        faultline guide check
        faultline guide check --only 02-blocking.md
        """)

    @OptionGroup var options: Options

    func run() throws {
      let drifts = try options.guide.check(only: options.only)
      let output = try options.page.destination()
      if options.page.json {
        try output.write(try Output.json(drifts))
      } else if options.page.plain {
        for drift in drifts { try output.write(drift.plain + "\n") }
      } else {
        for drift in drifts { try output.write("\(drift)\n") }
      }
      let isForPeople = !options.page.json && !options.page.plain
      if drifts.isEmpty {
        if isForPeople, !options.page.quiet {
          try output.write("The guide is what the sources and runs say.\n")
        }
      } else {
        if isForPeople {
          try output.write("Next read the lines above, then: faultline guide bless\n")
        }
        throw Leave(status: .answerIsNo)
      }
    }
  }

  /// `faultline guide bless`: writes what is the case into the guide.
  struct Bless: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "bless", abstract: "Write what the sources and runs say into the guide.",
      discussion: """
        faultline guide bless
        git diff Guide Scenarios     and read what changed before you believe it
        """)

    @OptionGroup var options: Options

    func run() throws {
      let changed = try options.guide.bless(only: options.only)
      let output = try options.page.destination()
      if options.page.json { return try output.write(try Output.json(changed)) }
      for file in changed { try output.write("\(file)\n") }
      if changed.isEmpty, !options.page.quiet, !options.page.plain {
        try output.write("Nothing had changed.\n")
      }
    }
  }
}
