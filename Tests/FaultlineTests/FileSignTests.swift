import Foundation
import XCTest

@testable import Faultline

final class FileSignTests: XCTestCase {
  /// How many lists of watched files this process holds; there is one for each sign.
  private static func watches() throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      return path?.contains("inotify") == true
    }.count
  }

  func testASignIsHeardUntilItsListenerGoesAndLeavesNothingOpen() throws {
    try XCTSkipIf(access("/proc/self/fd", F_OK) != 0, "nobody says what a process holds")
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("file-sign-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let count = 64
    let heard = expectation(description: "everybody heard the sign")
    heard.expectedFulfillmentCount = count
    heard.assertForOverFulfill = false
    let before = try Self.watches()
    var signs = (0..<count).map { _ in FileSign(at: file.path) { heard.fulfill() } }
    XCTAssertFalse(signs.contains { $0 == nil })
    XCTAssertGreaterThanOrEqual(try Self.watches(), count)
    FileSign.give(at: file.path)
    wait(for: [heard], timeout: 60)
    signs = []
    // They are closed on other threads; those of earlier tests may be too.
    var looks = 0
    while try Self.watches() > before, looks < 100_000 {
      looks += 1
      sched_yield()
    }
    XCTAssertLessThanOrEqual(try Self.watches(), before)
  }
}
