import Foundation
import Synchronization
import XCTest

@testable import PlaygroundKit

/// What a process that we start gets from us, and what it does not.
final class ChildProcessTests: XCTestCase {
  private static func start(_ workspace: Workspace, _ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      arguments[0], Array(arguments.dropFirst()),
      environment: ProcessInfo.processInfo.environment,
      output: workspace.folder.appendingPathComponent("output").path,
      folder: workspace.folder.path, in: workspace,
      limits: .trusted(seconds: 60))
  }

  /// Somebody who holds the writing end of a pipe keeps its reader waiting.
  func testAPipeThatIsMadeWhileAProcessStartsIsNotInherited() throws {
    try XCTSkipIf(access("/proc/self/fd", F_OK) != 0, "nobody says what a process holds")
    let workspace = try Workspace()
    let children = Mutex<[ChildProcess]>([])
    let pipes = Mutex<Set<String>>([])
    let isDone = Atomic(false)
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      if worker == 0 {
        for _ in 0..<100 {
          guard let child = try? Self.start(workspace, "/bin/cat") else { break }
          children.withLock { $0.append(child) }
        }
        isDone.store(true, ordering: .relaxed)
      } else {
        while !isDone.load(ordering: .relaxed), let pipe = try? ChildProcess.pipe() {
          var status = stat()
          fstat(pipe.reading, &status)
          pipes.withLock { _ = $0.insert("pipe:[\(status.st_ino)]") }
          close(pipe.reading)
          close(pipe.writing)
        }
      }
    }
    let all = children.withLock { $0 }
    let made = pipes.withLock { $0 }
    XCTAssertEqual(all.count, 100)
    for child in all {
      let folder = "/proc/\(child.id)/fd"
      let held = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
      XCTAssertTrue(held.contains { $0.hasPrefix("pipe:") }, "its own: \(held)")
      XCTAssertEqual(made.intersection(held), [])
    }
    for child in all {
      child.end()
      _ = child.wait()
    }
  }

  func testASignalThatWeWereToldToIgnoreIsIgnoredByAProcessOfOurs() throws {
    let before = signal(SIGHUP, SIG_IGN)
    defer { signal(SIGHUP, before) }
    let child = try Self.start(Workspace(), "/bin/sh", "-c", "kill -HUP $$; kill -PIPE $$; exit 7")
    // Writing where nobody reads ends it all the same: that we ignore it is our own affair.
    XCTAssertEqual(child.wait().exit.signal, SIGPIPE)
  }
}
