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

  func testTheVerdictsComeFirstAndThenTheTable() throws {
    for (name, exploration) in explorations {
      for width in 60...140 {
        let page = ExplorePage(exploration, PageStyle(width: width)).text
        let table = try XCTUnwrap(page.range(of: "OUTCOME")).lowerBound
        for side in exploration.sides {
          let word = Verdict(side, in: exploration).words.prefix(7)
          let verdict = try XCTUnwrap(page.range(of: word))
          XCTAssertLessThan(verdict.lowerBound, table, "\(name) at \(width)")
        }
      }
    }
  }

  func testAPageSaysWhereTimingChangesNoOutcome() {
    func page(bound: Int?, isWhole: Bool, _ outcomes: Exploration.OutcomeFound...) -> String {
      let side = Explorations.side("right", .right, outcomes, isWhole: isWhole)
      return ExplorePage(Explorations.exploration([side], bound: bound), PageStyle(width: 180)).text
    }
    let kept = Explorations.found("KEPT", 12)
    XCTAssertTrue(
      page(bound: 2, isWhole: true, kept).contains(
        "\nNote  Timing changes no outcome here: each side ends in one way, in all its schedules."
          + " What each side costs on real threads: `faultline run 27`.\n"))
    XCTAssertTrue(
      page(bound: 2, isWhole: false, kept).contains(
        "ends in one way, in all its schedules with at most 2 switches. What"))
    XCTAssertFalse(page(bound: 0, isWhole: false, kept).contains("Timing"))
    let redone = Explorations.found("REDONE", 3, switches: 1, (3, 1))
    let race = page(bound: 2, isWhole: true, kept, redone)
    XCTAssertFalse(race.contains("Timing"), race)
    XCTAssertTrue(race.contains("\nNote  A percentage counts schedules. It is not a likelihood.\n"))
  }

  func testAPageEndsWithACommandToGoOnWith() {
    func next(_ exploration: Exploration) -> String {
      let lines = ExplorePage(exploration).text.split(separator: "\n")
      let last = lines.last.map(String.init) ?? ""
      // A picture is offered after the steps.
      return last.contains(" draw ") ? String(lines[lines.count - 2]) : last
    }
    let kept = Explorations.found("KEPT", 1)
    let side = Explorations.side("right", .right, place: 1, [kept])
    let half = Explorations.side("right", .right, [kept], isComplete: false, share: 0.5)
    XCTAssertTrue(
      next(Explorations.exploration([side])).hasPrefix("Next  faultline replay s3-27b-"))
    XCTAssertEqual(
      next(Explorations.exploration([half], bound: 3, settings: ["writers=3"])),
      "Next  faultline explore 27 --bound 3 --side right --set writers=3   without a budget")
    let lost = Explorations.side("wrong", .wrong, [Explorations.found("LOST", 1, (3, 1))])
    XCTAssertEqual(
      next(Explorations.exploration([lost, half])),
      "      faultline explore 27   without a budget")
    XCTAssertEqual(
      next(Explorations.exploration([side, half], strategy: .pct)),
      "Next  faultline explore 27   every schedule up to a bound")
    let interesting = Explorations.side(
      "b", .column, [kept, Explorations.found("REDONE", 1, (3, 1))])
    XCTAssertTrue(next(Explorations.exploration([interesting])).contains("s3-27-Q-K "))
    let switched = Explorations.side(
      "b", .column, [kept, Explorations.found("DEADLOCK", 0), accepted(switches: 1)])
    XCTAssertTrue(next(Explorations.exploration([switched])).contains("s3-27-Q-K "))
  }

  /// An accepted outcome of a schedule with a switch.
  private func accepted(switches: Int) -> Exploration.OutcomeFound {
    var found = Explorations.found("REDONE", 1, switches: switches, (3, 1))
    found.grade = .accepted
    return found
  }

  func testAPageOffersToDrawTheScheduleThatItOffersToReplay() {
    for (name, exploration) in explorations {
      let commands = ExplorePage(exploration, PageStyle(width: 400)).text.split(separator: "\n")
        .filter { $0.contains("faultline replay ") || $0.contains("faultline draw ") }
        .map { $0.split(separator: " ").first { $0.hasPrefix("s3-") } }
      // Where all that is known is a sample, the page offers to explore.
      XCTAssertEqual(commands.count, name == "five" ? 0 : 2, name)
      XCTAssertEqual(commands.first, commands.last, name)
    }
  }

  func testEqualSchedulesAreExplainedOnlyWhereTheyAreNamed() {
    let words = "Equal schedules differ"
    let refuted = Explorations.side("wrong", .wrong, [Explorations.found("LOST", 1, (3, 1))])
    XCTAssertFalse(ExplorePage(Explorations.exploration([refuted])).text.contains(words))
    XCTAssertTrue(ExplorePage(Explorations.two).text.contains(words))
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
