import CoreData
import Foundation
import XCTest

/// How one context takes in what another saved (sections E.4 and E.5).
final class MergingSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  /// Runs the body and merges every save of `saver` into `receiver`, in the form asked for.
  private func merging(
    _ saver: Context, into receiver: Context,
    as name: Notification.Name = Context.didSaveObjectsNotification, _ body: () throws -> Void
  ) rethrows {
    let token = NotificationCenter.default.addObserver(
      forName: name, object: saver, queue: nil
    ) { receiver.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
  }

  func testE25_aMergeRefreshesInsertsAndDeletes() throws {
    let crossing = try makeCrossing()
    let (updated, theirs) = try crossing.givenAuthor()
    let (deleted, theirsToo) = try crossing.givenAuthor()
    let newID = Box<NSManagedObjectID?>(nil)
    try merging(crossing.external, into: crossing.local) {
      theirs.name = "S1"
      crossing.external.delete(theirsToo)
      let new = Author(context: crossing.external)
      try crossing.external.save()
      newID.value = new.objectID
    }
    XCTAssertEqual(updated.name, "S1")
    XCTAssertFalse(updated.hasChanges)
    XCTAssertTrue(deleted.isDeleted || deleted.managedObjectContext == nil)
    XCTAssertEqual(try crossing.local.all(Author.self).count, 2)
    XCTAssertNotNil(newID.value)
  }

  func testE26_D42_localChangesStayOnTopOfTheMergedValues() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    mine.name = "L1"
    try merging(crossing.external, into: crossing.local) {
      theirs.name = "S1"
      theirs.born = 2
      try crossing.external.save()
    }
    XCTAssertEqual(mine.name, "L1")
    XCTAssertEqual(mine.born, 2)
    XCTAssertTrue(mine.isUpdated)
    XCTAssertEqual(mine.committedValues(forKeys: ["name"])["name"] as? String, "S1")
    XCTAssertNoThrow(try crossing.local.save())
    XCTAssertEqual(try crossing.reread().only(Author.self).name, "L1")
  }

  func testE27_whatNobodyHoldsIsNotLoaded() throws {
    let container = try makeContainer()
    let saver = makeMainContext(container)
    let author = try saver.savedAuthor()
    let receiver = makeMainContext(container)
    try merging(saver, into: receiver) {
      author.name = "S1"
      try saver.save()
    }
    XCTAssertTrue(receiver.registeredObjects.isEmpty)
    XCTAssertNil(receiver.registeredObject(for: author.objectID))
  }

  func testE28_K12_anUpdatedObjectThatIsAFaultIsReportedAsRefreshed() throws {
    let container = try makeContainer()
    let saver = makeMainContext(container)
    let author = try saver.savedAuthor()
    let receiver = makeMainContext(container)
    let fault = try XCTUnwrap(receiver.object(with: author.objectID) as? Author)
    XCTAssertTrue(fault.isFault)
    let log = NotificationLog([Context.didChangeObjectsNotification], from: receiver)
    try merging(saver, into: receiver) {
      author.name = "S1"
      try saver.save()
    }
    XCTAssertEqual(log.entries.first?.ids["refreshed"], [author.objectID])
    XCTAssertEqual(fault.name, "S1")
  }

  func testE29_insertedRecordsArriveAsFaultsUnderInserted() throws {
    let container = try makeContainer()
    let saver = makeMainContext(container)
    let receiver = makeMainContext(container)
    let wereFaults = Box<[Bool]>([])
    let token = NotificationCenter.default.addObserver(
      forName: Context.didChangeObjectsNotification, object: receiver, queue: nil
    ) { note in
      let inserted = note.userInfo?["inserted"] as? Set<NSManagedObject> ?? []
      wereFaults.value = inserted.map(\.isFault)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try merging(saver, into: receiver) { try saver.savedAuthor() }
    XCTAssertEqual(wereFaults.value, [true])
    XCTAssertTrue(receiver.insertedObjects.isEmpty, "it is not a pending insert of the receiver")
  }

  func testE30_deletedRecordsAreDeletedWhereTheyAreHeldAndIgnoredElsewhere() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let stranger = try crossing.external.savedAuthor("stranger")
    let log = NotificationLog([Context.didChangeObjectsNotification], from: crossing.local)
    let id = mine.objectID
    try merging(crossing.external, into: crossing.local) {
      crossing.external.delete(theirs)
      crossing.external.delete(stranger)
      try crossing.external.save()
    }
    XCTAssertEqual(log.entries.first?.ids["deleted"], [id])
    XCTAssertTrue(mine.isDeleted || mine.managedObjectContext == nil)
  }

  func testE31_K12_afterAMergedDeletionTheNextSaveSucceeds() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    try merging(crossing.external, into: crossing.local) {
      crossing.external.delete(theirs)
      try crossing.external.save()
    }
    Tag(context: crossing.local).name = "something to save"
    XCTAssertNoThrow(try crossing.local.save())
    XCTAssertFalse(crossing.local.hasChanges)
    XCTAssertNil(mine.managedObjectContext)
  }

  func testE32_K12_aDeletionElsewhereWinsOverALocalChange() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    mine.name = "L1"
    crossing.local.processPendingChanges()
    try merging(crossing.external, into: crossing.local) {
      crossing.external.delete(theirs)
      try crossing.external.save()
    }
    XCTAssertNoThrow(try crossing.local.save())
    XCTAssertTrue(try crossing.reread().all(Author.self).isEmpty)
  }

  func testE33_aContextIgnoresItsOwnNotification() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let tag = Tag(context: context)
    tag.name = "word"
    try context.save()
    let merged = NotificationLog([Context.didMergeChangesObjectIDsNotification], from: context)
    try merging(context, into: context) {
      author.name = "changed"
      context.delete(tag)
      try context.save()
    }
    XCTAssertTrue(merged.entries.isEmpty)
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(author.name, "changed")
    XCTAssertTrue(try context.all(Tag.self).isEmpty)
  }

  func testE5_E34_aMergeMakesOneObjectsDidChangeAndOneReportOfIds() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let (other, theirsToo) = try crossing.givenAuthor()
    let changes = NotificationLog([Context.didChangeObjectsNotification], from: crossing.local)
    let reported = Box<[[String: Set<NSManagedObjectID>]]>([])
    let token = NotificationCenter.default.addObserver(
      forName: Context.didMergeChangesObjectIDsNotification, object: crossing.local, queue: nil
    ) { note in
      var sets: [String: Set<NSManagedObjectID>] = [:]
      for (key, value) in note.userInfo ?? [:] {
        if let key = key as? String { sets[key] = value as? Set<NSManagedObjectID> }
      }
      reported.update { [sets] in $0.append(sets) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let ids: Set = [mine.objectID, other.objectID]
    let new = Author(context: crossing.external)
    try merging(crossing.external, into: crossing.local) {
      theirs.name = "S1"
      theirsToo.name = "S2"
      try crossing.external.save()
    }
    XCTAssertEqual(changes.entries.count, 1)
    XCTAssertEqual(changes.entries.first?.ids["refreshed"], ids)
    XCTAssertEqual(reported.value.count, 1)
    XCTAssertEqual(reported.value.first?["updated_objectIDs"], ids)
    XCTAssertEqual(reported.value.first?["inserted_objectIDs"], [new.objectID])
  }

  func testE35_theFormWithIdsMergesLikeTheFormWithObjects() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let (gone, theirsToo) = try crossing.givenAuthor()
    try merging(
      crossing.external, into: crossing.local, as: Context.didSaveObjectIDsNotification
    ) {
      theirs.name = "S1"
      crossing.external.delete(theirsToo)
      try crossing.external.save()
    }
    XCTAssertEqual(mine.name, "S1")
    XCTAssertTrue(gone.isDeleted || gone.managedObjectContext == nil)
  }

  func testE36_K12_aSaveOfAnotherCoordinatorIsMergedWithTheRowsOfTheFile() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    try merging(
      crossing.external, into: crossing.local, as: Context.didSaveObjectIDsNotification
    ) {
      theirs.name = "S1"
      try crossing.external.save()
    }
    XCTAssertEqual(mine.name, "S1")
    mine.born = 2
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testE38_aNewChildReachesTheParentsLoadedRelationship() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    XCTAssertEqual(mine.drafts.count, 0)
    try merging(crossing.external, into: crossing.local) {
      Draft(context: crossing.external).owner = theirs
      try crossing.external.save()
    }
    XCTAssertEqual(mine.drafts.count, 1)
  }

  func testE39_E41_aRemoteSaveIsMergedFromIdsWithTheRowsOfTheFile() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    XCTAssertEqual(mine.name, "A")
    Context.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [mine.objectID]], into: [crossing.local])
    XCTAssertEqual(mine.name, "S1")
    mine.born = 2
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testE41_aFaultWhoseRowIsCachedIsFulfilledFromTheFileAfterARemoteMerge() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    crossing.local.refresh(mine, mergeChanges: false)
    theirs.name = "S1"
    try crossing.external.save()
    Context.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [mine.objectID]], into: [crossing.local])
    XCTAssertTrue(mine.isFault)
    XCTAssertEqual(mine.name, "S1")
  }

  func testE39_E41_aRemoteSaveIsMergedFromUrisToo() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    crossing.external.delete(theirs)
    try crossing.external.save()
    Context.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [mine.objectID.uriRepresentation()]],
      into: [crossing.local])
    XCTAssertTrue(mine.isDeleted || mine.managedObjectContext == nil)
    XCTAssertNoThrow(try crossing.local.save())
  }

  func testE40_oneCallServesSeveralContextsEachOnItsQueue() throws {
    let container = try makeContainer()
    let other = try makeContainer()
    let saver = makeMainContext(other)
    let author = try saver.savedAuthor("A")
    let id = author.objectID
    let receivers = [container.newBackgroundContext(), container.newBackgroundContext()]
    for receiver in receivers {
      receiver.retainsRegisteredObjects = true
      receiver.performAndWait {
        let object = receiver.object(with: id) as? Author
        XCTAssertEqual(object?.name, "A")
      }
    }
    author.name = "S1"
    try saver.save()
    Context.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: [id]], into: receivers)
    for receiver in receivers {
      receiver.performAndWait {
        XCTAssertEqual((receiver.object(with: id) as? Author)?.name, "S1")
      }
    }
  }

  func testE40_E41_parentsAreServedBeforeTheirChildren() throws {
    let root = try makeContainer().viewContext
    let writer = makeMainContext(try makeContainer())
    let author = try writer.savedAuthor("A")
    let mine = try XCTUnwrap(root.existingObject(with: author.objectID) as? Author)
    let child = makeMainChild(of: root)
    let childs = try XCTUnwrap(child.existingObject(with: author.objectID) as? Author)
    author.name = "S1"
    try writer.save()
    Context.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: [author.objectID]], into: [child, root])
    XCTAssertEqual(mine.name, "S1")
    XCTAssertEqual(childs.name, "S1")
  }

  func testE42_K12_unknownUrisAreIgnored() throws {
    let crossing = try makeCrossing()
    let (mine, _) = try crossing.givenAuthor()
    let uris = [
      "x-coredata://\(UUID().uuidString)/Author/p1", "x-coredata://nowhere", "https://example.org",
    ].compactMap(URL.init(string:))
    Context.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: uris, NSDeletedObjectsKey: uris],
      into: [crossing.local])
    XCTAssertEqual(mine.name, "A")
    XCTAssertFalse(crossing.local.hasChanges)
  }
}
