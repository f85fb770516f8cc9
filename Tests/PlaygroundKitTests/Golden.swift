import Foundation
import XCTest

/// Pages that a person has looked at.
enum Golden {
  /// Compares with a file of the folder `Golden`; FAULTLINE_BLESS=1 writes it anew.
  static func compare(
    _ text: String, with name: String, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/\(name)")
    if ProcessInfo.processInfo.environment["FAULTLINE_BLESS"] == "1" {
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    XCTAssertEqual(
      text, try String(contentsOf: url, encoding: .utf8), name, file: file, line: line)
  }
}
