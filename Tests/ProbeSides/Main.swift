import PlaygroundKit

/// The executable whose sides the runner's tests start: each ends in a way of its own.
@main enum Main {
  static func main() {
    SideProcess.runIfAsked(catalogue: [Probe.self])
  }
}
