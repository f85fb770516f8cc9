import Faultline
import Foundation
import SQLiteConnection
import XCTest

/// The table of a many-to-many relationship that is its own inverse, seen with SQLite alone: two
/// rows for each pair (rule C21).
final class SelfInverseLayoutTests: XCTestCase {
  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("self-inverse-\(UUID().uuidString).sqlite")
  private var container: NSPersistentContainer!

  override func setUpWithError() throws {
    let friends = NSRelationshipDescription()
    friends.name = "friends"
    friends.deleteRule = .noActionDeleteRule
    let person = NSEntityDescription()
    person.name = "Person"
    person.properties = [friends]
    friends.destinationEntity = person
    friends.inverseRelationship = friends
    let model = NSManagedObjectModel()
    model.entities = [person]
    container = NSPersistentContainer(name: "Friends", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
  }

  override func tearDown() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  /// The pairs in the file, each as two keys.
  private func pairs() throws -> [[Int64]] {
    let connection = try Connection(path: url.path, options: .init(readOnly: true))
    let statement = try connection.statement(
      "SELECT Z_1FRIENDS, REFLEXIVE FROM Z_1FRIENDS ORDER BY 1, 2")
    defer { statement.reset() }
    var pairs: [[Int64]] = []
    while try statement.step() { pairs.append([statement.int64(0), statement.int64(1)]) }
    return pairs
  }

  /// Saves some people, of whom the first is everybody's friend.
  private func people(_ count: Int) throws -> [NSManagedObject] {
    let context = container.viewContext
    let people = (0..<count).map { _ in
      NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    }
    try context.obtainPermanentIDs(for: people)
    for other in people[1...] { people[0].mutableSetValue(forKey: "friends").add(other) }
    try context.save()
    return people
  }

  func testC21_eachPairStandsInTheTableBothWays() throws {
    let context = container.viewContext
    let some = try people(3)
    XCTAssertEqual(try pairs(), [[1, 2], [1, 3], [2, 1], [3, 1]])
    some[2].mutableSetValue(forKey: "friends").add(some[1])
    some[2].mutableSetValue(forKey: "friends").remove(some[0])
    context.refresh(some[0], mergeChanges: false)
    context.refresh(some[1], mergeChanges: false)
    try context.save()
    XCTAssertEqual(try pairs(), [[1, 2], [2, 1], [2, 3], [3, 2]])
  }

  func testC21_aDeletionLeavesNoPairWhateverItsRule() throws {
    let context = container.viewContext
    let some = try people(4)
    context.delete(some[1])
    try context.save()
    XCTAssertEqual(try pairs(), [[1, 3], [1, 4], [3, 1], [4, 1]])
    try context.execute(NSBatchDeleteRequest(objectIDs: [some[2].objectID]))
    XCTAssertEqual(try pairs(), [[1, 4], [4, 1]])
  }
}
