import Foundation
import XCTest

@testable import Faultline

final class PackedRowTests: XCTestCase {
  /// An entity with so many attributes; how a row is packed does not depend on their type.
  private func layout(slots: Int) -> EntityLayout {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    entity.properties = (0..<slots).map { number in
      let attribute = NSAttributeDescription()
      attribute.name = "a\(number)"
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    model.entities = [entity]
    return entity.layout
  }

  private let model = NSManagedObjectModel()

  private func pack(_ values: [Value]) -> Snapshot {
    var extent = PackedRow.Extent()
    for value in values { extent.add(value) }
    return Snapshot.make(layout(slots: values.count), key: 7, version: 3, extent) { writer in
      for (slot, value) in values.enumerated() { writer.put(value, slot) }
    }
  }

  func testEveryKindOfValueComesBackAsItWasPut() {
    let values: [Value] = [
      .integer(-1), .null, .double(-0.5), .string("a text that is longer than a small string"),
      .key(42), .string(""), .boxed(Boxed(.uuid(UUID()))), .data(Data([1, 2, 3])),
      .string("größer als ASCII"), .integer(.min), .double(.infinity), .null,
    ]
    let snapshot = pack(values)
    XCTAssertEqual(values.indices.map { snapshot[$0] }, values)
    XCTAssertEqual([snapshot.key, snapshot.version], [7, 3])
  }

  func testTextIsPackedUpToTheLimitAndKeptWholeBeyondIt() {
    let limit = PackedRow.textBytesMax
    let values: [Value] = [limit, limit + 1].map { .string(String(repeating: "x", count: $0)) }
    let snapshot = pack(values)
    XCTAssertEqual([snapshot.row.tag(0), snapshot.row.tag(1)], [.text, .wide])
    XCTAssertEqual([snapshot[0], snapshot[1]], values)
  }

  func testARowOfManySlotsIsCopiedSlotBySlot() {
    let values = (0..<100).map { number -> Value in
      [.null, .integer(Int64(number)), .string("text \(number)"), .data(Data([UInt8(number)]))][
        number % 4]
    }
    let first = pack(values)
    var extent = PackedRow.Extent()
    for slot in values.indices { extent.add(slot, of: first.row) }
    let second = Snapshot.make(first.layout, key: 7, version: 4, extent) { writer in
      for slot in values.indices { writer.put(first.row, slot) }
    }
    XCTAssertEqual(values.indices.map { second[$0] }, values)
  }

  func testARowCacheKeepsTheNewerOfTwoRowsWhicheverComesLast() throws {
    let cache = WeakTable<Snapshot>()
    let old = pack([.integer(1)])
    let new = try XCTUnwrap(old.copy(version: 4))
    let later = try XCTUnwrap(old.copy(version: 3))
    XCTAssertNil(old.enter(cache, since: cache.era))
    XCTAssertTrue(old.isCached)
    XCTAssertNil(new.enter(cache, since: cache.era))
    XCTAssertEqual([old.isCached, new.isCached], [false, true])
    // A save that is slow to install what it wrote.
    XCTAssertTrue(later.enter(cache, since: cache.era) === new)
    XCTAssertEqual([later.isCached, new.isCached], [false, true])
    XCTAssertTrue(cache.member(table: Int(old.tableNumber), key: 7) === new)
    cache.forget(new)
    XCTAssertFalse(new.isCached)
  }

  func testTwoWhoReadARowAtOnceShareItsSnapshot() throws {
    let cache = WeakTable<Snapshot>()
    let first = pack([.integer(1)])
    var run = WeakTable.Run(cache, table: Int(first.tableNumber))
    XCTAssertNil(run.member(6))
    XCTAssertNil(first.enter(cache, since: cache.era))
    XCTAssertNil(run.member(7), "the run found nobody on the page")
    let second = try XCTUnwrap(first.copy(version: 3))
    XCTAssertTrue(second.enter(run.objects, since: cache.era) === first)
    XCTAssertEqual([first.isCached, second.isCached], [true, false])
  }

  func testASnapshotLetsGoOfItsWideValues() {
    weak var box: Boxed?
    do {
      let made = Boxed(.decimal(1))
      box = made
      var snapshot: Snapshot? = pack([.integer(1), .boxed(made)])
      XCTAssertEqual(snapshot?[0], .integer(1))
      snapshot = nil
    }
    XCTAssertNil(box)
  }
}
