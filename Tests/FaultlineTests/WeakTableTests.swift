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

    init(_ table: WeakTable<Member>, number: Int = 1, key: Int64, rank: Int = 0) {
      tableNumber = number
      self.key = key
      self.rank = rank
      if table.insert(self) == nil { self.table = table }
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
}
