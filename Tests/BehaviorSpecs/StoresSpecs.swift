import CoreData
import Foundation
import XCTest

/// Several stores in one coordinator: which object lies where, and how they are saved
/// (sections A.1, C.1 and D).
final class StoresSpecs: StoresCase {
  func testC11_aConfigurationLimitsWhatAStoreHolds() throws {
    let coordinator = makeCoordinator()
    let books = try add("Books", "Books", to: coordinator)
    let remarks = try add("Remarks", "Remarks", to: coordinator)
    XCTAssertEqual(coordinator.persistentStores, [books, remarks])
    XCTAssertEqual(books.configurationName, "Books")
    let context = makeContext(coordinator)
    let book = context.book("A")
    let remark = NSEntityDescription.insertNewObject(forEntityName: "Remark", into: context)
    try context.save()
    XCTAssertIdentical(book.objectID.persistentStore, books)
    XCTAssertIdentical(remark.objectID.persistentStore, remarks)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Remark")
    XCTAssertEqual(try context.fetch(request), [remark])
    request.affectedStores = [books]
    XCTAssertEqual(try context.fetch(request), [])
  }

  func testC11_C36_aModelTellsItsConfigurationsAndTheirEntities() throws {
    let model = SpecModel.divided
    XCTAssertEqual(Set(model.configurations), ["All", "Books", "Remarks"])
    XCTAssertEqual(
      Set((model.entities(forConfigurationName: "Books") ?? []).compactMap(\.name)),
      ["Book", "Shelf"])
    XCTAssertEqual(model.entities(forConfigurationName: nil)?.count, 3)
    XCTAssertNil(model.entities(forConfigurationName: "Unknown"))
    let coordinator = makeCoordinator()
    let store = try add("Books", "Books", to: coordinator)
    let metadata = coordinator.metadata(for: store)
    XCTAssertTrue(
      model.isConfiguration(withName: "Books", compatibleWithStoreMetadata: metadata))
    XCTAssertFalse(
      model.isConfiguration(withName: "Remarks", compatibleWithStoreMetadata: metadata))
  }

  func testC11_aFileOfAnotherConfigurationIsRefusedWith134020() throws {
    try add("Books", "Books", to: makeCoordinator())
    cocoaError(134020) { try add("Books", "Remarks", to: makeCoordinator()) }
  }

  func testC11_C27_aContainerLoadsAStoreForEachDescription() throws {
    let container = NSPersistentContainer(
      name: "Divided", managedObjectModel: SpecModel.divided)
    container.persistentStoreDescriptions = ["Books", "Remarks"].map { name in
      let description = NSPersistentStoreDescription(url: storeURL(name))
      description.configuration = name
      return description
    }
    container.loadPersistentStores { _, error in XCTAssertNil(error) }
    let names = container.persistentStoreCoordinator.persistentStores.map(\.configurationName)
    XCTAssertEqual(names, ["Books", "Remarks"])
  }

  func testC11_anObjectThatNoStoreAcceptsIsRefusedWith134020() throws {
    let coordinator = makeCoordinator()
    try add("Remarks", "Remarks", to: coordinator)
    let context = makeContext(coordinator)
    let book = context.book("A")
    cocoaError(134020) { try context.obtainPermanentIDs(for: [book]) }
    cocoaError(134020) { try context.save() }
    XCTAssertTrue(book.isInserted)
  }

  func testA9_aNewObjectGoesToTheFirstWritableStoreThatAcceptsIt() throws {
    try add("Old", to: makeCoordinator())
    let coordinator = makeCoordinator()
    try add("Old", readOnly: true, to: coordinator)
    try add("Remarks", "Remarks", to: coordinator)
    let third = try add("Third", to: coordinator)
    try add("Fourth", to: coordinator)
    let context = makeContext(coordinator)
    let obtained = context.book("obtained")
    try context.obtainPermanentIDs(for: [obtained])
    XCTAssertIdentical(obtained.objectID.persistentStore, third)
    let saved = context.book("saved")
    try context.save()
    XCTAssertIdentical(saved.objectID.persistentStore, third)
    XCTAssertEqual(try titles(in: "Third"), ["obtained", "saved"])
  }

  func testA18_assigningSelectsTheStoreOfANewObject() throws {
    let two = try makeTwoStores()
    XCTAssertEqual(try titles(in: "One"), ["a", "c", "e"])
    XCTAssertEqual(try titles(in: "Other"), ["b", "d"])
    let ids = try two.context.fetch(two.context.books()).map(\.objectID.persistentStore)
    XCTAssertEqual(ids, [two.one, two.other, two.one, two.other, two.one])
  }

  func testA18_theStoreThatAChildAssignedIsKeptInItsParent() throws {
    let two = try makeTwoStores()
    let child = makeMainChild(of: two.context)
    child.book("z", in: two.other)
    try child.save()
    try two.context.save()
    XCTAssertEqual(try titles(in: "Other"), ["b", "d", "z"])
  }

  func testA1_A4_A19_recordsWithOneKeyInTwoStoresAreTwoRecords() throws {
    let two = try makeTwoStores()
    let reader = makeContext(two.coordinator)
    let a = try reader.book(named: "a")
    let b = try reader.book(named: "b")
    XCTAssertEqual(
      a.objectID.uriRepresentation().lastPathComponent,
      b.objectID.uriRepresentation().lastPathComponent)
    XCTAssertNotEqual(a.objectID, b.objectID)
    XCTAssertEqual(a.objectID.uriRepresentation().host, two.one.identifier)
    XCTAssertEqual(b.objectID.uriRepresentation().host, two.other.identifier)
    let uri = b.objectID.uriRepresentation()
    let id = try XCTUnwrap(two.coordinator.managedObjectID(forURIRepresentation: uri))
    XCTAssertIdentical(reader.object(with: id), b)
    reader.refreshAllObjects()
    XCTAssertEqual([a, b].map(\.bookTitle), ["a", "b"])
  }

  func testA1_anIdIsTheSameWhateverOtherStoresACoordinatorHas() throws {
    let two = try makeTwoStores()
    let there = try two.context.book(named: "b").objectID
    let coordinator = makeCoordinator()
    try add("Other", to: coordinator)
    let here = try makeContext(coordinator).book(named: "b")
    XCTAssertEqual(here.objectID, there)
    XCTAssertEqual(here.objectID.hash, there.hash)
    XCTAssertIdentical(
      makeMainChild(of: here.managedObjectContext!).object(with: there).entity,
      here.entity)
  }

  func testC11_aRelationshipIntoAnotherStoreIsRefusedWith133010() throws {
    let two = try makeTwoStores()
    let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: two.context)
    two.context.assign(shelf, to: two.one)
    let stranger = try two.context.book(named: "b")
    stranger.setValue(shelf, forKey: "shelf")
    cocoaError(133010) { try two.context.save() }
    XCTAssertTrue(shelf.objectID.isTemporaryID)
    XCTAssertTrue(two.context.hasChanges)
    let friend = try two.context.book(named: "a")
    stranger.setValue(nil, forKey: "shelf")
    friend.setValue(shelf, forKey: "shelf")
    try two.context.save()
    let reader = makeContext(two.coordinator)
    let read = try reader.book(named: "a").value(forKey: "shelf") as? NSManagedObject
    XCTAssertEqual(read?.objectID, shelf.objectID)
    let members = read?.value(forKey: "books") as? Set<NSManagedObject>
    XCTAssertEqual(members?.map(\.bookTitle), ["a"])
  }

  func testC24_aReadOnlyStoreBesideAWritableOneKeepsTheWholeSaveOut() throws {
    _ = try makeTwoStores()
    let coordinator = makeCoordinator()
    try add("One", readOnly: true, to: coordinator)
    try add("Other", to: coordinator)
    let context = makeContext(coordinator)
    let sealed = try context.book(named: "a")
    sealed.setValue("sealed", forKey: "title")
    try context.book(named: "b").setValue("changed", forKey: "title")
    XCTAssertThrowsError(try context.save())
    XCTAssertEqual(try titles(in: "Other"), ["b", "d"])
    context.refresh(sealed, mergeChanges: false)
    try context.save()
    XCTAssertEqual(try titles(in: "Other"), ["changed", "d"])
    XCTAssertEqual(try context.titles(), ["a", "c", "changed", "d", "e"])
  }

  func testD8_D31_aConflictInOneStoreKeepsTheOthersOutToo() throws {
    let two = try makeTwoStores()
    let local = makeContext(two.coordinator)
    let mine = try ["a", "b", "d"].map { try local.book(named: $0) }
    for book in mine { book.setValue(7, forKey: "pages") }
    let theirs = try two.context.book(named: "b")
    theirs.setValue("changed", forKey: "title")
    try two.context.save()
    let found = try conflicts(savingFails: local)
    XCTAssertEqual(found.map(\.sourceObject), [mine[1]])
    let reader = makeContext(two.coordinator)
    XCTAssertEqual(try reader.fetch(reader.books("pages == 7")), [])
    local.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try local.save()
    XCTAssertEqual(
      try reader.fetch(reader.books("pages == 7")).map(\.bookTitle), ["a", "changed", "d"])
  }

  func testE25_aSaveIntoTwoStoresIsOneSaveForThoseWhoMergeIt() throws {
    let two = try makeTwoStores()
    let receiver = makeContext(two.coordinator)
    receiver.automaticallyMergesChangesFromParent = true
    let mine = try ["a", "b", "c"].map { try receiver.book(named: $0) }
    let log = NotificationLog(
      [NSManagedObjectContext.didSaveObjectsNotification], from: two.context)
    for title in ["a", "b"] {
      try two.context.book(named: title).setValue("new " + title, forKey: "title")
    }
    two.context.delete(try two.context.book(named: "c"))
    try two.context.save()
    XCTAssertEqual(log.entries.map { $0.count(NSUpdatedObjectsKey) }, [2])
    XCTAssertEqual(log.entries.map { $0.count(NSDeletedObjectsKey) }, [1])
    drain(receiver)
    XCTAssertEqual(mine.prefix(2).map(\.bookTitle), ["new a", "new b"])
    XCTAssertTrue(mine[2].isDeleted)
    XCTAssertEqual(try receiver.titles(), ["d", "e", "new a", "new b"])
  }

  func testC65_aStoreThatIsAddedAfterPinningIsNotHeld() throws {
    let two = try makeTwoStores()
    let pinned = makeContext(two.coordinator)
    try pinned.setQueryGenerationFrom(.current)
    XCTAssertEqual(try pinned.titles(), ["a", "b", "c", "d", "e"])
    let late = try add("Late", to: two.coordinator)
    two.context.book("in the late one", in: late)
    two.context.book("in the first one", in: two.one)
    try two.context.save()
    XCTAssertEqual(try pinned.titles(), ["a", "b", "c", "d", "e", "in the late one"])
  }
}
