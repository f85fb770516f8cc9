import Foundation
import XCTest

@testable import PlaygroundKit

final class ScheduleIDTests: XCTestCase {
  private let alphabet = Crockford.alphabet

  /// Some schedule of at most so many turns, with short and long runs between them.
  private func schedule(
    turnsMax: Int, runMax: Int, optionMax: Int, _ generator: inout SeededGenerator
  ) -> Schedule {
    var next = 0
    return Schedule(
      (0..<Int.random(in: 0...turnsMax, using: &generator)).map { _ in
        let choice = next + Int.random(in: 0...runMax, using: &generator)
        next = choice + 1
        return Schedule.Turn(
          choice: choice, option: Int.random(in: 1...optionMax, using: &generator))
      })
  }

  private func ids(_ count: Int, turnsMax: Int, seed: UInt64) -> [ScheduleID] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      ScheduleID(
        .scenario(Int.random(in: 1...45, using: &generator)),
        side: Int.random(in: 0...5, using: &generator),
        schedule: schedule(turnsMax: turnsMax, runMax: 40, optionMax: 4, &generator))
    }
  }

  private func complaint(_ text: String) -> Complaint? {
    do {
      _ = try ScheduleID(text)
      return nil
    } catch { return error }
  }

  func testAnIDLeadsBackToItsOrder() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      for (turns, run, option) in [(4, 3, 2), (3, 100, 5), (40, 20, 9), (200, 1_000_000, 300)] {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
          let id = ScheduleID(
            .scenario(Int.random(in: 1...120, using: &generator)),
            side: Int.random(in: 0...21, using: &generator),
            schedule: schedule(turnsMax: turns, runMax: run, optionMax: option, &generator))
          let read = try ScheduleID(id.whole)
          XCTAssertEqual(read, id, "seed \(seed): \(id.whole)")
          XCTAssertEqual(read.whole, id.whole, "seed \(seed)")
        }
      }
    }
  }

  func testTheFirstIDsAreTheseForGood() {
    func text(_ scenario: Int, _ side: Int, _ turns: (Int, Int)...) -> String {
      ScheduleID(
        .scenario(scenario), side: side,
        schedule: Schedule(turns.map { Schedule.Turn(choice: $0.0, option: $0.1) })
      ).description
    }
    XCTAssertEqual(
      [
        text(27, 0), text(9, 1), text(27, 0, (3, 1)), text(27, 1, (3, 1)), text(27, 1, (0, 2)),
        text(26, 4, (10, 1), (11, 3), (60, 1)),
      ],
      [
        "s3-27-0-4", "s3-09b-0-N", "s3-27-Q-K", "s3-27b-Q-F", "s3-27b-GG-0",
        "s3-26e-9C2E4-S",
      ])
  }

  func testThreeTurnsAmongTheFirstHundredChoicesFitIntoSixteenCharacters() {
    var longest = 0
    for first in stride(from: 0, to: 100, by: 1) {
      for second in stride(from: first + 1, to: 100, by: 1) {
        for third in stride(from: second + 1, to: 100, by: 7) {
          let id = ScheduleID(
            .scenario(27), side: 0,
            schedule: Schedule(
              [first, second, third].map { Schedule.Turn(choice: $0, option: 5) }))
          longest = max(longest, id.description.count)
        }
      }
    }
    XCTAssertLessThanOrEqual(longest, 16)
  }

  func testCaseDoesNotCountAndLettersThatLookLikeDigitsAreRead() throws {
    let id = ScheduleID(
      .scenario(10), side: 0, schedule: Schedule([Schedule.Turn(choice: 6, option: 1)]))
    for text in [id.description, id.description.lowercased(), id.description.uppercased()] {
      XCTAssertEqual(try ScheduleID(text), id, text)
    }
    let misread = id.description.map { $0 == "0" ? "o" : $0 == "1" ? "l" : String($0) }.joined()
    XCTAssertEqual(try ScheduleID(misread), id, misread)
    XCTAssertEqual(try ScheduleID(misread.uppercased()), id, misread)
  }

  func testEverySingleWrongCharacterIsRefused() {
    for id in ids(60, turnsMax: 12, seed: 11) {
      let text = Array(id.whole)
      for place in text.indices {
        for wrong in alphabet + ["-", "@", "u", "!", "é"]
        where Crockford.canonical(String(wrong)) != Crockford.canonical(String(text[place])) {
          var damaged = text
          damaged[place] = wrong
          let complaint = complaint(String(damaged))
          XCTAssertEqual(complaint?.status, .input, "\(id.whole) read as \(String(damaged))")
        }
      }
    }
  }

  func testNeighboursThatChangedPlacesAreRefused() {
    for id in ids(150, turnsMax: 12, seed: 12) {
      let text = Array(id.whole)
      for place in text.indices.dropLast() where text[place] != text[place + 1] {
        var damaged = text
        damaged.swapAt(place, place + 1)
        XCTAssertNotNil(complaint(String(damaged)), "\(id.whole) read as \(String(damaged))")
      }
    }
  }

  func testAMissingOrAnAddedCharacterIsRefusedNearlyAlways() {
    var missing = (tried: 0, read: 0)
    var added = (tried: 0, read: 0)
    for id in ids(50, turnsMax: 12, seed: 13) {
      let text = Array(id.whole)
      for place in text.indices {
        var damaged = text
        damaged.remove(at: place)
        // Of two equal neighbours either may be missing.
        if place == 0 || text[place] != text[place - 1] {
          missing.tried += 1
          if complaint(String(damaged)) == nil { missing.read += 1 }
        }
        for extra in alphabet {
          damaged = text
          damaged.insert(extra, at: place)
          added.tried += 1
          if complaint(String(damaged)) == nil { added.read += 1 }
        }
      }
    }
    XCTAssertLessThan(Double(added.read) / Double(added.tried), 0.03)
  }

  func testEveryTextIsRefusedOrIsTheOneSpellingOfItsOrder() throws {
    var generator = SeededGenerator(seed: 14)
    var read = 0
    for _ in 0..<20_000 {
      let digits = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        UInt8.random(in: 0..<32, using: &generator)
      }
      let head = "s3-27-\(Crockford.text(digits))"
      let text = "\(head)-\(Crockford.check(head.dropFirst()))"
      if let id = try? ScheduleID(text) {
        read += 1
        XCTAssertEqual(id.whole, text)
      }
    }
    XCTAssertGreaterThan(read, 1_000)
  }

  func testAnIDOfAnotherABISaysWhichVersionReadsIt() {
    for (abi, version) in [(2, "older"), (4, "newer")] {
      let head = "\(abi)-27-Q"
      let id = "s\(head)-\(Crockford.check(head))"
      XCTAssertEqual(
        complaint(id),
        Complaint(
          .input,
          "The schedule id \(id) has schedule ABI \(abi) and this version reads ABI 3: use the"
            + " \(version) version that printed it."))
    }
  }

  func testWhatIsNoIDSaysWhatOneLooksLike() {
    for text in [
      "", "27", "s1", "s3-27-Q", "s3-27-Q-B-2", "t1-27-Q-B", "s3-7-Q-B", "s3-027-Q-B", "s-27-Q-B",
      "s3-27a-Q-B", "s3-27bc-Q-B", "s3-27-Q-", "s3--Q-B", "s01-27-Q-B", "s3-27-Q-BB", "s3-00-Q-B",
    ] {
      XCTAssertEqual(
        complaint(text),
        Complaint(
          .input,
          "“\(text)” is not a schedule id; `faultline explore` prints ids like s3-27-Q-K."))
    }
  }
}

final class ScheduleShelfTests: XCTestCase {
  private var folder = URL(fileURLWithPath: "/")

  override func setUpWithError() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("shelf-\(UUID().uuidString)", isDirectory: true)
  }

  override func tearDown() { try? FileManager.default.removeItem(at: folder) }

  private var long: ScheduleID {
    ScheduleID(
      .scenario(27), side: 1,
      schedule: Schedule((0..<60).map { Schedule.Turn(choice: $0 * 3, option: 1 + $0 % 2) }))
  }

  private func complaint(_ shelf: ScheduleShelf, _ text: String) -> String? {
    do {
      _ = try shelf.id(text)
      return nil
    } catch { return error.description }
  }

  func testALongIDIsPrintedAsADigestThatTheShelfLeadsBackFrom() throws {
    let shelf = ScheduleShelf(folder: folder)
    let text = long.description
    XCTAssertTrue(text.hasPrefix("s3-27b-@"), text)
    XCTAssertLessThanOrEqual(text.count, 19)
    XCTAssertEqual(
      complaint(shelf, text),
      "The schedule \(text) is not stored in \(folder.path): explore again on this machine, or copy"
        + " the file of that name into this folder.")
    try shelf.keep(long)
    XCTAssertEqual(try shelf.id(text), long)
    XCTAssertEqual(try shelf.id(text.lowercased()), long)
    XCTAssertEqual(try shelf.id(long.whole), long)
  }

  func testAShortIDNeedsNoFile() throws {
    let shelf = ScheduleShelf(folder: folder)
    let id = ScheduleID(.scenario(8), side: 0, schedule: Schedule())
    try shelf.keep(id)
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path))
    XCTAssertEqual(try shelf.id(id.description), id)
  }

  func testEverySingleWrongCharacterOfADigestIsRefused() throws {
    let shelf = ScheduleShelf(folder: folder)
    try shelf.keep(long)
    let text = Array(long.description)
    for place in text.indices {
      for wrong in Crockford.alphabet
      where Crockford.canonical(String(wrong)) != Crockford.canonical(String(text[place])) {
        var damaged = text
        damaged[place] = wrong
        XCTAssertNotNil(complaint(shelf, String(damaged)), String(damaged))
      }
    }
  }

  func testAFileThatHoldsAnotherOrderIsRefused() throws {
    let shelf = ScheduleShelf(folder: folder)
    try shelf.keep(long)
    let file = folder.appendingPathComponent(long.description)
    var other = long
    other.schedule.turns.removeLast()
    try (other.whole + "\n").write(to: file, atomically: true, encoding: .utf8)
    XCTAssertEqual(
      complaint(shelf, long.description),
      "The file \(file.path) holds a schedule other than \(long): remove the file.")
  }

  func testTheShelfStandsWhereTheUserSays() throws {
    for (environment, path) in [
      (["FAULTLINE_HOME": "/h", "XDG_STATE_HOME": "/x", "HOME": "/u"], "/h/schedules"),
      (["XDG_STATE_HOME": "/x", "HOME": "/u"], "/x/faultline/schedules"),
      (["XDG_STATE_HOME": "x", "HOME": "/u"], "/u/.local/state/faultline/schedules"),
    ] {
      let sentence = complaint(ScheduleShelf(environment: environment), long.description)
      XCTAssertTrue(sentence?.contains("is not stored in \(path):") == true, sentence ?? "")
    }
  }

  func testAnIdOfALearnersCodeHasTheDigestOfItsSource() throws {
    let (one, other) = (
      ScheduleID.Subject(ofSource: "let a = 1"), ScheduleID.Subject(ofSource: "let a = 2")
    )
    XCTAssertNotEqual(one, other)
    for (subject, side) in [(one, 0), (other, 1), (one, 2)] {
      let id = ScheduleID(
        subject, side: side, schedule: Schedule([Schedule.Turn(choice: 9, option: 1)]))
      for text in ["\(id)", "\(id)".lowercased(), "\(id)".uppercased()] {
        XCTAssertEqual(try ScheduleID(text), id, text)
      }
      XCTAssertTrue("\(id)".hasPrefix("s3-x"), "\(id)")
    }
    XCTAssertThrowsError(try ScheduleID("s3-x12-0-4"), "a digest has four digits")
  }
}
