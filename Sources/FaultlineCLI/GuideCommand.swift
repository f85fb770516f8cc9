import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// A command whose page the guide can show.
protocol PageCommand: ParsableCommand {
  /// What it prints.
  func text(_ style: PageStyle) throws -> String
}

/// `faultline guide`: compares the guide with the sources and with fresh runs.
struct GuideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guide", abstract: "Compare the guide with the sources and with fresh runs.",
    subcommands: [Check.self, Bless.self])

  /// The options of both commands.
  struct Options: ParsableArguments {
    @Option(help: "Only this page, by its file name.", transform: PathWord.checked)
    var only: String?

    @OptionGroup var page: PageOptions

    /// The guide of this clone, with runs made by this executable.
    var guide: GuideCheck {
      get throws {
        // A tool that is older than the sources would be told as a guide that has drifted.
        for scenario in Catalogue.all {
          BuildFolder.trouble(with: scenario.card.file).map(Output.complain)
        }
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

    /// The page of a command that needs nothing but its words.
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

  /// `faultline guide check`: fails when a part of the guide is out of date.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Fail when code, a page or a figure in the guide is out of date.",
      discussion: """
        faultline guide check
        faultline guide check --only 02-blocking.md
        """)

    @OptionGroup var options: Options

    func run() throws {
      let output = try options.page.destination()
      let drifts = try options.guide.check(only: options.only)
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
          try output.write("The guide agrees with the sources and with fresh runs.\n")
        }
      } else {
        if isForPeople {
          try output.write("Next read the lines above, then: faultline guide bless\n")
        }
        throw Leave(status: .answerIsNo)
      }
    }
  }

  /// `faultline guide bless`: brings the guide up to date.
  struct Bless: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "bless", abstract: "Bring the guide up to date with the sources and fresh runs.",
      discussion: """
        faultline guide bless
        git diff Guide Scenarios     read what changed before you commit it
        """)

    @OptionGroup var options: Options

    func run() throws {
      let output = try options.page.destination()
      let changed = try options.guide.bless(only: options.only)
      if options.page.json { return try output.write(try Output.json(changed)) }
      for file in changed { try output.write("\(file)\n") }
      if changed.isEmpty, !options.page.quiet, !options.page.plain {
        try output.write("The guide was up to date.\n")
      }
    }
  }
}
