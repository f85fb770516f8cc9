import PlaygroundKit

/// The executable whose sides the tests of the runner and of the explorer start: each ends in a way
/// of its own.
@main enum Main {
  static func main() {
    let probes: [any Scenario.Type] = [Probe.self, OrderProbe.self]
    SideProcess.runIfAsked(catalogue: probes)
    ControlledProcess.runIfAsked(catalogue: probes)
  }
}
