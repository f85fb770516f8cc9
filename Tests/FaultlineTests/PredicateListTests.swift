import Foundation
import XCTest

@testable import Faultline

/// Every construct of the format language that we met in applications, in strings of our own; the
/// fuzzer begins with them too.
final class PredicateListTests: XCTestCase {
  private func formats() throws -> [String] {
    let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Fuzz/Formats/predicates.txt")
    return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// One argument of its kind for each placeholder.
  private func arguments(of format: String) throws -> [Any?] {
    try PredicateLexer.pieces(of: format).compactMap { piece in
      guard case .argument(let kind) = piece.token else { return nil }
      switch kind {
      case "K": return "key"
      case "@": return ["value", "other"]
      case "f": return 2.5
      default: return 3
      }
    }
  }

  func testEveryStringOfTheListIsReadPrintedAndReadAgain() throws {
    let formats = try formats()
    XCTAssertGreaterThan(formats.count, 40)
    for format in formats {
      let predicate = NSPredicate(
        format: format, argumentArray: try arguments(of: format).map { $0 as Any })
      let again = NSPredicate(format: predicate.description, argumentArray: [])
      XCTAssertEqual(again.description, predicate.description, format)
      XCTAssertEqual(again, predicate)
      XCTAssertEqual(again.hash, predicate.hash)
    }
  }

  func testWhateverIsBrokenInTheListIsRefusedAndNothingStops() throws {
    for format in try formats() {
      let letters = Array(format)
      for at in letters.indices {
        for replacement in ["", "(", "'", "%", ".", " AND ", "[", "\u{301}"] {
          let broken = String(letters[..<at]) + replacement + String(letters[(at + 1)...])
          let arguments: [Any?] = Array(repeating: "key", count: 20)
          guard var parser = try? PredicateParser(broken, arguments),
            let predicate = try? parser.wholePredicate()
          else { continue }
          XCTAssertFalse(PredicateText.text(predicate).isEmpty, broken)
        }
      }
    }
  }
}
