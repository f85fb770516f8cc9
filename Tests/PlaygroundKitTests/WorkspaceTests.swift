import Foundation
import Synchronization
import XCTest

@testable import PlaygroundKit

/// The folders of runs, where removing them does not go well.
final class WorkspaceTests: XCTestCase {
  func testNobodyPutsAFileIntoAFolderWhileItIsRemoved() throws {
    let base = Self.base("removed")
    defer { FileTree.remove(base.path) }
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

  func testAFolderIsRemovedThatIsDeeperThanAPathCanBeLongAndThatItsOwnerHasClosed() throws {
    let base = Self.base("deep")
    defer { FileTree.remove(base.path) }
    let workspace = try Workspace(in: base)
    let name = String(repeating: "n", count: 250)
    var place = open(workspace.folder.path, O_RDONLY | O_DIRECTORY)
    for depth in 0..<200 {
      XCTAssertEqual(mkdirat(place, name, 0o700), 0)
      close(openat(place, "file", O_WRONLY | O_CREAT, 0o600))
      let next = openat(place, name, O_RDONLY | O_DIRECTORY)
      if depth % 2 == 0 { fchmod(place, 0) }
      close(place)
      place = next
    }
    close(place)
    workspace.removeFiles()
    XCTAssertFalse(FileManager.default.fileExists(atPath: base.path))
  }

  func testWhatALinkLeadsToStays() throws {
    let (base, other) = (Self.base("links"), Self.base("other"))
    defer { for url in [base, other] { FileTree.remove(url.path) } }
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let file = other.appendingPathComponent("file")
    try Data().write(to: file)
    let workspace = try Workspace(in: base)
    let inside = workspace.folder.appendingPathComponent("inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    for link in [workspace.folder, inside].map({ $0.appendingPathComponent("link") }) {
      XCTAssertEqual(symlink(other.path, link.path), 0)
    }
    workspace.removeFiles()
    XCTAssertFalse(FileManager.default.fileExists(atPath: base.path))
    XCTAssertTrue(FileManager.default.fileExists(atPath: file.path))
  }

  // MARK: Whose files they are

  private static func base(_ name: String) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
  }

  /// What a start finds in its common folder and must not touch.
  private static let names = [
    "yarn.lock", "yarn", "0-x.lock", "12-ab.lock.lock", "12-AB.lock", "12-ab", "-1-x.lock",
    "12-abcdefgh.lock", "12.lock",
  ]

  func testAFileWhoseNameIsNotOfOurFormStays() throws {
    let base = Self.base("names")
    defer { FileTree.remove(base.path) }
    XCTAssertEqual(mkdir(base.path, 0o700), 0)
    for name in Self.names {
      close(open(base.path + "/" + name, O_WRONLY | O_CREAT, 0o600))
    }
    // Of our form, but no file: what it leads to is not a lock of ours either.
    XCTAssertEqual(symlink("yarn.lock", base.path + "/34-link.lock"), 0)
    XCTAssertEqual(mkfifo(base.path + "/35-pipe.lock", 0o600), 0)
    XCTAssertEqual(mkdir(base.path + "/34-link", 0o700), 0)
    let workspace = try Workspace(in: base)
    workspace.removeFiles()
    XCTAssertEqual(
      Set(ProcessTable.names(in: base.path)),
      Set(Self.names + ["34-link.lock", "34-link", "35-pipe.lock"]))
  }

  func testACommonFolderThatIsNotThisUsersAloneIsRefused() throws {
    let (base, other) = (Self.base("common"), Self.base("project"))
    defer { for url in [base, other] { FileTree.remove(url.path) } }
    XCTAssertEqual(mkdir(other.path, 0o700), 0)
    for name in ["12-ab.lock", "yarn.lock"] {
      close(open(other.path + "/" + name, O_WRONLY | O_CREAT, 0o600))
    }
    func refused(_ words: String, line: UInt = #line) {
      XCTAssertThrowsError(try Workspace(in: base), line: line) { error in
        let complaint = error as? Complaint
        XCTAssertEqual(complaint?.status, .input, line: line)
        XCTAssertTrue("\(error)".contains(words), "\(error)", line: line)
      }
    }
    XCTAssertEqual(symlink(other.path, base.path), 0)
    refused("is a symbolic link")
    XCTAssertEqual(Set(ProcessTable.names(in: other.path)), ["12-ab.lock", "yarn.lock"])
    unlink(base.path)

    close(open(base.path, O_WRONLY | O_CREAT, 0o600))
    refused("is not a folder")
    unlink(base.path)

    for mode: mode_t in [0o777, 0o720, 0o702] {
      XCTAssertEqual(mkdir(base.path, 0o700), 0)
      XCTAssertEqual(chmod(base.path, mode), 0)
      refused("can be written by other users")
      rmdir(base.path)
    }
    // Only root may give a folder away.
    XCTAssertEqual(mkdir(base.path, 0o700), 0)
    if chown(base.path, geteuid() + 1, getegid()) == 0 { refused("belongs to another user") }
  }
}
