import Foundation
import XCTest

@testable import PlaygroundKit

final class CostTableTests: XCTestCase {
  /// A file of the package, from its top.
  private func text(_ path: String) throws -> String {
    try String(
      contentsOf: try BuildFolder.current().package.appendingPathComponent(path), encoding: .utf8)
  }

  func testTheGuidesTableIsTheCodes() throws {
    let source = try text("Sources/PlaygroundKit/Schedulers/CostTable.swift")
    var code: [String: Int] = [:]
    for match in source.matches(of: #/static let (\w+) = ([0-9_]+)/#) {
      code[String(match.output.1)] = Int(match.output.2.replacing("_", with: ""))
    }
    let guide = try text("Guide/reference/costs.md")
    var table = [
      "version": Int(guide.firstMatch(of: #/cost table version ([0-9]+)/#)?.output.1 ?? "")
    ]
    for match in guide.matches(of: #/\| `(\w+)` \| [^|]+ \| ([0-9,]+) \|/#) {
      table[String(match.output.1)] = Int(match.output.2.replacing(",", with: ""))
    }
    XCTAssertEqual(table, code.mapValues { $0 })
    XCTAssertEqual(code["commit"], CostTable.commit, "the source was read right")
  }

  func testEveryPageThatNamesAVersionNamesThisOne() {
    XCTAssertTrue(
      Drawing.facts.contains { $0.hasSuffix("cost table v\(CostTable.version)") },
      "\(Drawing.facts)")
  }
}
