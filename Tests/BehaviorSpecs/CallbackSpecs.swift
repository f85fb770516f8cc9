import CoreData
import Foundation
import XCTest

/// Which callbacks an object gets, when, and what may be done in them (section A.5).
final class CallbackSpecs: SpecCase {
  override func setUpWithError() throws {
    try super.setUpWithError()
    Journal.clear()
  }

  override func tearDown() {
    Journal.clear()
    super.tearDown()
  }

  func testA75_awakeFromInsertComesOnceInALifeAfterInsertion() throws {
    let container = try makeWitnessContainer()
    let context = container.viewContext
    let inserted = Box(false)
    Journal.during("awakeFromInsert") {
      inserted.value = $0.isInserted && $0.managedObjectContext != nil
    }
    let witness = Witness(context: context)
    XCTAssertEqual(Journal.entries, ["awakeFromInsert"])
    XCTAssertTrue(inserted.value)
    try context.save()
    context.refresh(witness, mergeChanges: false)
    _ = witness.name
    _ = try makeMainContext(container).only(Witness.self).name
    XCTAssertEqual(Journal.count("awakeFromInsert"), 1)
  }

  func testA76_aChildsInsertAwakesAgainInTheParentAndThePushedValuesWin() throws {
    let parent = try makeWitnessContainer().viewContext
    let child = makeMainChild(of: parent)
    let made = Box(0)
    Journal.during("awakeFromInsert") {
      made.update { $0 += 1 }
      $0.stamp = Int64(made.value)
    }
    let witness = Witness(context: child)
    XCTAssertEqual(witness.stamp, 1)
    try child.save()
    XCTAssertEqual(made.value, 2)
    XCTAssertEqual(try XCTUnwrap(parent.insertedObjects.first as? Witness).stamp, 1)
  }

  func testA76_aTransientValueOfTheChildOverwritesThatOfTheParentsAwakening() throws {
    let parent = try makeWitnessContainer().viewContext
    let child = makeMainChild(of: parent)
    Journal.during("awakeFromInsert") { $0.remark = "awoken" }
    Witness(context: child).remark = "child's"
    try child.save()
    XCTAssertEqual(try XCTUnwrap(parent.insertedObjects.first as? Witness).remark, "child's")
  }

  func testA77_publicSettersInAwakeFromInsertAreOrdinaryChangesPrimitiveOnesAreNot() throws {
    let container = try makeWitnessContainer()
    Journal.during("awakeFromInsert") {
      $0.name = "public"
      $0.setPrimitiveValue(7, forKey: "stamp")
    }
    let witness = Witness(context: container.viewContext)
    XCTAssertEqual(witness.stamp, 7)
    XCTAssertEqual(Set(witness.changedValues().keys), ["name", "stamp"])
    try container.viewContext.save()
    let stored = try makeMainContext(container).only(Witness.self)
    XCTAssertEqual(stored.name, "public")
    XCTAssertEqual(stored.stamp, 7, "a baseline value is stored as well")
  }

  func testA38_A78_awakeFromFetchComesAfterTheValuesAndItsSettersAreNotTracked() throws {
    let container = try makeWitnessContainer()
    let writer = Witness(context: container.viewContext)
    writer.name = "stored"
    try container.viewContext.save()
    let seen = Box<[String?]>([])
    Journal.during("awakeFromFetch") { witness in
      let name = witness.name
      seen.update { $0.append(name) }
      witness.remark = "computed"
      witness.stamp = 9
    }
    let context = makeMainContext(container)
    let witness = try context.only(Witness.self)
    XCTAssertEqual(seen.value, [], "a fault has not been fulfilled yet")
    XCTAssertEqual(witness.name, "stored")
    XCTAssertEqual(seen.value, ["stored"])
    XCTAssertEqual(witness.stamp, 9)
    XCTAssertFalse(witness.hasChanges)
    XCTAssertFalse(context.hasChanges)

    context.refresh(witness, mergeChanges: false)
    _ = witness.name
    XCTAssertEqual(seen.value.count, 2, "each time the fault is fulfilled")
  }

  func testA38_F9_whatAwakeFromFetchReachesIsTheObjectThatTheFetchAnswers() throws {
    let container = try makeWitnessContainer()
    for name in ["a", "b", "c"] { Witness(context: container.viewContext).name = name }
    try container.viewContext.save()
    let request = NSFetchRequest<Witness>(entityName: "Witness")
    let ids = try container.viewContext.fetch(request).map(\.objectID)
    nonisolated(unsafe) var reached: [NSManagedObject] = []
    Journal.during("awakeFromFetch") { witness in
      reached += ids.compactMap { witness.managedObjectContext?.object(with: $0) }
    }
    request.returnsObjectsAsFaults = false
    let found = try makeMainContext(container).fetch(request)
    XCTAssertEqual(reached.count, 9)
    XCTAssertEqual(Set(reached), Set(found))
  }

  func testA79_rollbackAndRefreshAwakeTheObjectWithTheirBits() throws {
    let context = try makeWitnessContainer().viewContext
    let witness = Witness(context: context)
    try context.save()
    witness.name = "changed"
    Journal.clearEntries()
    context.refresh(witness, mergeChanges: true)
    XCTAssertTrue(Journal.entries.contains("awakeFromSnapshot 32"), "\(Journal.entries)")
    Journal.clearEntries()
    context.rollback()
    XCTAssertTrue(Journal.entries.contains("awakeFromSnapshot 16"), "\(Journal.entries)")
    XCTAssertEqual(NSSnapshotEventType.undoInsertion.rawValue, 2)
    XCTAssertEqual(NSSnapshotEventType.undoDeletion.rawValue, 4)
    XCTAssertEqual(NSSnapshotEventType.undoUpdate.rawValue, 8)
    XCTAssertEqual(NSSnapshotEventType.mergePolicy.rawValue, 64)
  }

  func testA80_prepareForDeletionComesAtDeletionWithRelationshipsIntact() throws {
    let context = try makeWitnessContainer().viewContext
    let parent = Witness(context: context)
    let child = Witness(context: context)
    child.parent = parent
    try context.save()
    let children = Box<[Int]>([])
    Journal.during("prepareForDeletion") { witness in
      let count = witness.children.count
      children.update { $0.append(count) }
    }
    context.delete(parent)
    XCTAssertEqual(children.value, [1])
    try context.save()
    XCTAssertEqual(children.value, [1], "not again at the save")
    XCTAssertNil(child.parent)
  }

  func testA81_willSaveComesForInsertedUpdatedAndDeletedObjects() throws {
    let context = try makeWitnessContainer().viewContext
    let doomed = Witness(context: context)
    let changed = Witness(context: context)
    let untouched = Witness(context: context)
    try context.save()
    XCTAssertEqual(Journal.count("willSave"), 3)
    XCTAssertEqual(Journal.count("didSave"), 3)

    let deletedOnes = Box(0)
    Journal.during("willSave") { witness in
      if witness.isDeleted { deletedOnes.update { $0 += 1 } }
    }
    Journal.clearEntries()
    context.delete(doomed)
    changed.name = "changed"
    let inserted = Witness(context: context)
    try context.save()
    XCTAssertEqual(Journal.count("willSave"), 3)
    XCTAssertEqual(deletedOnes.value, 1)
    XCTAssertFalse(untouched.hasChanges || inserted.hasChanges)
  }

  func testA81_aGuardedChangeInWillSaveConvergesAfterOneMoreRound() throws {
    let container = try makeWitnessContainer()
    let witness = Witness(context: container.viewContext)
    Journal.during("willSave") { if $0.stamp != 5 { $0.stamp = 5 } }
    try container.viewContext.save()
    XCTAssertEqual(Journal.count("willSave"), 2)
    XCTAssertFalse(witness.hasChanges)
    XCTAssertEqual(try makeMainContext(container).only(Witness.self).stamp, 5)
  }

  func testA81_aPrimitiveChangeInWillSaveIsStoredWithoutAnotherRound() throws {
    let container = try makeWitnessContainer()
    let witness = Witness(context: container.viewContext)
    try container.viewContext.save()
    Journal.clearEntries()
    Journal.during("willSave") { $0.setPrimitiveValue(8, forKey: "stamp") }
    witness.name = "changed"
    try container.viewContext.save()
    XCTAssertEqual(Journal.count("willSave"), 1)
    // Another coordinator has nothing in its row cache.
    XCTAssertEqual(try makeWitnessContainer().viewContext.only(Witness.self).stamp, 8)
  }

  func testA81_B44_aPrimitiveChangeInWillSaveOfAChildReachesTheParent() throws {
    let parent = try makeWitnessContainer().viewContext
    let witness = Witness(context: parent)
    try parent.save()
    let child = makeMainChild(of: parent)
    let mine = try child.only(Witness.self)
    Journal.during("willSave") { $0.setPrimitiveValue(8, forKey: "stamp") }
    mine.name = "changed"
    try child.save()
    XCTAssertEqual(witness.stamp, 8)
  }

  func testA78_whatAwakeFromFetchSetsIsSavedWithTheNextChange() throws {
    let context = try makeWitnessContainer().viewContext
    let witness = Witness(context: context)
    try context.save()
    context.refresh(witness, mergeChanges: false)
    Journal.during("awakeFromFetch") { $0.stamp = 9 }
    XCTAssertEqual(witness.stamp, 9)
    XCTAssertFalse(context.hasChanges)
    witness.name = "changed"
    try context.save()
    XCTAssertEqual(try makeWitnessContainer().viewContext.only(Witness.self).stamp, 9)
  }

  func testA82_willSaveMayDirtyAnotherObjectWhichThenGetsItsOwn() throws {
    let container = try makeWitnessContainer()
    let context = container.viewContext
    let parent = Witness(context: context)
    let child = Witness(context: context)
    child.parent = parent
    try context.save()
    Journal.clearEntries()
    Journal.during("willSave") { witness in
      if let parent = witness.parent, parent.stamp == 0 { parent.stamp = 1 }
    }
    child.name = "changed"
    try context.save()
    XCTAssertEqual(Journal.count("didSave"), 2)
    XCTAssertGreaterThanOrEqual(Journal.count("willSave"), 2)
    XCTAssertFalse(context.hasChanges)
    let stored = try makeMainContext(container).all(Witness.self, by: "stamp")
    XCTAssertEqual(stored.map(\.stamp), [0, 1])
  }

  func testA83_didSaveComesAfterTheCommitAndBeforeTheObservers() throws {
    let container = try makeWitnessContainer()
    let context = container.viewContext
    let rows = Box(-1)
    let second = try makeWitnessContainer().viewContext
    Journal.during("didSave") { _ in
      rows.value = (try? second.all(Witness.self).count) ?? -1
    }
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { _ in
      Journal.observed()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let witness = Witness(context: context)
    try context.save()
    XCTAssertEqual(rows.value, 1, "another connection sees the row")
    XCTAssertEqual(
      Journal.entries.filter { $0 == "didSave" || $0 == "observer" }, ["didSave", "observer"])
    XCTAssertFalse(witness.hasChanges)
  }

  func testA83_aPublicSetterInDidSaveDirtiesTheContextAgain() throws {
    let context = try makeWitnessContainer().viewContext
    let witness = Witness(context: context)
    Journal.during("didSave") { $0.stamp = 1 }
    try context.save()
    XCTAssertTrue(context.hasChanges)
    XCTAssertTrue(witness.isUpdated)
    Journal.clear()
    try context.save()
    XCTAssertFalse(context.hasChanges)
  }

  func testA50_A84_becomingAFaultIsBracketedByTwoCallbacks() throws {
    let context = try makeWitnessContainer().viewContext
    let witness = Witness(context: context)
    witness.name = "stored"
    try context.save()
    let states = Box<[Bool]>([])
    Journal.during("willTurnIntoFault") { witness in
      let fault = witness.isFault
      states.update { $0.append(fault) }
    }
    Journal.during("didTurnIntoFault") { witness in
      let fault = witness.isFault
      states.update { $0.append(fault) }
    }
    Journal.clearEntries()
    context.refresh(witness, mergeChanges: false)
    XCTAssertEqual(Journal.entries, ["willTurnIntoFault", "didTurnIntoFault"])
    XCTAssertEqual(states.value, [false, true])
  }

  func testA85_validationRunsDuringTheSaveOnly() throws {
    let context = try makeWitnessContainer().viewContext
    let witness = Witness(context: context)
    context.processPendingChanges()
    XCTAssertEqual(validations, [])
    try context.save()
    XCTAssertEqual(validations, ["validateForInsert"])
    witness.name = "changed"
    try context.save()
    XCTAssertEqual(validations, ["validateForInsert", "validateForUpdate"])
    context.delete(witness)
    try context.save()
    XCTAssertEqual(
      validations, ["validateForInsert", "validateForUpdate", "validateForDelete"])
  }

  func testA85_validationRunsWhenCalledAndChecksProperties() throws {
    let context = try makeContainer().viewContext
    let tag = Tag(context: context)
    XCTAssertThrowsError(try tag.validateForInsert()) { error in
      XCTAssertEqual((error as NSError).code, NSValidationMissingMandatoryPropertyError)
      let userInfo = (error as NSError).userInfo
      XCTAssertEqual(userInfo[NSValidationKeyErrorKey] as? String, "name")
      XCTAssertIdentical(userInfo[NSValidationObjectErrorKey] as AnyObject?, tag)
    }
    tag.name = "named"
    XCTAssertNoThrow(try tag.validateForInsert())
  }

  func testA87_callbacksRunOnTheThreadThatExecutesTheContextsWork() throws {
    let container = try makeWitnessContainer()
    let context = container.newBackgroundContext()
    let onMain = Box<[Bool]>([])
    for callback in ["awakeFromInsert", "willSave", "didSave"] {
      Journal.during(callback) { _ in onMain.update { $0.append(Thread.isMainThread) } }
    }
    context.perform {
      _ = Witness(context: context)
      try? context.save()
    }
    drain(context)
    XCTAssertEqual(onMain.value, [false, false, false])
    onMain.value = []
    _ = Witness(context: container.viewContext)
    try container.viewContext.save()
    XCTAssertEqual(onMain.value, [true, true, true])
  }

  private var validations: [String] { Journal.entries.filter { $0.hasPrefix("validate") } }

  private func makeWitnessContainer() throws -> NSPersistentContainer {
    try makeContainer(model: WitnessModel.model)
  }
}
