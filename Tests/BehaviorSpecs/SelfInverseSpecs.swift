import CoreData
import Foundation
import XCTest

/// A many-to-many relationship that is its own inverse: who has a friend is that friend's friend.
final class SelfInverseSpecs: SpecCase {
  private static let model = FriendModel(make: {
    let person = SpecModel.entity("Person", NSManagedObject.self, [SpecModel.text("name")])
    let friends = SpecModel.toMany("friends", person, .nullifyDeleteRule)
    SpecModel.relate(friends, friends)
    person.properties = [SpecModel.text("name"), friends.relationship]
    let model = NSManagedObjectModel()
    model.entities = [person]
    return model
  })

  private func open() throws -> NSManagedObjectContext {
    let container = try openContainer(model: Self.model.model, at: storeURL())
    keep(container)
    return reader(container)
  }

  /// Saves people of these names; the first two are friends if `befriended`.
  private func people(
    _ context: NSManagedObjectContext, _ names: String, befriended: Bool = false
  ) throws -> [NSManagedObject] {
    let people = names.map { name in
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue(String(name), forKey: "name")
      return person
    }
    if befriended { people[0].mutableSetValue(forKey: "friends").add(people[1]) }
    try context.save()
    return people
  }

  /// Each person's name and those of the friends, as a new context reads them from the file.
  private func stored() throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    return try open().fetch(request).map { person in
      let friends = person.mutableSetValue(forKey: "friends").allObjects
      let names = (friends as? [NSManagedObject] ?? []).map(\.personName).sorted()
      return person.personName + ":" + names.joined()
    }.sorted()
  }

  func testC21_friendsWhoFoundOrLostEachOtherDoSoOnBothSides() throws {
    let context = try open()
    let both = try people(context, "ab")
    both[0].mutableSetValue(forKey: "friends").add(both[1])
    try context.save()
    XCTAssertEqual(try stored(), ["a:b", "b:a"])
    both[1].mutableSetValue(forKey: "friends").remove(both[0])
    try context.save()
    XCTAssertEqual(try stored(), ["a:", "b:"])
  }

  func testC21_A91_whatOnlyOneFriendStillKnowsAfterARefreshIsWrittenForBoth() throws {
    for merges in [true, false] {
      let context = try open()
      let some = try people(context, merges ? "abc" : "def", befriended: true)
      let friends = some[0].mutableSetValue(forKey: "friends")
      friends.remove(some[1])
      friends.add(some[2])
      for other in some[1...] { context.refresh(other, mergeChanges: merges) }
      try context.save()
    }
    XCTAssertEqual(try stored(), ["a:c", "b:", "c:a", "d:f", "e:", "f:d"])
  }

  func testC21_withADeletedPersonGoAllItsPairs() throws {
    let context = try open()
    let both = try people(context, "ab", befriended: true)
    context.delete(both[0])
    context.processPendingChanges()
    context.refresh(both[1], mergeChanges: false)
    try context.save()
    XCTAssertEqual(try stored(), ["b:"])
  }

  func testC21_A104_whoComesBackIsAFriendOnBothSides() throws {
    let context = try open()
    context.undoManager = UndoManager()
    let both = try people(context, "ab", befriended: true)
    context.delete(both[0])
    try context.save()
    XCTAssertEqual(try stored(), ["b:"])
    context.undo()
    try context.save()
    XCTAssertEqual(try stored(), ["a:b", "b:a"])
  }

  func testC21_T6_whoIsWrittenAnewIsAFriendOnBothSides() throws {
    let (local, external) = (try open(), try open())
    let both = try people(local, "ab", befriended: true)
    XCTAssertEqual(both[0].mutableSetValue(forKey: "friends").count, 1)
    external.delete(try external.existingObject(with: both[0].objectID))
    try external.save()
    both[0].setValue("c", forKey: "name")
    local.mergePolicy = NSMergePolicy.overwrite
    try local.save()
    XCTAssertEqual(try stored(), ["b:c", "c:b"])
  }
}

extension NSManagedObject {
  fileprivate var personName: String { value(forKey: "name") as? String ?? "" }
}

/// Carries a finished model between threads.
private struct FriendModel: @unchecked Sendable {
  let model: NSManagedObjectModel

  init(make: () -> NSManagedObjectModel) { model = make() }
}
