import CoreData
import Foundation
import XCTest

/// The errors of a save and the state it leaves behind (sections D.8 and D.9).
final class FailedSaveSpecs: SpecCase {
  private func failing() throws -> (crossing: Crossing, mine: Author) {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    return (crossing, mine)
  }

  func testD73_K11_theErrorListsEveryConflictUnderConflictList() throws {
    let crossing = try makeCrossing()
    let mine = try (0..<3).map { _ in try crossing.givenAuthor() }.map { pair in
      pair.external.name = "S1"
      return pair.local
    }
    try crossing.external.save()
    for author in mine { author.name = "L1" }
    let list = try conflicts(savingFails: crossing.local)
    XCTAssertEqual(Set(list.map(\.sourceObject)), Set(mine))
    XCTAssertEqual(list.count, 3)
  }

  func testD73_theListStandsUnderTheDocumentedKeyToo() throws {
    let (crossing, mine) = try failing()
    let error = cocoaError(133020) { try crossing.local.save() }
    for key in ["conflictList", NSPersistentStoreSaveConflictsErrorKey] {
      let list = error?.userInfo[key] as? [NSMergeConflict]
      XCTAssertEqual(list?.map(\.sourceObject), [mine], key)
    }
  }

  func testD73_onlyTheConflictingObjectsAreListed() throws {
    let (crossing, mine) = try failing()
    Author(context: crossing.local).name = "new"
    let list = try conflicts(savingFails: crossing.local)
    XCTAssertEqual(list.map(\.sourceObject), [mine])
  }

  func testD74_theErrorsAreCocoaErrorsWithTheDocumentedCodes() throws {
    XCTAssertEqual(
      [
        NSManagedObjectValidationError, NSManagedObjectConstraintValidationError,
        NSValidationMultipleErrorsError, NSValidationMissingMandatoryPropertyError,
        NSValidationRelationshipLacksMinimumCountError,
        NSValidationRelationshipExceedsMaximumCountError,
        NSValidationRelationshipDeniedDeleteError, NSManagedObjectReferentialIntegrityError,
        NSManagedObjectMergeError, NSManagedObjectConstraintMergeError,
        NSPersistentStoreSaveError, NSCoreDataError, NSPersistentStoreOpenError,
        NSPersistentStoreIncompatibleVersionHashError, NSSQLiteError,
      ],
      [
        1550, 1551, 1560, 1570, 1580, 1590, 1600, 133000, 133020, 133021, 134030, 134060, 134080,
        134100, 134180,
      ])
    XCTAssertEqual(NSDetailedErrorsKey, "NSDetailedErrors")
    XCTAssertEqual(NSAffectedObjectsErrorKey, "NSAffectedObjectsErrorKey")
    XCTAssertEqual(NSAffectedStoresErrorKey, "NSAffectedStoresErrorKey")
    let (crossing, _) = try failing()
    do {
      try crossing.local.save()
      XCTFail("a conflict was expected")
    } catch let error as CocoaError {
      XCTAssertEqual(error.code, CocoaError.Code(rawValue: 133020))
    }
  }

  func testD76_everyChangeStaysPendingAndNobodyIsToldOfASave() throws {
    let (crossing, mine) = try failing()
    let inserted = Author(context: crossing.local)
    let log = NotificationLog(
      [
        NSManagedObjectContext.didSaveObjectsNotification,
        NSManagedObjectContext.didSaveObjectIDsNotification,
      ], from: crossing.local)
    cocoaError(133020) { try crossing.local.save() }
    XCTAssertTrue(crossing.local.hasChanges)
    XCTAssertEqual(crossing.local.updatedObjects, [mine])
    XCTAssertEqual(crossing.local.insertedObjects, [inserted])
    XCTAssertEqual(mine.name, "L1")
    XCTAssertTrue(log.entries.isEmpty)
  }

  func testD76_objectsGetNoDidSave() throws {
    Journal.clear()
    defer { Journal.clear() }
    let context = try makeContainer(model: WitnessModel.model).viewContext
    Journal.during("willSave") { witness in
      if witness.stamp < 5000 { witness.stamp += 1 }
    }
    _ = Witness(context: context)
    XCTAssertThrowsError(try context.save(), "the save gives up before the stamp settles")
    XCTAssertEqual(Journal.count("didSave"), 0)
  }

  func testD76_aDeletionThatWasRefusedStaysPending() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    crossing.local.delete(mine)
    cocoaError(133020) { try crossing.local.save() }
    XCTAssertTrue(mine.isDeleted)
    XCTAssertEqual(crossing.local.deletedObjects, [mine])
    XCTAssertIdentical(mine.managedObjectContext, crossing.local)
  }

  func testD77_whatTheFailedSaveDidInMemoryRemains() throws {
    let (crossing, mine) = try failing()
    let draft = Draft(context: crossing.local)
    let other = try crossing.local.existingObject(
      with: {
        let author = Author(context: crossing.external)
        let draft = Draft(context: crossing.external)
        draft.owner = author
        try crossing.external.save()
        return author.objectID
      }())
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.willSaveObjectsNotification, object: crossing.local,
      queue: nil
    ) { note in
      for case let draft as Draft in (note.object as? NSManagedObjectContext)?.insertedObjects ?? []
      {
        draft.name = "named by the observer"
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    crossing.local.delete(other)
    let log = NotificationLog(
      [NSManagedObjectContext.didChangeObjectsNotification], from: crossing.local)
    cocoaError(133020) { try crossing.local.save() }
    XCTAssertEqual(draft.name, "named by the observer")
    XCTAssertEqual(crossing.local.deletedObjects.count, 2, "the cascade was carried out")
    XCTAssertFalse(log.entries.isEmpty, "ObjectsDidChange was posted all the same")
    XCTAssertEqual(mine.name, "L1")
  }

  func testD78_aFailedSaveMayBeRolledBack() throws {
    let (crossing, mine) = try failing()
    cocoaError(133020) { try crossing.local.save() }
    crossing.local.rollback()
    XCTAssertFalse(crossing.local.hasChanges)
    XCTAssertEqual(mine.name, "A", "rolling back does not read the store again")
    crossing.local.refresh(mine, mergeChanges: true)
    XCTAssertEqual(mine.name, "S1")
    mine.name = "L2"
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testD78_aFailedValidationMayBeRepairedAndSavedAgain() throws {
    let context = try makeContainer().viewContext
    let tag = Tag(context: context)
    cocoaError(1570) { try context.save() }
    tag.name = "repaired"
    XCTAssertNoThrow(try context.save())
    XCTAssertFalse(context.hasChanges)
  }

  func testD79_noRowOfAFailedSaveIsInTheFile() throws {
    let (crossing, _) = try failing()
    for number in 0..<20 { Author(context: crossing.local).name = "\(number)" }
    cocoaError(133020) { try crossing.local.save() }
    XCTAssertEqual(try crossing.reread().all(Author.self).count, 1)
  }

  func testD80_aRefusedSaveLeavesTheNewerRowForTheRefreshThatFollows() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.born = 2
    try crossing.external.save()
    mine.name = "L1"
    crossing.local.refresh(mine, mergeChanges: true)
    XCTAssertEqual(mine.born, 1, "the row cache was not told of the other coordinator's save")
    cocoaError(133020) { try crossing.local.save() }
    crossing.local.refresh(mine, mergeChanges: true)
    XCTAssertEqual(mine.born, 2)
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testD81_aFailedBlockLeavesOnlyItsPendingChangesToTheNext() throws {
    let context = try makeContainer().newBackgroundContext()
    let codes = Box<[Int?]>([])
    context.perform {
      _ = Tag(context: context)
      let code = errorCode { try context.save() }
      codes.update { $0.append(code) }
    }
    context.perform {
      let code = errorCode { try context.save() }
      codes.update { $0.append(code) }
    }
    context.perform {
      context.rollback()
      Tag(context: context).name = "valid"
      let code = errorCode { try context.save() }
      codes.update { $0.append(code) }
    }
    drain(context)
    XCTAssertEqual(codes.value, [1570, 1570, nil])
  }
}
