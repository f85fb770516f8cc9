import CoreData
import Foundation
import XCTest

/// How a save notices that somebody else was faster (section D.4).
final class OptimisticLockingSpecs: SpecCase {
  func testD29_whatWasReadIsRememberedAndNotReplacedByLocalChanges() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    mine.name = "L1"
    XCTAssertEqual(mine.committedValues(forKeys: ["name"])["name"] as? String, "A")
    theirs.name = "S1"
    try crossing.external.save()
    XCTAssertEqual(mine.committedValues(forKeys: ["name"])["name"] as? String, "A")
    XCTAssertEqual(theirs.committedValues(forKeys: ["name"])["name"] as? String, "S1")
  }

  func testD31_L1_anUpdateOfWhatAnotherContextUpdatedIsRefused() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    mine.born = 2
    cocoaError(133020) { try crossing.local.save() }
  }

  func testD31_aDeletionOfWhatAnotherContextUpdatedIsRefused() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    crossing.local.delete(mine)
    cocoaError(133020) { try crossing.local.save() }
    XCTAssertEqual(try crossing.reread().only(Author.self).name, "S1")
  }

  func testD31_anObjectThatIsOnlyRegisteredIsNotChecked() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    Author(context: crossing.local).name = "other"
    XCTAssertNoThrow(try crossing.local.save())
    XCTAssertEqual(mine.name, "A")
  }

  func testD32_D70_aConflictWithASiblingContextShowsObjectAndCachedSnapshots() throws {
    let crossing = try makeCrossing(.sameCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
    XCTAssertEqual(conflict.objectSnapshot?["name"] as? String, "A", "what was read, not L1")
    XCTAssertEqual(conflict.sourceObject.value(forKey: "name") as? String, "L1")
    XCTAssertEqual(conflict.cachedSnapshot?["name"] as? String, "S1")
    XCTAssertNil(conflict.persistedSnapshot)
  }

  func testD33_D71_aConflictPastTheCoordinatorShowsCachedAndPersistedSnapshots() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
    XCTAssertEqual(conflict.cachedSnapshot?["name"] as? String, "A")
    XCTAssertEqual(conflict.persistedSnapshot?["name"] as? String, "S1")
    XCTAssertNil(conflict.objectSnapshot)
    XCTAssertIdentical(conflict.sourceObject, mine)
  }

  func testD34_K7_equalValuesWithDifferentVersionsStillConflict() throws {
    for place in Crossing.Place.allCases {
      let crossing = try Crossing(at: storeURL(place.rawValue), place: place) { self.keep($0) }
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "detour"
      try crossing.external.save()
      theirs.name = "A"
      try crossing.external.save()
      mine.name = "L1"
      let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
      let theirSide = conflict.persistedSnapshot ?? conflict.cachedSnapshot
      XCTAssertEqual(theirSide?["name"] as? String, "A", "\(place): the row reads as before")
      XCTAssertEqual(conflict.newVersionNumber, conflict.oldVersionNumber + 2, "\(place)")
    }
  }

  func testD35_aConflictNamesItsObjectAndBothVersions() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    for name in ["S1", "S2", "S3"] {
      theirs.name = name
      try crossing.external.save()
    }
    mine.name = "L1"
    let list = try conflicts(savingFails: crossing.local)
    XCTAssertEqual(list.count, 1)
    XCTAssertIdentical(list.first?.sourceObject, mine)
    XCTAssertEqual(list.first?.oldVersionNumber, 1)
    XCTAssertEqual(list.first?.newVersionNumber, 4)
  }

  func testD35_aDeletedRowHasVersionZeroAndNoSnapshot() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    crossing.external.delete(theirs)
    try crossing.external.save()
    mine.name = "L1"
    let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
    XCTAssertEqual(conflict.newVersionNumber, 0)
    XCTAssertEqual(conflict.oldVersionNumber, 1)
    XCTAssertNil(conflict.persistedSnapshot)
    XCTAssertNotNil(conflict.objectSnapshot)
  }

  func testD36_relationshipsInSnapshotsAreIdsAndNothingIsNull() throws {
    let crossing = try makeCrossing()
    let (author, _) = try crossing.givenAuthor()
    let mine = try crossing.local.savedArticle(by: author)
    let theirs = try XCTUnwrap(
      try crossing.external.existingObject(with: mine.objectID) as? Article)
    theirs.title = "S1"
    try crossing.external.save()
    mine.title = "L1"
    let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
    let snapshot = try XCTUnwrap(conflict.objectSnapshot)
    XCTAssertEqual(snapshot["author"] as? NSManagedObjectID, author.objectID)
    XCTAssertTrue(snapshot["body"] is NSNull)
    XCTAssertNil(snapshot["tags"], "to-many relationships are not part of it")
    XCTAssertNil(snapshot["remark"], "transient properties are not part of it")
  }

  func testD37_twoContextsThatAddChildrenToOneParentConflictOnTheParent() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    Draft(context: crossing.external).owner = theirs
    try crossing.external.save()
    Draft(context: crossing.local).owner = mine
    let list = try conflicts(savingFails: crossing.local)
    XCTAssertEqual(list.map(\.sourceObject), [mine])
    XCTAssertEqual(list.first?.newVersionNumber, 2)
  }

  func testD38_K7_aNoOpAssignmentLeavesTheVersionSoThatNobodyConflicts() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "A"
    XCTAssertTrue(crossing.external.hasChanges)
    try crossing.external.save()
    XCTAssertFalse(crossing.external.hasChanges)
    mine.name = "L1"
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testD39_K7_aTransientChangeIsNotWritten() throws {
    let crossing = try makeCrossing()
    let article = try crossing.local.savedArticle()
    let theirs = try XCTUnwrap(
      try crossing.external.existingObject(with: article.objectID) as? Article)
    theirs.remark = "only here"
    XCTAssertTrue(crossing.external.hasChanges)
    try crossing.external.save()
    XCTAssertFalse(crossing.external.hasChanges)
    article.title = "changed"
    XCTAssertNoThrow(try crossing.local.save())
    XCTAssertEqual(theirs.remark, "only here")
  }

  func testD40_detectConflictsChecksAnUnchangedObjectToo() throws {
    for place in Crossing.Place.allCases {
      let crossing = try Crossing(at: storeURL(place.rawValue), place: place) { self.keep($0) }
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      try crossing.external.save()
      crossing.local.detectConflicts(for: mine)
      Tag(context: crossing.local).name = "depends on the author"
      let list = try conflicts(savingFails: crossing.local)
      XCTAssertEqual(list.map(\.sourceObject), [mine], "\(place)")
    }
  }

  func testD40_detectConflictsPassesWhereNothingChanged() throws {
    let crossing = try makeCrossing()
    let (mine, _) = try crossing.givenAuthor()
    crossing.local.detectConflicts(for: mine)
    Tag(context: crossing.local).name = "depends on the author"
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testD40_anObjectStaysCheckedUntilTheSaveThoughAnotherIsRefreshed() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let tag = Tag(context: crossing.local)
    tag.name = "red"
    try crossing.local.save()
    crossing.local.detectConflicts(for: mine)
    tag.name = "blue"
    crossing.local.refresh(tag, mergeChanges: false)
    theirs.name = "S1"
    try crossing.external.save()
    tag.name = "depends on the author"
    XCTAssertEqual(try conflicts(savingFails: crossing.local).map(\.sourceObject), [mine])
    crossing.local.refresh(mine, mergeChanges: true)
    XCTAssertNoThrow(try crossing.local.save())
    theirs.name = "S2"
    try crossing.external.save()
    tag.name = "depends on nobody"
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testD41_insertedObjectsNeverConflict() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    for context in [crossing.local, crossing.external] {
      for _ in 0..<3 { Author(context: context).name = "same" }
    }
    XCTAssertNoThrow(try crossing.local.save())
    XCTAssertNoThrow(try crossing.external.save())
    XCTAssertEqual(try crossing.reread().all(Author.self).count, 6)
  }

  func testD42_afterARefreshTheVersionIsCurrent() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.born = 2
    try crossing.external.save()
    mine.name = "L1"
    crossing.local.refresh(mine, mergeChanges: true)
    XCTAssertNoThrow(try crossing.local.save())
    let stored = try crossing.reread().only(Author.self)
    XCTAssertEqual(stored.name, "L1")
    XCTAssertEqual(stored.born, 2)
  }

  func testD42_L2_afterAMergeTheVersionIsCurrent() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let local = crossing.local
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: crossing.external,
      queue: nil
    ) { local.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    mine.name = "L1"
    theirs.born = 2
    try crossing.external.save()
    XCTAssertNoThrow(try local.save())
    let stored = try crossing.reread().only(Author.self)
    XCTAssertEqual(stored.name, "L1")
    XCTAssertEqual(stored.born, 2)
  }

  func testD42_E26_whatWasMergedUnderADeletionIsNoConflictForIt() throws {
    for isProcessed in [false, true] {
      let crossing = try Crossing(at: storeURL("\(isProcessed)"), place: .sameCoordinator) {
        self.keep($0)
      }
      let (mine, theirs) = try crossing.givenAuthor()
      let local = crossing.local
      let token = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didSaveObjectsNotification, object: crossing.external,
        queue: nil
      ) { local.mergeChanges(fromContextDidSave: $0) }
      defer { NotificationCenter.default.removeObserver(token) }
      local.delete(mine)
      if isProcessed { local.processPendingChanges() }
      theirs.born = 2
      try crossing.external.save()
      XCTAssertTrue(mine.isDeleted)
      XCTAssertEqual(local.deletedObjects, [mine])
      XCTAssertNoThrow(try local.save())
      XCTAssertTrue(try crossing.reread().all(Author.self).isEmpty)
    }
  }

  func testD43_aConflictDescribesItselfWithBothVersions() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
    let text = conflict.description
    XCTAssertTrue(text.contains("oldVersion = 1"), text)
    XCTAssertTrue(text.contains("newVersion = 2"), text)
    XCTAssertTrue(text.contains("old object snapshot = {born = 1; name = A"), text)
    XCTAssertTrue(text.contains("new cached row = {born = 1; name = S1"), text)
    XCTAssertTrue(text.contains(mine.objectID.uriRepresentation().absoluteString), text)
  }

  func testD43_theDescriptionSaysThatTheRowIsDeleted() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    crossing.external.delete(theirs)
    try crossing.external.save()
    mine.name = "L1"
    let conflict = try XCTUnwrap(try conflicts(savingFails: crossing.local).first)
    XCTAssertTrue(conflict.description.contains("<deleted>"), conflict.description)
  }

  func testD69_betweenParentAndChildNothingIsDetected() throws {
    let root = try makeContainer().viewContext
    let author = try root.savedAuthor("A")
    let children = (0..<2).map { _ in makeMainChild(of: root) }
    for (number, child) in children.enumerated() {
      let inChild = try XCTUnwrap(try child.existingObject(with: author.objectID) as? Author)
      inChild.name = "child \(number)"
    }
    for child in children { XCTAssertNoThrow(try child.save()) }
    XCTAssertEqual(author.name, "child 1")
    XCTAssertNoThrow(try root.save())
  }

  func testD30_aSiblingReadsTheRowThatAnEarlierSaveLeftInTheCache() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    crossing.local.refresh(mine, mergeChanges: false)
    XCTAssertEqual(mine.name, "S1")
    XCTAssertEqual(mine.born, 1)
  }
}
