import Foundation
import PlaygroundKit
import Testing

/// The built `faultline`, run as a person would run it.
struct CommandLineTool {
  /// What a run of it left.
  struct Reply {
    var status: Int32
    var output: String
    var errors: String
    /// The sentences on standard error, without the lines that are empty.
    var complaints: [String] { errors.split(separator: "\n").map(String.init) }
  }

  /// The executable beside the test's own.
  static var path: String {
    URL(fileURLWithPath: Runner.thisExecutable).deletingLastPathComponent()
      .appendingPathComponent("faultline").path
  }

  /// A folder of its own for temporary files, so that tests do not see each other's.
  let temporary: URL

  init() throws {
    temporary = FileManager.default.temporaryDirectory
      .appendingPathComponent("faultline-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
  }

  /// Removes the folder.
  func remove() { try? FileManager.default.removeItem(at: temporary) }

  /// Everything that is left in the folder for temporary files, but what is meant to stay.
  func leftovers() throws -> [String] {
    // What goes while it looks is not there.
    (FileManager.default.enumerator(atPath: temporary.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0 != "home" && !$0.hasPrefix("home/") }
  }

  /// Runs it to its end.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Reply {
    try start(Self.path, arguments, environment)
  }

  /// Runs a line of shell in which `$FAULTLINE` is the executable.
  func shell(_ line: String) throws -> Reply { try start("/bin/sh", ["-c", line], [:]) }

  /// A process that is ready to be started, with the given standard error.
  func process(
    _ arguments: [String], errors: Pipe, _ extra: [String: String] = [:]
  ) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments = arguments
    process.environment = environment(extra)
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    process.standardError = errors
    return process
  }

  /// Runs a program to its end with more in its environment.
  func start(
    _ executable: String, _ arguments: [String], _ extra: [String: String] = [:]
  ) throws -> Reply {
    // Files and not pipes: nothing can fill up and make the two wait for each other.
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("faultline-reply-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (output, errors) = (
      folder.appendingPathComponent("out"), folder.appendingPathComponent("err")
    )
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.environment = environment(extra)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Reply(
      status: process.terminationReason == .exit
        ? process.terminationStatus : -process.terminationStatus,
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// More for the environment: the tool finds a bubblewrap that does not work.
  func withoutSandbox() throws -> [String: String] {
    let folder = temporary.appendingPathComponent("home/refused")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = folder.appendingPathComponent("bwrap")
    try "#!/bin/sh\nexit 1\n".write(to: program, atomically: true, encoding: .utf8)
    chmod(program.path, 0o755)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ["PATH": "\(folder.path):\(path)"]
  }

  /// The environment of every run, with more in it.
  func environment(_ extra: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment["TMPDIR"] = temporary.path
    environment["FAULTLINE"] = Self.path
    environment["FAULTLINE_SEED"] = nil
    environment["FAULTLINE_HOME"] = temporary.appendingPathComponent("home").path
    return environment.merging(extra) { $1 }
  }
}

/// Tests of the built command line.
///
/// They wait for its processes, so that Swift Testing, which runs as many tests beside each other
/// as there are cores, ends in half the time.
class CommandLineSuite {
  let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  deinit { tool.remove() }

  /// Checks for one sentence on standard error, nothing on standard output, and the code.
  func expect(
    _ reply: CommandLineTool.Reply, _ status: PlaygroundKit.ExitStatus, saying words: String...,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(reply.status == status.rawValue, "\(reply.errors)", sourceLocation: location)
    #expect(reply.output == "", sourceLocation: location)
    #expect(reply.complaints.count == 1, "\(reply.errors)", sourceLocation: location)
    for word in words {
      #expect(
        reply.errors.contains(word), "“\(word)” is not in: \(reply.errors)",
        sourceLocation: location)
    }
  }
}
