import Foundation

extension ChildProcess {
  /// How a program ended that was run to its end.
  package enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// A limit was hit; the words name it and its value.
    case limit(String)
  }

  /// How it ended, and what it printed.
  package struct Outcome {
    /// How it ended.
    package let ending: Ending
    /// Everything it printed on both streams, up to the limit.
    package let output: String
  }

  /// Runs a program to its end, or to the first limit it hits, with nothing to read; it ends with
  /// us if we are interrupted.
  ///
  /// `log` takes what it prints. The program writes into `folder`, which is also its folder for
  /// temporary files.
  package static func run(
    _ program: URL, _ arguments: [String], environment: [String: String], limits: Limits, log: URL,
    folder: URL, readable: [String] = [], in workspace: Workspace
  ) throws -> Outcome {
    // A file, not a pipe: a program that prints without end must not wait for us, nor we for it.
    unlink(log.path)
    var variables = environment
    variables["TMPDIR"] = folder.path
    let child = try ChildProcess(
      program.path, arguments, environment: variables, output: log.path, folder: folder.path,
      readable: readable, in: workspace, limits: limits, readsLines: false)
    let (exit, limit) = Interruption.cleaningUp(
      after: { child.wait() }, with: { child.end() })
    let output = LeftFile.data(of: log.path, bytesMax: limits.outputBytes ?? .max) ?? Data()
    return Outcome(
      ending: limit.map { .limit($0) } ?? exit.signal.map { .signalled($0) }
        ?? .exited(exit.code ?? 0),
      output: String(decoding: output, as: UTF8.self))
  }
}
