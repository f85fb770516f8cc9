import Foundation
import Synchronization
import XCTest

@testable import PlaygroundKit

/// The folders of runs, where removing them does not go well.
final class WorkspaceTests: XCTestCase {
  func testNobodyPutsAFileIntoAFolderWhileItIsRemoved() throws {
    let base = FileManager.default.temporaryDirectory
      .appendingPathComponent("removed-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: base) }
    for _ in 0..<20 {
      let workspace = try Workspace(in: base)
      let files = Atomic(0)
      let isRemoved = Atomic(false)
      DispatchQueue.concurrentPerform(iterations: 2) { worker in
        if worker == 0 {
          while files.load(ordering: .relaxed) < 20 { sched_yield() }
          workspace.removeFiles()
          isRemoved.store(true, ordering: .relaxed)
        } else {
          while !isRemoved.load(ordering: .relaxed) {
            let number = files.add(1, ordering: .relaxed).newValue
            close(open(workspace.folder.path + "/\(number)", O_WRONLY | O_CREAT, 0o600))
          }
        }
      }
      XCTAssertFalse(FileManager.default.fileExists(atPath: base.path))
    }
  }

  /// A path that is too long for the system stands for whatever may be in the way.
  func testAFolderThatCouldNotBeRemovedKeepsItsLockSoThatTheNextStartKnowsOfIt() throws {
    let base = FileManager.default.temporaryDirectory
      .appendingPathComponent("stubborn-\(UUID().uuidString)")
    let out = base.appendingPathExtension("out")
    defer { for url in [out, base] { try? FileManager.default.removeItem(at: url) } }
    var workspace: Workspace? = try Workspace(in: base)
    let name = String(repeating: "n", count: 250)
    var place = open(try XCTUnwrap(workspace).folder.path, O_RDONLY | O_DIRECTORY)
    var middle: Int32 = -1
    for depth in 0..<24 {
      XCTAssertEqual(mkdirat(place, name, 0o700), 0)
      let next = openat(place, name, O_RDONLY | O_DIRECTORY)
      if depth == 12 { middle = place } else { close(place) }
      place = next
    }
    close(place)
    workspace = nil
    let left = try FileManager.default.contentsOfDirectory(atPath: base.path)
    XCTAssertEqual(left.count, 2, "the folder and its lock: \(left)")

    XCTAssertEqual(renameat(middle, name, AT_FDCWD, out.path), 0)
    close(middle)
    Workspace.removeLeftovers(in: base)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: base.path), [])
  }
}
