import CoreData
import Foundation
import XCTest

/// When uniqueness constraints are checked, what is compared, and what a refused save says.
final class ConstraintSpecs: SpecCase {
  private func makeCatalogue(_ name: String = "Catalogue") throws -> NSManagedObjectContext {
    let container = try makeContainer(model: SpecModel.catalogue, name: name)
    keep(container)
    return container.viewContext
  }

  private func sibling(of context: NSManagedObjectContext) throws -> NSManagedObjectContext {
    let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
    let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    other.persistentStoreCoordinator = coordinator
    keep(other)
    return other
  }

  private func conflicts(
    savingFails context: NSManagedObjectContext, line: UInt = #line
  ) throws -> [NSConstraintConflict] {
    let error = cocoaError(133021, line: line) { try context.save() }
    return try XCTUnwrap(
      error?.userInfo["conflictList"] as? [NSConstraintConflict], "no conflictList", line: line)
  }

  // MARK: When

  func testD57_duplicatesLiveTogetherInTheContextUntilItSaves() throws {
    let context = try makeCatalogue()
    context.product("k", "stored")
    try context.save()
    let first = context.product("k", "first")
    context.product("k", "second")
    context.processPendingChanges()
    XCTAssertEqual(try context.all(Product.self).count, 3)
    XCTAssertNoThrow(try first.validateForInsert())
    XCTAssertEqual(first.key, "k")
    XCTAssertThrowsError(try context.save())
  }

  func testD57_onlyWhatIsNewOrChangedIsChecked() throws {
    let context = try makeCatalogue()
    let product = context.product("k", "stored")
    try context.save()
    product.name = "renamed"
    product.key = "k"
    try context.save()
    product.key = "k2"
    product.key = "k"
    try context.save()
    XCTAssertFalse(context.hasChanges)
  }

  func testD44_conflictsOfVersionsAreResolvedBeforeThoseOfConstraints() throws {
    let context = try makeCatalogue()
    let mine = context.product("a", "A")
    context.product("k", "K")
    try context.save()
    let other = try sibling(of: context)
    let theirs = try XCTUnwrap(other.existingObject(with: mine.objectID) as? Product)
    theirs.note = "S"
    try other.save()
    mine.name = "L"
    mine.key = "b"
    context.product("k", "new")
    cocoaError(133020) { try context.save() }
    let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    context.mergePolicy = policy
    try context.save()
    XCTAssertEqual(policy.asked.value, ["versions 1", "constraints 1"])
    let file = try makeCatalogue()
    XCTAssertEqual(try file.all(Product.self, by: "key").map(\.key), ["b", "k"])
    XCTAssertEqual(try file.all(Product.self, by: "key").map(\.name), ["L", "new"])
    XCTAssertEqual(try file.all(Product.self, by: "key").map(\.note), ["S", nil])
  }

  // MARK: What a refused save says

  func testD58_eachViolatedConstraintIsOneConflictThatTellsEverything() throws {
    let context = try makeCatalogue()
    let byKey = context.product("k", "K")
    let byCode = SpecialProduct(context: context)
    byCode.code = "c"
    try context.save()
    let new = SpecialProduct(context: context)
    (new.key, new.code, new.name) = ("k", "c", "New")
    let found = try conflicts(savingFails: context).sorted { $0.constraint[0] > $1.constraint[0] }
    XCTAssertEqual(found.map(\.constraint), [["key"], ["code"]])
    XCTAssertEqual(
      found.map { $0.constraintValues as? [String: String] },
      [
        ["key": "k"], ["code": "c"],
      ])
    XCTAssertIdentical(found.first?.databaseObject, byKey)
    XCTAssertIdentical(found.last?.databaseObject, byCode)
    XCTAssertEqual(found.first?.databaseSnapshot?["name"] as? String, "K")
    XCTAssertTrue(found.first?.databaseSnapshot?["shelf"] is NSNull)
    XCTAssertEqual(found.map(\.conflictingObjects), [[new], [new]])
    let snapshot = found.first?.conflictingSnapshots.first as? [String: Any]
    XCTAssertEqual(snapshot?["name"] as? String, "New")
    XCTAssertTrue(try XCTUnwrap(found.first?.description).contains("key = k"))
  }

  func testD58_allConflictsOfTheSaveAreListed() throws {
    let context = try makeCatalogue()
    for number in 0..<3 { context.product("row \(number)") }
    try context.save()
    for number in 0..<50 { context.product("row \(number)", "first") }
    for number in 40..<45 { context.product("row \(number)", "second") }
    let found = try conflicts(savingFails: context)
    XCTAssertEqual(
      found.map { $0.constraintValues["key"] as? String },
      [0, 1, 2, 40, 41, 42, 43, 44].map { "row \($0)" })
    XCTAssertEqual(found.map { $0.databaseObject != nil }.filter { $0 }.count, 3)
  }

  func testD59_withARowThereIsOneObjectAndWithoutThereAreSeveral() throws {
    let context = try makeCatalogue()
    let row = context.product("k", "row")
    try context.save()
    let new = [context.product("k", "1"), context.product("k", "2")]
    let others = [context.product("n", "3"), context.product("n", "4"), context.product("n", "5")]
    let found = try conflicts(savingFails: context)
    XCTAssertEqual(found.map(\.conflictingObjects), [[new[0]], [new[1]], others])
    XCTAssertIdentical(found[0].databaseObject, row)
    XCTAssertIdentical(found[1].databaseObject, row)
    XCTAssertNil(found[2].databaseObject)
    XCTAssertNil(found[2].databaseSnapshot)
    XCTAssertEqual(found[2].conflictingSnapshots.count, 3)
  }

  func testD58_theSnapshotOfAStoredObjectHoldsItsStoredValues() throws {
    let context = try makeCatalogue()
    context.product("k", "row")
    let second = context.product("o", "Other")
    try context.save()
    (second.key, second.name) = ("k", "New")
    let found = try XCTUnwrap(conflicts(savingFails: context).first)
    let snapshot = found.conflictingSnapshots.first as? [String: Any]
    XCTAssertEqual(snapshot?["key"] as? String, "o")
    XCTAssertEqual(snapshot?["name"] as? String, "Other")
    XCTAssertEqual(found.constraintValues["key"] as? String, "k")
  }

  func testD60_anObjectWithoutChangesHasNoSnapshot() throws {
    let context = try makeCatalogue()
    let stored = context.product("k", "stored")
    try context.save()
    let new = context.product("k", "new")
    let conflict = NSConstraintConflict(
      constraint: ["key"], database: nil, databaseSnapshot: nil, conflicting: [stored, new],
      conflictingSnapshots: [NSNull(), ["key": "k", "name": "new"]])
    XCTAssertTrue(conflict.conflictingSnapshots[0] is NSNull)
    XCTAssertEqual(conflict.constraintValues["key"] as? String, "k")
    try NSMergePolicy.mergeByPropertyObjectTrump.resolve(constraintConflicts: [conflict])
    XCTAssertEqual(stored.name, "new")
    XCTAssertTrue(new.isDeleted)
    try context.save()
  }

  func testD61_theErrorPolicyThrows133021() throws {
    let context = try makeCatalogue()
    context.product("k")
    context.product("k")
    let error = cocoaError(NSManagedObjectConstraintMergeError) { try context.save() }
    XCTAssertEqual((error?.userInfo["conflictList"] as? [Any])?.count, 1)
    XCTAssertEqual(NSManagedObjectConstraintMergeError, 133021)
  }

  func testD61_whatAPolicyLeavesViolatedIsNotValid() throws {
    let context = try makeCatalogue()
    let first = context.product("k")
    context.product("k")
    context.mergePolicy = PassivePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let error = cocoaError(NSManagedObjectConstraintValidationError) { try context.save() }
    XCTAssertEqual(NSManagedObjectConstraintValidationError, 1551)
    XCTAssertEqual((error?.userInfo["conflictList"] as? [NSConstraintConflict])?.count, 1)
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? Product, first)
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "key")
    XCTAssertEqual(
      error?.userInfo[NSValidationValueErrorKey] as? [String: String], ["key": "k"])
    XCTAssertEqual(context.insertedObjects.count, 2)
  }

  // MARK: What is compared

  func testD62_nilIsUniqueHoweverOften() throws {
    let context = try makeCatalogue()
    for _ in 0..<3 { context.product(nil) }
    try context.save()
    context.product(nil)
    for _ in 0..<2 {
      let seat = Seat(context: context)
      (seat.row, seat.number) = ("A", 1)
    }
    try context.save()
    XCTAssertEqual(try makeCatalogue().all(Product.self).count, 4)
    XCTAssertEqual(try makeCatalogue().all(Seat.self).count, 2)
  }

  func testD63_aConstraintHoldsInTheWholeFamilyOfItsEntity() throws {
    let context = try makeCatalogue()
    context.product("k")
    try context.save()
    let special = SpecialProduct(context: context)
    special.key = "k"
    XCTAssertEqual(try conflicts(savingFails: context).count, 1)
    special.key = "l"
    special.code = "c"
    try context.save()
    let second = SpecialProduct(context: context)
    second.code = "c"
    XCTAssertEqual(try conflicts(savingFails: context).first?.constraint, ["code"])
  }

  func testD63_valuesAreComparedAsTheyAreWritten() throws {
    let context = try makeCatalogue()
    for key in ["key", "KEY", "key ", "kéy", "ke\u{301}y", ""] { context.product(key) }
    try context.save()
    XCTAssertEqual(try makeCatalogue().all(Product.self).count, 6)
    context.product("")
    XCTAssertEqual(try conflicts(savingFails: context).count, 1)
  }

  func testD64_aToOneRelationshipTakesPartInAConstraint() throws {
    let context = try makeCatalogue()
    let halls = [Hall(context: context), Hall(context: context)]
    func seat(_ number: Int64, _ hall: Hall) {
      let seat = Seat(context: context)
      (seat.row, seat.number, seat.hall) = ("A", number, hall)
    }
    seat(1, halls[0])
    seat(2, halls[0])
    seat(1, halls[1])
    try context.save()
    seat(1, halls[0])
    let found = try XCTUnwrap(conflicts(savingFails: context).first)
    XCTAssertEqual(found.constraint, ["row", "number", "hall"])
    XCTAssertEqual(found.constraintValues["hall"] as? NSManagedObjectID, halls[0].objectID)
    XCTAssertNotNil(found.databaseObject)
    context.rollback()
    let new = Hall(context: context)
    seat(7, new)
    seat(7, new)
    XCTAssertEqual(try conflicts(savingFails: context).first?.conflictingObjects.count, 2)
  }

  func testD64_aConstraintIsReadBackAsNames() {
    let entity = NSEntityDescription()
    let key = SpecModel.text("key")
    entity.properties = [key, SpecModel.text("code")]
    entity.uniquenessConstraints = [[key, "code"], ["code"]]
    XCTAssertEqual(entity.uniquenessConstraints as? [[String]], [["key", "code"], ["code"]])
  }

  // MARK: Afterwards

  func testD65_L13_duplicatesFailEverySaveUntilTheyAreDeleted() throws {
    let context = try makeCatalogue()
    context.product("k", "row")
    try context.save()
    let duplicate = context.product("k", "duplicate")
    for number in 0..<3 {
      context.product("other \(number)")
      cocoaError(133021) { try context.save() }
      XCTAssertTrue(duplicate.isInserted)
      XCTAssertTrue(duplicate.objectID.isTemporaryID)
      XCTAssertEqual(context.insertedObjects.count, number + 2)
    }
    XCTAssertEqual(try makeCatalogue().all(Product.self).count, 1)
    context.delete(duplicate)
    try context.save()
    XCTAssertEqual(try makeCatalogue().all(Product.self).count, 4)
  }

  func testD65_aRollbackEndsItToo() throws {
    let context = try makeCatalogue()
    context.product("k")
    context.product("k")
    cocoaError(133021) { try context.save() }
    context.rollback()
    context.product("l")
    try context.save()
    XCTAssertEqual(try makeCatalogue().all(Product.self).map(\.key), ["l"])
  }

  func testD66_whoPointedToTheLoserPointsToTheSurvivor() throws {
    let context = try makeCatalogue()
    let survivor = context.product("k", "Old")
    survivor.shelf = Shelf(context: context)
    try context.save()
    let loser = context.product("k", "New")
    let pointer = Pointer(context: context)
    pointer.target = loser
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    XCTAssertNil(loser.managedObjectContext)
    XCTAssertIdentical(pointer.target, survivor)
    XCTAssertEqual(survivor.pointers, [pointer])
    XCTAssertNil(survivor.shelf, "the new object stood on no shelf")
  }

  func testA63_D66_theLoserHasNoContextUnderAnUndoManagerEither() throws {
    let context = try makeCatalogue()
    context.undoManager = UndoManager()
    let survivor = context.product("k", "Old")
    try context.save()
    let loser = context.product("k", "New")
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    XCTAssertNil(loser.managedObjectContext)
    XCTAssertEqual(context.registeredObjects, [survivor])
    XCTAssertEqual(survivor.name, "New")
    XCTAssertFalse(context.hasChanges)
  }

  func testD67_theLoserIsDeadAndItsRecordIsFoundByTheKey() throws {
    let context = try makeCatalogue()
    let survivor = context.product("k", "Old")
    try context.save()
    let loser = context.product("k", "New")
    let id = loser.objectID
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    XCTAssertNil(loser.managedObjectContext)
    XCTAssertFalse(loser.isInserted)
    XCTAssertFalse(loser.isDeleted)
    XCTAssertTrue(loser.isFault)
    XCTAssertNil(context.registeredObject(for: id))
    let request = NSFetchRequest<Product>(entityName: "Product")
    request.predicate = NSPredicate(format: "key == %@", "k")
    XCTAssertEqual(try context.fetch(request), [survivor])
  }

  func testD75_aSaveThatTheStoreRefusesIsNoConflict() throws {
    let context = try makeCatalogue()
    context.product("k")
    try context.save()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.catalogue)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Catalogue"),
      options: [NSReadOnlyPersistentStoreOption: true])
    let reading = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    reading.persistentStoreCoordinator = coordinator
    keep(coordinator)
    reading.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    reading.product("k")
    let error = cocoaError(513) { try reading.save() }
    XCTAssertNil(error?.userInfo["conflictList"])
    XCTAssertEqual(reading.insertedObjects.count, 1)
  }
}

/// Notes which conflicts it is asked about, then does what its type does.
private final class RecordingPolicy: NSMergePolicy, @unchecked Sendable {
  /// What it was asked, in order.
  let asked = Box<[String]>([])

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    asked.update { $0.append("versions \(list.count)") }
    try super.resolve(optimisticLockingConflicts: list)
  }

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    asked.update { $0.append("constraints \(list.count)") }
    try super.resolve(constraintConflicts: list)
  }
}

/// Leaves every conflict of constraints as it is.
private final class PassivePolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {}
}
