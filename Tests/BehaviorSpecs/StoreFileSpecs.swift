import CoreData
import Foundation
import XCTest

/// Copying, replacing and emptying store files the legal way (section C.2).
final class StoreFileSpecs: StoresCase {
  func testC18_aMigratedStoreIsWholeAndIsUsedInPlaceOfTheFormer() throws {
    let two = try makeTwoStores()
    let id = try two.context.book(named: "a").objectID
    let migrated = try two.coordinator.migratePersistentStore(
      two.one, to: storeURL("Moved"), withType: NSSQLiteStoreType)
    XCTAssertEqual(two.coordinator.persistentStores, [two.other, migrated])
    let reader = makeContext(two.coordinator)
    XCTAssertEqual(try reader.titles(), ["a", "b", "c", "d", "e"])
    let a = try reader.existingObject(with: id)
    a.setValue("changed", forKey: "title")
    try reader.save()
    XCTAssertEqual(try titles(in: "Moved"), ["c", "changed", "e"])
    XCTAssertEqual(try titles(in: "One"), ["a", "c", "e"], "the former file stays")
  }

  func testC18_aBackupIsOneFileIfItsPragmasSaySo() throws {
    let source = try makeTwoStores().one
    let backup = makeCoordinator()
    let reader = try backup.addPersistentStore(
      ofType: source.type, configurationName: source.configurationName, at: source.url,
      options: (source.options ?? [:]).merging([NSReadOnlyPersistentStoreOption: true]) { $1 })
    try backup.migratePersistentStore(
      reader, to: storeURL("Backup"),
      options: [
        NSReadOnlyPersistentStoreOption: true, NSSQLiteManualVacuumOption: true,
        NSSQLitePragmasOption: ["journal_mode": "DELETE"],
      ], withType: NSSQLiteStoreType)
    XCTAssertEqual(try makeContext(backup).titles(), ["a", "c", "e"])
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    XCTAssertEqual(names.filter { $0.hasPrefix("Backup") }, ["Backup.sqlite"])
  }

  func testC18_aReplacedStoreHasTheOthersContentsForThoseWhoHaveItOpenToo() throws {
    let two = try makeTwoStores()
    try makeCoordinator().replacePersistentStore(
      at: storeURL("Other"), withPersistentStoreFrom: storeURL("One"), ofType: NSSQLiteStoreType)
    XCTAssertEqual(try titles(in: "Other"), ["a", "c", "e"])
    let request = two.context.books()
    request.affectedStores = [two.other]
    XCTAssertEqual(try makeContext(two.coordinator).count(for: request), 3)
  }

  func testC18_aDestroyedStoreIsEmptyAndItsFileIsNotDeletedUnderOpenConnections() throws {
    let two = try makeTwoStores()
    let before = two.other.identifier
    try two.coordinator.remove(two.other)
    let holder = makeCoordinator()
    try add("Other", to: holder)
    try two.coordinator.destroyPersistentStore(at: storeURL("Other"), ofType: NSSQLiteStoreType)
    XCTAssertTrue(FileManager.default.fileExists(atPath: storeURL("Other").path))
    let afresh = makeCoordinator()
    let store = try add("Other", to: afresh)
    XCTAssertNotEqual(store.identifier, before)
    XCTAssertEqual(try makeContext(afresh).titles(), [])
    cocoaError(134000) {
      try afresh.destroyPersistentStore(at: storeURL("Other"), ofType: NSInMemoryStoreType)
    }
  }

  func testC18_aStoreThatWasReplacedOrMadeAnewIsSavedWhileOthersHaveTheFormerOneOpen() throws {
    let two = try makeTwoStores()
    two.context.reset()
    try two.coordinator.persistentStores.forEach(two.coordinator.remove)
    for name in ["One", "Other"] { try add(name, to: two.coordinator) }
    XCTAssertEqual(try makeContext(two.coordinator).titles(), ["a", "b", "c", "d", "e"])
    let third = makeCoordinator()
    try add("Third", to: third)
    let maker = makeContext(third)
    maker.book("x")
    try maker.save()
    try makeCoordinator().destroyPersistentStore(at: storeURL("Other"), ofType: NSSQLiteStoreType)
    try makeCoordinator().replacePersistentStore(
      at: storeURL("One"), withPersistentStoreFrom: storeURL("Third"), ofType: NSSQLiteStoreType)
    for (name, titles) in [("Other", []), ("One", ["x"])] {
      let coordinator = makeCoordinator()
      try add(name, to: coordinator)
      let context = makeContext(coordinator)
      XCTAssertEqual(try context.titles(), titles)
      for _ in 0..<3 {
        context.book("y")
        try context.save()
      }
      XCTAssertEqual(try self.titles(in: name), titles + ["y", "y", "y"])
    }
  }

  func testC18_whoReplacesOrDestroysAStoreOfItsOwnAddsItAgain() throws {
    let two = try makeTwoStores()
    let coordinator = two.coordinator
    cocoaError(260) {
      try coordinator.replacePersistentStore(
        at: storeURL("One"), withPersistentStoreFrom: storeURL("None"), ofType: NSSQLiteStoreType)
    }
    XCTAssertEqual(coordinator.persistentStores, [two.one, two.other])
    try coordinator.remove(two.other)
    try coordinator.replacePersistentStore(
      at: storeURL("One"), withPersistentStoreFrom: storeURL("Other"), ofType: NSSQLiteStoreType)
    XCTAssertEqual(coordinator.persistentStores, [])
    try add("One", to: coordinator)
    let context = makeContext(coordinator)
    XCTAssertEqual(try context.titles(), ["b", "d"])
    context.book("f")
    try context.save()

    for isForced in [false, true] {
      try coordinator.destroyPersistentStore(
        at: storeURL("One"), ofType: NSSQLiteStoreType,
        options: [NSPersistentStoreForceDestroyOption: isForced])
      XCTAssertEqual(coordinator.persistentStores, [])
      try add("One", to: coordinator)
      let afresh = makeContext(coordinator)
      XCTAssertEqual(try afresh.titles(), [])
      afresh.book("g")
      try afresh.save()
    }
  }

  func testC18_aDamagedFileIsDestroyedToo() throws {
    for bytes in [
      Data(repeating: 7, count: 9000), Data("SQLite format 3\0".utf8) + Data(count: 99),
    ] {
      try bytes.write(to: storeURL("Damaged"))
      let coordinator = makeCoordinator()
      XCTAssertThrowsError(try add("Damaged", to: coordinator))
      try coordinator.destroyPersistentStore(at: storeURL("Damaged"), ofType: NSSQLiteStoreType)
      try coordinator.remove(add("Damaged", to: coordinator))
      try coordinator.destroyPersistentStore(at: storeURL("Damaged"), ofType: NSSQLiteStoreType)
    }
  }

  func testC18_aStoreIsReplacedByAnotherStoreOnly() throws {
    _ = try makeTwoStores()
    try Data().write(to: storeURL("Empty"))
    let binary = makeCoordinator()
    try binary.addPersistentStore(type: .binary, at: storeURL("Binary"))
    let context = makeContext(binary)
    context.book("x")
    try context.save()
    for (name, code) in [("Missing", 260), ("Empty", 134070), ("Binary", 134010)] {
      cocoaError(code) {
        try makeCoordinator().replacePersistentStore(
          at: storeURL("One"), withPersistentStoreFrom: storeURL(name), ofType: NSSQLiteStoreType)
      }
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: storeURL("Missing").path))
    XCTAssertEqual(try titles(in: "One"), ["a", "c", "e"], "it is what it was")
  }

  func testC18_nothingIsWrittenIntoAStoreThatWasReplacedOrMadeAnewMeanwhile() throws {
    let two = try makeTwoStores()
    let first = try two.context.book(named: "b")
    first.setValue("late", forKey: "title")
    try makeCoordinator().replacePersistentStore(
      at: storeURL("Other"), withPersistentStoreFrom: storeURL("One"), ofType: NSSQLiteStoreType)
    cocoaError(134030) { try two.context.save() }
    XCTAssertTrue(first.isUpdated, "it stays pending")
    XCTAssertEqual(try titles(in: "Other"), ["a", "c", "e"])

    let holder = makeCoordinator()
    try add("One", to: holder)
    let late = makeContext(holder)
    late.book("late")
    try makeCoordinator().destroyPersistentStore(at: storeURL("One"), ofType: NSSQLiteStoreType)
    cocoaError(134180) { try late.save() }
    try add("One", to: makeCoordinator())
    cocoaError(134030) { try late.save() }
    XCTAssertEqual(try titles(in: "One"), [])
  }

  func testC18_aStoreIsMigratedToAPlaceThatNoStoreOfTheCoordinatorHas() throws {
    let two = try makeTwoStores()
    for name in ["One", "Other"] {
      cocoaError(134081) {
        _ = try two.coordinator.migratePersistentStore(
          two.one, to: storeURL(name), withType: NSSQLiteStoreType)
      }
    }
    XCTAssertEqual(two.coordinator.persistentStores, [two.one, two.other])
    try two.coordinator.replacePersistentStore(
      at: storeURL("One"), withPersistentStoreFrom: storeURL("One"), ofType: NSSQLiteStoreType)
    XCTAssertEqual(try makeContext(two.coordinator).titles(), ["a", "b", "c", "d", "e"])
  }

  func testC18_aStoreIsNotReplacedByItselfThroughALink() throws {
    let two = try makeTwoStores()
    let (one, files) = (storeURL("One"), FileManager.default)
    try files.createSymbolicLink(at: storeURL("Link"), withDestinationURL: one)
    try files.linkItem(at: one, to: storeURL("Hard"))
    for name in ["Link", "Hard"] {
      for (place, source) in [(storeURL(name), one), (one, storeURL(name))] {
        try makeCoordinator().replacePersistentStore(
          at: place, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
      }
    }
    cocoaError(134081) {
      _ = try two.coordinator.migratePersistentStore(
        two.one, to: storeURL("Link"), withType: NSSQLiteStoreType)
    }
    XCTAssertEqual(try makeContext(two.coordinator).titles(), ["a", "b", "c", "d", "e"])
    cocoaError(134080) { try add("Hard", to: makeCoordinator()) }
    two.context.book("f", in: two.one)
    try two.context.save()
    XCTAssertEqual(try titles(in: "One"), ["a", "c", "e", "f"])
  }

  func testC18_aStoreWhoseCopyCannotBeAddedStaysAttachedAndIsSavedAsBefore() throws {
    let two = try makeTwoStores()
    let a = try two.context.book(named: "a")
    cocoaError(134080) {
      _ = try two.coordinator.migratePersistentStore(
        two.one, to: storeURL("Moved"),
        options: [NSSQLitePragmasOption: ["synchronous": "no such value"]],
        withType: NSSQLiteStoreType)
    }
    XCTAssertEqual(two.coordinator.persistentStores, [two.one, two.other])
    a.setValue("changed", forKey: "title")
    try two.context.save()
    XCTAssertEqual(try makeContext(two.coordinator).titles(), ["b", "c", "changed", "d", "e"])
    XCTAssertEqual(try titles(in: "One"), ["c", "changed", "e"])
    let moved = try two.coordinator.migratePersistentStore(
      two.one, to: storeURL("Moved"), withType: NSSQLiteStoreType)
    XCTAssertEqual(two.coordinator.persistentStores, [two.other, moved])
    XCTAssertEqual(try titles(in: "Moved"), ["c", "changed", "e"], "a second attempt succeeds")
  }

  func testC14_C18_aBinaryStoreIsNotMigratedAndStaysAttached() throws {
    let coordinator = makeCoordinator()
    let store = try coordinator.addPersistentStore(type: .binary, at: storeURL("One"))
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    cocoaError(134000) {
      _ = try coordinator.migratePersistentStore(store, to: storeURL("Two"), type: .sqlite)
    }
    XCTAssertEqual(coordinator.persistentStores, [store])
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: directory.path), ["One.sqlite"])
  }
}
