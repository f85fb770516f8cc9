import XCTest

@testable import PlaygroundKit

final class ExplorePageTests: XCTestCase {
  private let explorations = Explorations.all

  func testNoLineIsWiderThanThePage() {
    for (name, exploration) in explorations {
      for width in 60...140 {
        for ascii in [false, true] {
          let page = ExplorePage(exploration, PageStyle(width: width, ascii: ascii)).text
          for line in page.split(separator: "\n") {
            XCTAssertLessThanOrEqual(line.count, width, "\(name) at \(width): \(line)")
          }
        }
      }
    }
  }

  func testEveryOutcomeEveryIDAndEveryVerdictIsOnThePageAtEveryWidth() {
    for (name, exploration) in explorations {
      for width in 60...140 {
        let words = ExplorePage(exploration, PageStyle(width: width)).text
          .split { " \n".contains($0) }.joined(separator: " ")
        for side in exploration.sides {
          XCTAssertTrue(
            words.contains(exploration.sentence(about: side)), "\(name) at \(width): \(words)")
        }
        for outcome in exploration.sides.flatMap(\.outcomes) {
          XCTAssertTrue(words.contains(outcome.name), "\(name) at \(width): \(outcome.name)")
          XCTAssertTrue(words.contains(Figures.grouped(outcome.orders)))
        }
      }
    }
  }

  func testTheOrderOfAnOutcomeIsTheSmallestOfAllSides() throws {
    let page = ExplorePage(Explorations.two).text
    let line = try XCTUnwrap(page.split(separator: "\n").first { $0.hasPrefix("REDONE") })
    XCTAssertTrue(line.contains(" s3-27b-Q-F "), String(line))
  }

  func testAnASCIIPageHasNoOtherCharacter() {
    for (name, exploration) in explorations {
      let page = ExplorePage(exploration, PageStyle(ascii: true)).text
      XCTAssertTrue(page.allSatisfy(\.isASCII), name)
      XCTAssertFalse(page.contains("?"), name)
    }
    XCTAssertTrue(
      ExplorePage(Explorations.two, PageStyle(ascii: true)).text.contains("for <= 2 switches"))
  }

  func testColourOnlyRepeatsWhatIsThereWithoutIt() {
    for (name, exploration) in explorations {
      let page = ExplorePage(exploration).text
      let painted = ExplorePage(exploration, PageStyle(colour: true)).text
      XCTAssertTrue(painted.contains("\u{1B}["), name)
      XCTAssertEqual(
        painted.replacingOccurrences(
          of: "\u{1B}\\[[0-9]+m", with: "", options: .regularExpression), page, name)
    }
  }

  func testAPageOfAnExplorationIsTheOneThatWasLookedAt() throws {
    for (name, exploration) in explorations {
      for width in [80, 100] {
        try Golden.compare(
          ExplorePage(exploration, PageStyle(width: width)).text,
          with: "explore-\(name)-\(width).txt")
      }
    }
  }

  func testTheLinesOfAnExplorationAreThoseThatWereLookedAt() throws {
    for (name, exploration) in explorations {
      let text = PlainExploration(exploration).text
      try Golden.compare(text, with: "explore-\(name).tsv")
      let fields = text.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).count
      }
      XCTAssertEqual(Set(fields), [11], name)
    }
  }
}
