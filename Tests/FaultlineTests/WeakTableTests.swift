import Foundation
import XCTest

@testable import Faultline

final class WeakTableTests: XCTestCase {
  private final class Member: WeakTableMember, @unchecked Sendable {
    let tableNumber: Int
    let key: Int64
    let rank: Int
    unowned(unsafe) var table: WeakTable<Member>?
    private(set) var isListed = false
    /// The one that was found in its place.
    private(set) var prevailed: Member?

    init(
      _ table: WeakTable<Member>, number: Int = 1, key: Int64, rank: Int = 0,
      since era: UInt64 = .max, mark: UInt64 = 0
    ) {
      tableNumber = number
      self.key = key
      self.rank = rank
      switch table.insert(self, since: era, mark: mark) {
      case .listed: self.table = table
      case .prevailed(let other): prevailed = other
      case .outdated: break
      }
    }

    deinit { table?.remove(self) }
    func listed(_ isListed: Bool) { self.isListed = isListed }
    func prevails(over other: Member) -> Bool { rank > other.rank }
  }

  func testAMemberIsFoundWhileSomebodyHoldsIt() {
    let table = WeakTable<Member>()
    var member: Member? = Member(table, key: 7)
    XCTAssertTrue(table.member(table: 1, key: 7) === member)
    XCTAssertNil(table.member(table: 1, key: 8))
    XCTAssertNil(table.member(table: 2, key: 7))
    member = nil
    XCTAssertNil(table.member(table: 1, key: 7))
  }

  func testTemporaryKeysAndDistantKeysLieOnPagesOfTheirOwn() {
    let table = WeakTable<Member>()
    let keys: [Int64] = [-1, -1_025, 1, 1_023, 1_024, 5_000_000_000, .max]
    let members = keys.map { Member(table, key: $0) }
    for (key, member) in zip(keys, members) {
      XCTAssertTrue(table.member(table: 1, key: key) === member)
    }
    XCTAssertEqual(table.members().count, keys.count)
  }

  func testAReplacedMemberDoesNotTakeItsSuccessorWithIt() {
    let table = WeakTable<Member>()
    var old: Member? = Member(table, key: 3)
    let new = Member(table, key: 3)
    XCTAssertNotNil(old)
    old = nil
    XCTAssertTrue(table.member(table: 1, key: 3) === new)
  }

  func testAMemberThatPrevailsStays() {
    let table = WeakTable<Member>()
    let new = Member(table, key: 3, rank: 2)
    var old: Member? = Member(table, key: 3, rank: 1)
    XCTAssertTrue(table.member(table: 1, key: 3) === new)
    XCTAssertEqual(old?.isListed, false)
    old = nil
    XCTAssertTrue(table.member(table: 1, key: 3) === new)
    XCTAssertTrue(new.isListed)
    let newer = Member(table, key: 3, rank: 3)
    XCTAssertTrue(table.member(table: 1, key: 3) === newer)
    XCTAssertFalse(new.isListed)
    table.forget(newer)
    XCTAssertNil(table.member(table: 1, key: 3))
    XCTAssertFalse(newer.isListed)
  }

  func testWhatWasReadBeforeItsKeyWasWrittenIsNotEntered() {
    let table = WeakTable<Member>()
    let before = table.era
    var written: Member? = Member(table, key: 3, since: before, mark: table.beginEra())
    XCTAssertEqual(written?.isListed, true)
    written = nil
    let late = Member(table, key: 3, since: before)
    XCTAssertFalse(late.isListed)
    XCTAssertNil(table.member(table: 1, key: 3))
    let beside = Member(table, key: 4, since: before)
    XCTAssertTrue(beside.isListed, "nobody wrote that one")
    let current = Member(table, key: 3, since: table.era)
    XCTAssertTrue(table.member(table: 1, key: 3) === current)
  }

  func testWhatWasReadBeforeItsKeyWasForgottenIsNotEntered() {
    let table = WeakTable<Member>()
    let before = table.era
    let gone = Member(table, key: 3)
    table.forget(table: 1, key: 3, mark: table.beginEra())
    XCTAssertFalse(gone.isListed)
    XCTAssertFalse(Member(table, key: 3, since: before).isListed)
    // One of which the table knew nothing.
    table.forget(table: 1, key: 9_000, mark: table.beginEra())
    XCTAssertFalse(Member(table, key: 9_000, since: before).isListed)
    XCTAssertTrue(Member(table, key: 9_000, since: table.era).isListed)
  }

  func testMarksOutliveTheirPages() {
    let table = WeakTable<Member>()
    let before = table.era
    let mark = table.beginEra()
    var members = (0..<40).map { Member(table, key: Int64($0) << 10, since: before, mark: mark) }
    XCTAssertTrue(members.allSatisfy(\.isListed))
    members = []
    XCTAssertFalse((0..<40).contains { Member(table, key: $0 << 10, since: before).isListed })
    XCTAssertTrue(Member(table, key: 0, since: mark).isListed)
  }

  func testATableLivesAsLongAsItsMembers() {
    var table: WeakTable<Member>? = WeakTable<Member>()
    weak let observed = table
    var members = table.map { table in (1...3).map { Member(table, key: $0) } } ?? []
    // One that was replaced and one that is forgotten are members too.
    if let table { members.append(Member(table, key: 2, rank: 1)) }
    members.first.map { table?.forget($0) }
    table = nil
    for count in stride(from: 4, through: 1, by: -1) {
      XCTAssertEqual(members.count, count)
      XCTAssertNotNil(observed)
      members.removeFirst()
    }
    XCTAssertNil(observed)
  }

  func testPagesThatLostTheirMembersServeAgainAndManyAreGivenUp() {
    let table = WeakTable<Member>()
    let kept = Member(table, key: 40 << 10)
    for round in 0..<3 {
      var members = (0..<40).map { Member(table, key: Int64($0) << 10) }
      members.append(Member(table, number: 2, key: 5))
      XCTAssertEqual(table.members().count, 42)
      for (key, member) in zip(0..., members.prefix(40)) {
        XCTAssertTrue(table.member(table: 1, key: Int64(key) << 10) === member)
      }
      if round == 1 { members.reverse() }
      while !members.isEmpty { members.removeLast() }
      XCTAssertEqual(table.members().count, 1)
    }
    XCTAssertTrue(table.member(table: 1, key: 40 << 10) === kept)
  }

  func testARunSeesWhoWasThereWhenItCameThere() {
    let table = WeakTable<Member>()
    let early = Member(table, key: 5)
    var run = WeakTable.Run(table, table: 1)
    XCTAssertTrue(run.member(5) === early)
    let beside = Member(table, key: 63)
    XCTAssertTrue(run.member(63) === beside, "where somebody was it looks each time")
    XCTAssertNil(run.member(64), "nobody is under the next 64 keys")
    let late = Member(table, key: 127)
    XCTAssertNil(run.member(127))
    run.forget()
    XCTAssertTrue(run.member(127) === late)
    XCTAssertNil(run.member(2_000))
    XCTAssertTrue(run.member(63) === beside)
  }

  func testLookUpsDuringDeallocationFindTheMemberOrNothing() {
    let table = WeakTable<Member>()
    let found = Lock(0)
    for _ in 0..<2_000 {
      let box = Lock<Member?>(Member(table, key: 1))
      DispatchQueue.concurrentPerform(iterations: 2) { party in
        if party == 0 {
          box.withLock { $0 = nil }
        } else if let member = table.member(table: 1, key: 1) {
          found.withLock { $0 += Int(member.key) }
        }
      }
      XCTAssertNil(table.member(table: 1, key: 1))
    }
    XCTAssertLessThanOrEqual(found.withLock { $0 }, 2_000)
  }

  func testALateMemberGivesWayToTheOneThatIsThereIfThatPrevails() {
    let table = WeakTable<Member>()
    let before = table.era
    let written = Member(table, key: 3, rank: 2, since: before, mark: table.beginEra())
    let late = Member(table, key: 3, rank: 1, since: before)
    XCTAssertFalse(late.isListed)
    XCTAssertTrue(late.prevailed === written, "it is told which one is there instead")
    let newer = Member(table, key: 3, rank: 3, since: before)
    XCTAssertFalse(newer.isListed)
    XCTAssertNil(newer.prevailed)
  }

  func testWhoForgetsEverythingLetsNoEarlierReadEnter() {
    let table = WeakTable<Member>()
    let member = Member(table, key: 3)
    let before = table.era
    table.forgetAll()
    XCTAssertFalse(member.isListed)
    for (number, key) in [(1, 3), (1, 9_000), (7, 3)] as [(Int, Int64)] {
      XCTAssertFalse(Member(table, number: number, key: key, since: before).isListed)
      XCTAssertTrue(Member(table, number: number, key: key, since: table.era).isListed)
    }
  }
}
