import Foundation
import SQLiteConnection
import XCTest

@testable import Faultline

/// How the order of ordered relationships is stored.
final class OrderColumnTests: XCTestCase {
  private func positions(_ known: [Int64?]) -> [Int: Int64] {
    Dictionary(uniqueKeysWithValues: Positions(known).changed.map { ($0.index, $0.position) })
  }

  func testARisingOrderStays() {
    XCTAssertEqual(positions([]), [:])
    XCTAssertEqual(positions([1, 2, 30]), [:])
  }

  func testNewMembersAreNumberedWithGaps() {
    XCTAssertEqual(positions([nil, nil]), [0: 1024, 1: 2048])
    XCTAssertEqual(positions([5, nil, nil]), [1: 1029, 2: 2053])
    XCTAssertEqual(positions([nil, nil, 5]), [0: -2043, 1: -1019])
    XCTAssertEqual(positions([10, nil, nil, 40]), [1: 20, 2: 30])
  }

  func testOnlyTheMemberThatMovedIsWritten() {
    XCTAssertEqual(positions([40, 10, 20, 30]), [0: 10 - 1024])
    XCTAssertEqual(positions([20, 30, 40, 10]), [3: 40 + 1024])
    XCTAssertEqual(positions([10, 30, 20, 40]).count, 1)
  }

  func testWithoutRoomAllAreNumberedAfresh() {
    XCTAssertEqual(positions([10, nil, 11]), [0: 1024, 1: 2048, 2: 3072])
    XCTAssertEqual(positions([7, 7]), [0: 7 - 1024], "two of one number are told apart")
  }

  func testEveryOrderOfAnyPositionsRisesAfterwards() {
    var state: UInt64 = 99
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    for _ in 0..<500 {
      let known = (0..<next(12)).map { _ in next(3) == 0 ? nil : Int64(next(15)) }
      var result = known
      for (index, position) in Positions(known).changed { result[index] = position }
      let all = result.compactMap { $0 }
      XCTAssertEqual(all.count, known.count)
      XCTAssertTrue(zip(all, all.dropFirst()).allSatisfy(<), "\(known) became \(all)")
    }
  }

  func testTheOrderLiesBesideTheKeyOrInTheJoinTable() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("order-\(UUID().uuidString).sqlite")
    defer {
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: url.path + end))
      }
    }
    let container = NSPersistentContainer(name: "Order", managedObjectModel: makeModel())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { XCTAssertNil($1) }
    let context = container.viewContext
    func insert(_ name: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    let owner = insert("List")
    let items = (0..<3).map { _ in insert("Item") }
    try context.obtainPermanentIDs(for: items)
    owner.setValue(NSOrderedSet(array: items.reversed()), forKey: "items")
    owner.setValue(NSOrderedSet(array: [items[1], items[0]]), forKey: "picks")
    try context.save()
    let reader = try Connection(path: url.path, options: .init(readOnly: true))
    func rows(_ sql: String) throws -> [[Int64]] {
      let statement = try reader.statement(sql)
      defer { statement.reset() }
      var rows: [[Int64]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.int64($0) })
      }
      return rows
    }
    XCTAssertEqual(
      try rows("SELECT Z_PK, ZLIST, Z_FOK_LIST, Z_OPT FROM ZITEM ORDER BY Z_PK"),
      [[1, 1, 3072, 1], [2, 1, 2048, 1], [3, 1, 1024, 1]])
    XCTAssertEqual(
      try rows("SELECT Z_1PICKS, Z_FOK_1PICKS, Z_FOK_2PICKERS FROM Z_1PICKERS ORDER BY 1"),
      [[1, 2048, 1024], [2, 1024, 1024]],
      "picks of a list have an order, and so have the pickers of an item")
    owner.mutableOrderedSetValue(forKey: "items").moveObjects(at: [0], to: 2)
    try context.save()
    XCTAssertEqual(
      try rows("SELECT Z_PK, Z_FOK_LIST, Z_OPT FROM ZITEM ORDER BY Z_PK"),
      [[1, 3072, 1], [2, 2048, 1], [3, 4096, 1]], "one position is written and no version counted")
    XCTAssertEqual(try rows("SELECT Z_OPT FROM ZLIST"), [[2]])
  }

  /// Lists and items: one to many, and many to many with an order at both ends.
  private func makeModel() -> NSManagedObjectModel {
    func entity(_ name: String) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    func relationship(
      _ name: String, to destination: NSEntityDescription, isOrdered: Bool = true
    ) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = destination
      relationship.isOrdered = isOrdered
      relationship.maxCount = isOrdered ? 0 : 1
      return relationship
    }
    let (list, item) = (entity("List"), entity("Item"))
    let ends = [
      (relationship("items", to: item), relationship("list", to: list, isOrdered: false)),
      (relationship("picks", to: item), relationship("pickers", to: list)),
    ]
    for (one, other) in ends {
      one.inverseRelationship = other
      other.inverseRelationship = one
    }
    list.properties = ends.map(\.0)
    item.properties = ends.map(\.1)
    let model = NSManagedObjectModel()
    model.entities = [list, item]
    return model
  }
}
