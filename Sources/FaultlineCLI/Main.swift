import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// The entry point.
///
/// It is synchronous on purpose: under an asynchronous one, Linux leaves the main thread at the
/// first suspension, and a side that runs in this executable would have no main loop to be
/// measured.
@main enum Main {
  static func main() {
    StandardStreams.fillClosed()
    Supervisor.runIfAsked()
    SideProcess.runIfAsked(catalogue: Catalogue.all)
    ControlledProcess.runIfAsked(catalogue: Catalogue.everything)
    Interruption.cleanUpWhenInterrupted()
    do {
      let arguments = try Arguments.prepared(Array(CommandLine.arguments.dropFirst()))
      var command = try FaultlineCommand.parseAsRoot(arguments)
      try command.run()
      try Output.finish()
    } catch {
      leave(error)
    }
  }

  private static func leave(_ error: any Error) -> Never {
    if let complaint = error as? Complaint {
      Output.complain(complaint.description)
      exit(complaint.status.rawValue)
    }
    if let leave = error as? Leave {
      do { try Output.finish() } catch { self.leave(error) }
      exit(leave.status.rawValue)
    }
    if let code = error as? ExitCode { exit(code.rawValue) }
    let code = FaultlineCommand.exitCode(for: error)
    if code == .success {
      do { try Output.standard.write(FaultlineCommand.fullMessage(for: error) + "\n") } catch {
        leave(error)
      }
      exit(ExitStatus.done.rawValue)
    }
    let isUsage = code == .validationFailure
    let typed = Arguments.command(in: Array(CommandLine.arguments.dropFirst()))
    let words = (["faultline", "help"] + typed).joined(separator: " ")
    let help = isUsage ? " (`\(words)` lists every flag.)" : ""
    // The parser lists many values on a line each; a complaint is one sentence.
    let message = FaultlineCommand.message(for: error)
      .replacing("Please provide one of the following:\n  - ", with: "Give one of ")
      .replacing("\n  - ", with: ", ")
    Output.complain(message + help)
    exit(isUsage ? ExitStatus.usage.rawValue : ExitStatus.ourBug.rawValue)
  }
}

/// Ends the program with a status after everything is printed.
struct Leave: Error {
  /// The exit status.
  let status: ExitStatus
}

/// Prepares the arguments for the parser.
enum Arguments {
  /// Names the nearest command for one that does not exist, lets `--debug` stand without a value or
  /// with one after a space, and joins a negative number to its option: the parser would take it
  /// for another option.
  static func prepared(_ arguments: [String]) throws(Complaint) -> [String] {
    let isHelp = arguments.first == "help"
    let words = Array(isHelp ? arguments.dropFirst() : arguments[...])
    let known = FaultlineCommand.configuration.subcommands.map { $0._commandName } + ["help"]
    if let first = words.first, !first.hasPrefix("-"), !known.contains(first) {
      let near =
        NearestName.of(first, among: known)
        .map { "did you mean `faultline \(isHelp ? "help " : "")\($0)`? " } ?? ""
      throw Complaint(
        .usage, "There is no command “\(first)”; \(near)`faultline --help` lists every command.")
    }
    if words.first == "draw",
      let format = DrawingFormat.allCases.first(where: { words.contains("--\($0.rawValue)") })
    {
      throw Complaint(.usage, "--\(format.rawValue): write --format \(format.rawValue).")
    }
    var prepared: [String] = []
    for word in arguments {
      if prepared.last == "--debug=on", Side.Checker(rawValue: word) != nil {
        prepared[prepared.count - 1] = "--debug=\(word)"
      } else if let option = prepared.last, option.hasPrefix("--"), option.count > 2,
        !option.contains("="), word.hasPrefix("-"), word.dropFirst().first?.isNumber ?? false
      {
        prepared[prepared.count - 1] = "\(option)=\(word)"
      } else {
        prepared.append(word == "--debug" ? "--debug=on" : word)
      }
    }
    return prepared
  }

  /// The command's words at the beginning of the arguments: `guide check`.
  static func command(in arguments: [String]) -> [String] {
    var found: [String] = []
    var known = FaultlineCommand.configuration.subcommands
    for word in arguments {
      guard let command = known.first(where: { $0._commandName == word }) else { break }
      found.append(word)
      known = command.configuration.subcommands
    }
    return found
  }
}
