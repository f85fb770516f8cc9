import Foundation
import PlaygroundKit

/// The executable whose sides the tests of the runner and of the explorer start: each ends in a way
/// of its own.
@main enum Main {
  static func main() throws {
    let probes: [any Scenario.Type] = [
      Probe.self, OrderProbe.self, OutsideProbe.self, HostileProbe.self,
    ]
    Supervisor.runIfAsked()
    if let argument = CommandLine.arguments.dropFirst().first, argument.hasPrefix("__") {
      Supervisor.endWithIt()
    }
    SideProcess.runIfAsked(catalogue: probes)
    ControlledProcess.runIfAsked(catalogue: probes)
    if CommandLine.arguments.dropFirst().first == "shell" { try runShell(CommandLine.arguments[2]) }
  }

  /// Runs a line of shell as a tool runs a program that is not ours, and prints how it ended.
  private static func runShell(_ line: String) throws {
    let workspace = try Workspace()
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", line],
      environment: ProcessInfo.processInfo.environment,
      limits: .init(seconds: 60, home: .ownFolder),
      log: workspace.folder.appendingPathComponent("log"), folder: workspace.folder, in: workspace)
    print(outcome.ending)
  }
}
