import CoreData
import Foundation
import XCTest

/// Uniqueness constraints in company: several at once, rows that make way, policies of one's own,
/// many writers.
final class ConstraintResolutionSpecs: SpecCase {
  private func makeCatalogue(
    _ policy: NSMergePolicy = .mergeByPropertyObjectTrump
  ) throws -> NSManagedObjectContext {
    let container = try makeContainer(model: SpecModel.catalogue, name: "Catalogue")
    keep(container)
    container.viewContext.mergePolicy = policy
    return container.viewContext
  }

  private func rows() throws -> [String] {
    try makeCatalogue().all(Product.self).map { "\($0.key ?? "-") \($0.name ?? "-")" }.sorted()
  }

  func testARowThatTheSaveDeletesMakesWay() throws {
    let context = try makeCatalogue(.error)
    let old = context.product("k", "Old")
    try context.save()
    context.delete(old)
    let new = context.product("k", "New")
    try context.save()
    XCTAssertEqual(try rows(), ["k New"])
    XCTAssertEqual(new.name, "New")
  }

  func testTwoRowsMayExchangeTheirKeys() throws {
    let context = try makeCatalogue(.error)
    let (a, b) = (context.product("a", "1"), context.product("b", "2"))
    let c = context.product("c", "3")
    try context.save()
    (a.key, b.key, c.key) = ("b", "c", "a")
    try context.save()
    XCTAssertEqual(try rows(), ["a 3", "b 1", "c 2"])
    (a.key, b.key) = ("c", "b")
    XCTAssertEqual(errorCode { try context.save() }, nil)
    XCTAssertEqual(try rows(), ["a 3", "b 2", "c 1"])
  }

  func testSeatsMayExchangeOnePartOfAConstraint() throws {
    let context = try makeCatalogue(.error)
    let hall = Hall(context: context)
    let seats = (1...2).map { number in
      let seat = Seat(context: context)
      (seat.row, seat.number, seat.hall) = ("A", Int64(number), hall)
      return seat
    }
    try context.save()
    (seats[0].number, seats[1].number) = (2, 1)
    try context.save()
    let stored = try makeCatalogue().all(Seat.self, by: "number")
    XCTAssertEqual(stored.map(\.row), ["A", "A"])
    XCTAssertEqual(stored.map(\.number), [1, 2])
    XCTAssertEqual(stored.compactMap(\.hall).count, 2)
  }

  func testTwoNewObjectsAndARowBecomeOneRowWithTheLatestValues() throws {
    let context = try makeCatalogue()
    let row = context.product("k", "Old")
    try context.save()
    context.product("k", "first")
    context.product("k", "second")
    try context.save()
    XCTAssertEqual(try rows(), ["k second"])
    XCTAssertEqual(row.name, "second")
  }

  func testARowTakenOverMayBeInTheWayOfTheNext() throws {
    let context = try makeCatalogue()
    let byKey = context.product("k", "by key")
    let special = SpecialProduct(context: context)
    (special.key, special.code, special.name) = ("s", "c", "by code")
    try context.save()
    let new = SpecialProduct(context: context)
    (new.key, new.code, new.name) = ("k", "c", "New")
    try context.save()
    // The new object went into the row that has its key; that row knows no code.
    XCTAssertEqual(try rows(), ["k New", "s by code"])
    XCTAssertEqual(byKey.name, "New")
    XCTAssertEqual(special.code, "c")
  }

  func testConstraintsThatMeetInOneObjectEndInOneRow() throws {
    let context = try makeCatalogue()
    let first = SpecialProduct(context: context)
    (first.key, first.code, first.name) = ("k", "1", "first")
    let second = SpecialProduct(context: context)
    (second.key, second.code, second.name) = ("l", "2", "second")
    try context.save()
    let new = SpecialProduct(context: context)
    (new.key, new.code, new.name) = ("k", "2", "New")
    try context.save()
    XCTAssertEqual(try rows().count, 1)
    let rest = try makeCatalogue().only(SpecialProduct.self)
    // The new one went into the row with its key, and that row, whose code had now changed, into
    // the row with its code, which takes what changed: not the key.
    XCTAssertEqual([rest.key, rest.code, rest.name], ["l", "2", "New"])
  }

  func testAStoredObjectComesBeforeANewOneWhateverCameFirst() throws {
    let context = try makeCatalogue()
    let stored = context.product("o", "Other", note: "M")
    try context.save()
    context.product("k", "New")
    stored.key = "k"
    try context.save()
    XCTAssertEqual(try rows(), ["k New"])
    XCTAssertNotNil(stored.managedObjectContext)
    XCTAssertNil(stored.note)
  }

  func testAnObjectOfASubentityIsUnitedInWhatBothHave() throws {
    let context = try makeCatalogue()
    let row = context.product("k", "Old")
    try context.save()
    let special = SpecialProduct(context: context)
    (special.key, special.name, special.code) = ("k", "New", "c")
    let tag = ProductTag(context: context)
    special.tags = [tag]
    try context.save()
    XCTAssertEqual(row.name, "New")
    XCTAssertEqual(row.tags, [tag])
    XCTAssertEqual(row.entity.name, "Product")
    XCTAssertNil(special.managedObjectContext)
  }

  func testUnderStoreTrumpTheShelfOfTheLoserIsTakenByASurvivorWithoutOne() throws {
    let context = try makeCatalogue(.mergeByPropertyStoreTrump)
    let without = context.product("k")
    let with = context.product("l")
    let was = Shelf(context: context)
    with.shelf = was
    try context.save()
    let shelf = Shelf(context: context)
    shelf.products = [context.product("k"), context.product("l")]
    try context.save()
    XCTAssertIdentical(without.shelf, shelf)
    XCTAssertIdentical(with.shelf, was)
    XCTAssertEqual(shelf.products, [without])
    XCTAssertEqual(was.products, [with])
  }

  func testAPointerThatMovedGoesBackWhereItWasUnderRollback() throws {
    let context = try makeCatalogue(.rollback)
    let row = context.product("k", "Old")
    let pointer = Pointer(context: context)
    pointer.target = row
    let shelf = Shelf(context: context)
    row.shelf = shelf
    try context.save()
    let new = context.product("k", "New")
    pointer.target = new
    new.shelf = shelf
    try context.save()
    XCTAssertIdentical(pointer.target, row)
    XCTAssertEqual(row.pointers, [pointer])
    XCTAssertEqual(shelf.products, [row])
    XCTAssertEqual(try makeCatalogue().only(Pointer.self).target?.name, "Old")
  }

  func testAStoredLosersRelationshipsReturnUnderRollback() throws {
    let context = try makeCatalogue(.rollback)
    context.product("k")
    let second = context.product("o")
    let (was, wanted) = (Shelf(context: context), Shelf(context: context))
    second.shelf = was
    let tag = ProductTag(context: context)
    second.tags = [tag]
    try context.save()
    (second.key, second.shelf, second.tags) = ("k", wanted, [])
    try context.save()
    XCTAssertEqual(second.key, "o")
    XCTAssertIdentical(second.shelf, was)
    XCTAssertEqual(was.products, [second])
    XCTAssertEqual(wanted.products, [])
    XCTAssertEqual(second.tags, [tag])
    XCTAssertFalse(context.hasChanges)
  }

  func testAPolicyOfOnesOwnMayGiveAwayAnotherKey() throws {
    let context = try makeCatalogue()
    context.mergePolicy = RenamingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    context.product("k", "row")
    try context.save()
    context.product("k", "first")
    context.product("k", "second")
    try context.save()
    XCTAssertEqual(try rows(), ["k 1 first", "k 2 second", "k row"])
  }

  func testAnErrorOfAPolicyOfOnesOwnIsTheErrorOfTheSave() throws {
    let context = try makeCatalogue()
    context.mergePolicy = RefusingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    context.product("k")
    context.product("k")
    XCTAssertThrowsError(try context.save()) { XCTAssertTrue($0 is RefusingPolicy.Refusal) }
    XCTAssertEqual(context.insertedObjects.count, 2)
  }

  func testTheSaveTellsWhatBecameOfTheObjects() throws {
    let context = try makeCatalogue()
    let row = context.product("k", "Old")
    let second = context.product("o", "Other")
    try context.save()
    let ids = (row.objectID, second.objectID)
    second.key = "k"
    context.product("n")
    let log = NotificationLog([NSManagedObjectContext.didSaveObjectsNotification], from: context)
    second.name = "New"
    try context.save()
    let entry = try XCTUnwrap(log.entries.first)
    XCTAssertEqual(entry.count(NSInsertedObjectsKey), 1)
    XCTAssertEqual(entry.ids[NSUpdatedObjectsKey], [ids.0])
    XCTAssertEqual(entry.ids[NSDeletedObjectsKey], [ids.1])
  }

  func testManyWritersOfTheSameKeysLeaveOneRowEach() throws {
    let container = try makeContainer(model: SpecModel.catalogue, name: "Catalogue")
    let second = try makeContainer(model: SpecModel.catalogue, name: "Catalogue")
    let writers = (0..<4).map { [container, second][$0 % 2].newBackgroundContext() }
    for writer in writers { writer.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
    let failures = Box<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      let context = writers[number]
      context.performAndWait {
        for round in 0..<5 {
          for key in 0..<10 { context.product("\(key)", "\(number) \(round)") }
          do { try context.save() } catch { failures.update { $0.append("\(error)") } }
          context.reset()
        }
      }
    }
    XCTAssertEqual(failures.value, [])
    XCTAssertEqual(try rows().map { String($0.prefix(1)) }, (0..<10).map(String.init))
  }

  func testEachStoreKeepsItsOwnConstraintsAndAllViolationsAreListed() throws {
    let context = try makeCatalogue(.error)
    let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
    let second = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Second"))
    let stores = [coordinator.persistentStores[0], second]
    func product(_ name: String, in store: NSPersistentStore) -> Product {
      let product = context.product("k", name)
      context.assign(product, to: store)
      return product
    }
    let first = stores.map { product("old", in: $0) }
    try context.save()
    let new = stores.map { product("new", in: $0) }
    let error = cocoaError(133021) { try context.save() }
    let found = try XCTUnwrap(error?.userInfo["conflictList"] as? [NSConstraintConflict])
    XCTAssertEqual(Set(found.compactMap(\.databaseObject)), Set(first))
    XCTAssertEqual(Set(found.flatMap(\.conflictingObjects)), Set(new))
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    XCTAssertEqual(first.map(\.name), ["new", "new"])
    XCTAssertEqual(try rows(), ["k new"])
  }

  func testEveryTypeOfAttributeCanBeUnique() throws {
    let context = try makeCatalogue(.error)
    XCTAssertTrue(context.insertedObjects.isEmpty)
    for sample in TypeSample.all {
      let coordinator = try sample.coordinator(at: storeURL(sample.name))
      keep(coordinator)
      let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      other.persistentStoreCoordinator = coordinator
      for value in sample.values { sample.insert(value, in: other) }
      XCTAssertNil(errorCode { try other.save() }, sample.name)
      for value in sample.values { sample.insert(value, in: other) }
      XCTAssertEqual(errorCode { try other.save() }, 133021, sample.name)
      other.rollback()
      for _ in 0..<2 { sample.insert(sample.another, in: other) }
      XCTAssertEqual(errorCode { try other.save() }, 133021, sample.name)
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      XCTAssertNil(errorCode { try other.save() }, sample.name)
      XCTAssertEqual(try sample.count(in: other), sample.values.count + 1, sample.name)
    }
  }

  func testAStoreWrittenWithoutAConstraintIsNotOpenedWithIt() throws {
    let without = NSPersistentStoreCoordinator(
      managedObjectModel: SpecModel.makeCatalogue(isConstrained: false))
    let store = try without.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Old"))
    try without.remove(store)
    let with = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.catalogue)
    let error = cocoaError(134100) {
      try with.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Old"))
    }
    XCTAssertTrue(try XCTUnwrap(error?.localizedDescription).contains("Product"))
  }

  func testAtRandomEveryPolicyButErrorLeavesNoDuplicate() throws {
    for seed in 1...8 {
      for policy in Policy.allCases where policy != .error {
        var walk = ConstraintWalk(seed: seed, at: storeURL("Walk \(seed) \(policy)"))
        try walk.run(policy) { keep($0) }
        XCTAssertEqual(walk.complaints, [], "seed \(seed), \(policy)")
      }
    }
  }
}

/// Gives every new object that is in conflict a key of its own, then leaves the rest to super.
private final class RenamingPolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    for (number, conflict) in list.enumerated() {
      let product = conflict.conflictingObjects.first as? Product
      product?.key = "k \(number + 1)"
    }
    try super.resolve(constraintConflicts: list)
  }
}

/// Throws an error of its own.
private final class RefusingPolicy: NSMergePolicy, @unchecked Sendable {
  struct Refusal: Error {}

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    throw Refusal()
  }
}
