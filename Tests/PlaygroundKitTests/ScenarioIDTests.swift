import Faultline
import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

final class ScenarioIDTests: XCTestCase {
  private enum Eight: StandIn {
    static let card = standInCard(8, "perform-and-wait-on-main", .blocking)
  }
  private enum Nine: StandIn {
    static let card = standInCard(9, "two-queues-waiting", .blocking)
  }
  private enum ThirtyEight: StandIn {
    static let card = standInCard(38, "the-lost-tail", .memory)
  }
  private let catalogue: [any Scenario.Type] = [Eight.self, Nine.self, ThirtyEight.self]

  private func numbers(_ words: String...) throws -> [Int] {
    try ScenarioID.scenarios(words, in: catalogue).compactMap { $0.card.number }
  }

  func testAScenarioIsNamedByNumberSlugPartOrFolder() throws {
    for word in [
      "8", "08", "perform-and-wait-on-main", "Perform-And-Wait-On-Main",
      "blocking/perform-and-wait-on-main", "08-perform-and-wait-on-main",
    ] {
      XCTAssertEqual(try numbers(word), [8], word)
    }
  }

  func testListsAndRangesNameSeveralEachOnce() throws {
    XCTAssertEqual(try numbers("38,8"), [38, 8])
    XCTAssertEqual(try numbers("8..12"), [8, 9])
    XCTAssertEqual(try numbers("9", "8..40", "08"), [9, 8, 38])
  }

  func testWhatDoesNotExistIsRefusedAndTheNearestNamed() {
    for (word, near) in [
      ("7", "8"), ("40", "38"), ("perform-and-wait-on-mian", "8"), ("lost-tail", "38"),
    ] {
      XCTAssertThrowsError(try numbers(word), word) { error in
        let complaint = error as? Complaint
        XCTAssertEqual(complaint?.status, .usage, word)
        XCTAssertEqual(
          complaint?.description.contains("the nearest is \(near),"), true,
          complaint?.description ?? word)
      }
    }
  }

  func testARangeWithoutScenariosAndNoWordsAtAllAreRefused() {
    for words in [["10..12"], ["12..10"], ["8.."], [","], []] {
      XCTAssertThrowsError(try ScenarioID.scenarios(words, in: catalogue), "\(words)") { error in
        XCTAssertEqual((error as? Complaint)?.status, .usage, "\(words)")
      }
    }
  }

  func testTheNearestNameIsASlipAwayAndNothingElse() {
    let names = ["run", "list", "show", "start", "check"]
    XCTAssertEqual(NearestName.of("rnu", among: names), "run")
    XCTAssertEqual(NearestName.of("chek", among: names), "check")
    XCTAssertEqual(NearestName.of("LIST", among: names), "list")
    XCTAssertNil(NearestName.of("explore", among: names))
    XCTAssertNil(NearestName.of("run", among: []))
  }

  func testTheDistanceOfTwoNamesIsTheNumberOfSlips() {
    func distance(_ a: String, _ b: String) -> Int { NearestName.distance(Array(a), Array(b)) }
    XCTAssertEqual(distance("", "abc"), 3)
    XCTAssertEqual(distance("abc", ""), 3)
    XCTAssertEqual(distance("abc", "abc"), 0)
    XCTAssertEqual(distance("abc", "acb"), 1)
    XCTAssertEqual(distance("kitten", "sitting"), 3)
  }
}

/// A scenario with nothing but a card.
private protocol StandIn: Scenario {}

extension StandIn {
  static var outcomes: [Outcome] { [] }
  static var sides: [Side] { [] }
  @MainActor static var model: NSManagedObjectModel { Probe.model }
  static func observed(_ run: Observation) throws -> Outcome { Probe.right }
}

private func standInCard(_ number: Int, _ slug: String, _ part: Part) -> Card {
  Card(
    number, slug, slug, part: part, claim: "", question: "", why: "", given: "", guide: "none.md")
}
