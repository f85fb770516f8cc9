import CoreData
import Foundation
import XCTest

/// Stores that come, go and move while contexts are at work (section C.1).
final class StoreLifeSpecs: StoresCase {
  func testC10_addingAndRemovingIsAnnouncedBeforeAndAfter() throws {
    let coordinator = makeCoordinator()
    let heard = Box<[String]>([])
    let center = NotificationCenter.default
    let tokens = [
      (Notification.Name.NSPersistentStoreCoordinatorStoresWillChange, "will"),
      (.NSPersistentStoreCoordinatorStoresDidChange, "did"),
    ].map { name, word in
      center.addObserver(forName: name, object: coordinator, queue: nil) { note in
        let added = note.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore]
        let removed = note.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore]
        let count = (note.object as? NSPersistentStoreCoordinator)?.persistentStores.count
        heard.update {
          $0.append("\(word) +\(added?.count ?? 0) -\(removed?.count ?? 0) = \(count ?? -1)")
        }
      }
    }
    defer { tokens.forEach(center.removeObserver) }
    let store = try add("One", to: coordinator)
    XCTAssertEqual(heard.value, ["will +1 -0 = 0", "did +1 -0 = 1"])
    let going = center.addObserver(
      forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, queue: nil
    ) { _ in heard.update { $0.append("going") } }
    defer { center.removeObserver(going) }
    heard.value = []
    try coordinator.remove(store)
    XCTAssertEqual(heard.value, ["going", "will +0 -1 = 1", "did +0 -1 = 0"])
  }

  func testC10_objectsOfARemovedStoreAreInaccessibleAndTheOthersStay() throws {
    let two = try makeTwoStores()
    let reader = makeContext(two.coordinator)
    let books = try ["a", "b"].map { try reader.book(named: $0) }
    let id = books[1].objectID
    reader.refreshAllObjects()
    two.context.reset()
    try two.coordinator.remove(two.other)
    XCTAssertNil(books[1].value(forKey: "title"))
    XCTAssertTrue(books[1].isDeleted)
    XCTAssertEqual(books[0].bookTitle, "a")
    XCTAssertEqual(try reader.titles(), ["a", "c", "e"])
    XCTAssertEqual(books[1].objectID, id)
    XCTAssertNil(two.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
    try reader.save()
    XCTAssertFalse(reader.hasChanges)
  }

  func testC10_theIdOfAnObjectIsKnownAfterItsStoreWasRemoved() throws {
    let two = try makeTwoStores()
    let id = try two.context.book(named: "b").objectID
    let reader = makeContext(two.coordinator)
    let book = try reader.book(named: "b")
    try two.coordinator.remove(two.other)
    XCTAssertEqual(book.objectID, id)
  }

  func testAChangedObjectWhoseStoreWasRemovedCannotBeSaved() throws {
    let two = try makeTwoStores()
    let changed = try two.context.book(named: "b")
    changed.setValue("changed", forKey: "title")
    two.context.book("new", in: two.one)
    try two.coordinator.remove(two.other)
    let error = cocoaError(134030) { try two.context.save() }
    let affected = error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObjectID]
    XCTAssertEqual(affected, [changed.objectID])
    XCTAssertTrue(changed.hasChanges)
    try add("Other", to: two.coordinator)
    try two.context.save()
    XCTAssertEqual(try titles(in: "Other"), ["changed", "d"])
    XCTAssertEqual(try titles(in: "One"), ["a", "c", "e", "new"])
  }

  func testC13_aSqliteStoreReadsAnotherFileAtOnceWhenItsUrlIsSet() throws {
    let two = try makeTwoStores()
    let reader = makeContext(two.coordinator)
    let alone = makeCoordinator()
    let store = try add("One", to: alone)
    let context = makeContext(alone)
    XCTAssertEqual(try context.titles(), ["a", "c", "e"])
    let before = store.identifier
    XCTAssertFalse(alone.setURL(storeURL("Nowhere"), for: store))
    XCTAssertEqual(try context.titles(), ["a", "c", "e"])
    XCTAssertTrue(alone.setURL(storeURL("Other"), for: store))
    XCTAssertEqual(alone.url(for: store), storeURL("Other"))
    XCTAssertNotEqual(store.identifier, before)
    XCTAssertEqual(alone.persistentStores, [store])
    XCTAssertEqual(try context.titles(), ["b", "d"])
    let changed = try context.book(named: "b")
    changed.setValue("moved", forKey: "title")
    try context.save()
    reader.reset()
    XCTAssertEqual(try reader.titles(), ["a", "c", "d", "e", "moved"])
  }

  func testC13_aNewUuidIsAnnounced() throws {
    _ = try makeTwoStores()
    let coordinator = makeCoordinator()
    let store = try add("One", to: coordinator)
    let keys = Box<[String]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
    ) { note in keys.value = (note.userInfo ?? [:]).keys.compactMap { $0 as? String } }
    defer { NotificationCenter.default.removeObserver(token) }
    XCTAssertTrue(coordinator.setURL(storeURL("Other"), for: store))
    XCTAssertEqual(keys.value, [NSUUIDChangedPersistentStoresKey])
  }

  func testA14_idsOfTwoCopiesInOneCoordinatorLeadToTheFirst() throws {
    do {
      let coordinator = makeCoordinator()
      let store = try add("One", to: coordinator)
      let context = makeContext(coordinator)
      context.book("original")
      try context.save()
      context.reset()
      try coordinator.remove(store)
    }
    for suffix in ["", "-wal", "-shm"] {
      let from = storeURL("One").path + suffix
      guard FileManager.default.fileExists(atPath: from) else { continue }
      try FileManager.default.copyItem(atPath: from, toPath: storeURL("Copy").path + suffix)
    }
    let coordinator = makeCoordinator()
    let copy = try add("Copy", to: coordinator)
    let original = try add("One", to: coordinator)
    XCTAssertEqual(copy.identifier, original.identifier)
    let context = makeContext(coordinator)
    let id = try XCTUnwrap(context.fetch(context.books()).first).objectID
    context.reset()
    try context.existingObject(with: id).setValue("changed", forKey: "title")
    try context.save()
    try coordinator.persistentStores.forEach(coordinator.remove)
    XCTAssertEqual(try titles(in: "Copy"), ["changed"])
    XCTAssertEqual(try titles(in: "One"), ["original"])
  }

  func testC15_aStoreInMemoryHasNeitherBatchRequestsNorGenerations() throws {
    let coordinator = makeCoordinator()
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = makeContext(coordinator)
    let other = makeContext(coordinator)
    let update = NSBatchUpdateRequest(entityName: "Book")
    update.propertiesToUpdate = ["pages": 1]
    cocoaError(134091) { try context.execute(update) }
    try context.setQueryGenerationFrom(.current)
    XCTAssertEqual(try context.titles(), [])
    other.book("new")
    try other.save()
    XCTAssertEqual(try context.titles(), ["new"])
  }

  func testC23_pragmasAndTheReadOnlyOptionAreHeeded() throws {
    let options: [String: Any] = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
    let coordinator = makeCoordinator()
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("One"), options: options)
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    XCTAssertEqual(files, ["One.sqlite"], "without a write-ahead log")
    let sealed = makeCoordinator()
    let store = try add("One", nil, readOnly: true, to: sealed)
    XCTAssertTrue(store.isReadOnly)
    XCTAssertEqual(try makeContext(sealed).titles(), ["a"])
  }

  func testABlockOnTheCoordinatorsQueueDelaysNoFetch() throws {
    let coordinator = makeCoordinator()
    try add("One", to: coordinator)
    let gate = Gate()
    let busy = Gate()
    coordinator.perform {
      busy.open()
      gate.pass()
    }
    XCTAssertTrue(busy.pass())
    XCTAssertEqual(try makeContext(coordinator).titles(), [])
    gate.open()
    coordinator.performAndWait {}
  }

  func testOneFileIsNotAttachedTwice() throws {
    let coordinator = makeCoordinator()
    try add("One", to: coordinator)
    let error = cocoaError(134081) { try add("One", to: coordinator) }
    XCTAssertEqual(
      error?.userInfo["NSUnderlyingException"] as? String, "Can't add the same store twice")
    XCTAssertEqual(coordinator.persistentStores.count, 1)
  }

  func testOneFileIsNotAttachedTwiceThroughALink() throws {
    let coordinator = makeCoordinator()
    let store = try add("One", to: coordinator)
    for _ in 0..<2 {
      let link = storeURL("Link")
      try? FileManager.default.removeItem(at: link)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: storeURL("One"))
      cocoaError(134081) { try add("Link", to: coordinator) }
      XCTAssertEqual(coordinator.persistentStores, [store])
      XCTAssertEqual(coordinator.persistentStore(for: link), store)
    }
    try coordinator.remove(store)
    XCTAssertEqual(try add("Link", to: coordinator).identifier, store.identifier)
  }

  func testANewFileIsMadeOnceHoweverManyCoordinatorsAddIt() throws {
    for round in 0..<4 {
      let coordinators = (0..<4).map { _ in makeCoordinator() }
      let url = storeURL("New \(round)")
      let failures = Box<[String]>([])
      DispatchQueue.concurrentPerform(iterations: coordinators.count) { number in
        do {
          try coordinators[number].addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        } catch {
          failures.update { $0.append("\(error)") }
        }
      }
      XCTAssertEqual(failures.value, [])
      XCTAssertEqual(Set(coordinators.map { $0.persistentStores.first?.identifier }).count, 1)
    }
  }

  func testC17_aStoreThatIsRemovedOrGivenUpIsInItsFileAlone() throws {
    let files = { try FileManager.default.contentsOfDirectory(atPath: self.directory.path) }
    let coordinator = makeCoordinator()
    let store = try add("One", to: coordinator)
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    XCTAssertEqual(try context.titles(), ["a"])
    try coordinator.remove(store)
    XCTAssertEqual(try files(), ["One.sqlite"])
    try FileManager.default.removeItem(at: storeURL("One"))
    do {
      let container = try openContainer(model: SpecModel.library, at: storeURL("Two"))
      try container.viewContext.savedAuthor("A")
      _ = try container.viewContext.all(Author.self)
    }
    XCTAssertEqual(try files(), ["Two.sqlite"])
  }
}
