import CoreData
import Foundation
import XCTest

/// Types of stores, what a store says about itself, and URIs (sections C.1 and C.2).
final class StoreTypeSpecs: StoresCase {
  private func addBinary(
    _ name: String = "One", to coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStore {
    try coordinator.addPersistentStore(type: .binary, at: storeURL(name))
  }

  func testC14_aBinaryStoreIsOneFileThatIsReplacedByEachSave() throws {
    let coordinator = makeCoordinator()
    let store = try addBinary(to: coordinator)
    XCTAssertEqual(store.type, NSBinaryStoreType)
    let files = { try FileManager.default.contentsOfDirectory(atPath: self.directory.path) }
    XCTAssertEqual(try files(), ["One.sqlite"], "adding it makes its file")
    XCTAssertEqual(
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .binary, at: storeURL("One"))[NSStoreUUIDKey] as? String, store.identifier)
    let context = makeContext(coordinator)
    let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
    for title in ["a", "b"] { context.book(title).setValue(shelf, forKey: "shelf") }
    try context.save()
    XCTAssertEqual(try files(), ["One.sqlite"])
    let kept = try Data(contentsOf: storeURL("One"))
    let other = makeCoordinator()
    let again = try addBinary(to: other)
    XCTAssertEqual(again.identifier, store.identifier)
    let reader = makeContext(other)
    XCTAssertEqual(try reader.titles(), ["a", "b"])
    XCTAssertEqual(
      try reader.book(named: "a").value(forKey: "shelf") as? NSManagedObject,
      try reader.book(named: "b").value(forKey: "shelf") as? NSManagedObject)
    context.book("c")
    try context.save()
    XCTAssertNotEqual(try Data(contentsOf: storeURL("One")), kept)
    XCTAssertEqual(try makeContext(other).titles(), ["a", "b"], "who has read it keeps it")
  }

  func testC14_aBinaryStoreThatCannotBeWrittenFailsTheSaveAndKeepsTheOldFile() throws {
    let coordinator = makeCoordinator()
    let (folder, files) = (directory.appendingPathComponent("no"), FileManager.default)
    let file = folder.appendingPathComponent("One")
    cocoaError(512) { _ = try coordinator.addPersistentStore(type: .binary, at: file) }
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try coordinator.addPersistentStore(type: .binary, at: file)
    try files.removeItem(at: folder)
    let context = makeContext(coordinator)
    context.book("a")
    cocoaError(134030) { try context.save() }
    XCTAssertTrue(context.hasChanges)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try context.save()
    XCTAssertEqual(try makeContext(coordinator).titles(), ["a"])
  }

  func testC14_C18_aBinaryStoreReplacesOnlyTheFileThatItReadOrWrote() throws {
    let (coordinator, elsewhere) = (makeCoordinator(), makeCoordinator())
    _ = try addBinary(to: coordinator)
    _ = try addBinary(to: elsewhere)
    let (context, late) = (makeContext(coordinator), makeContext(elsewhere))
    context.book("a")
    try context.save()
    context.book("b")
    try context.save()
    late.book("late")
    for _ in 0..<2 { cocoaError(134030) { try late.save() } }
    XCTAssertTrue(late.hasChanges)
    XCTAssertEqual(try binaryTitles(), ["a", "b"], "another coordinator has saved")

    let maker = makeCoordinator()
    _ = try addBinary("Else", to: maker)
    let bytes = try Data(contentsOf: storeURL("Else"))
    try bytes.write(to: storeURL("One"), options: .atomic)
    context.book("c")
    for _ in 0..<2 { cocoaError(134030) { try context.save() } }
    XCTAssertEqual(try Data(contentsOf: storeURL("One")), bytes, "another store is there")
    try FileManager.default.removeItem(at: storeURL("One"))
    try context.save()
    XCTAssertEqual(try binaryTitles(), ["a", "b", "c"], "a file that is gone is written anew")
  }

  private func binaryTitles() throws -> [String] {
    let coordinator = makeCoordinator()
    _ = try addBinary(to: coordinator)
    return try makeContext(coordinator).titles()
  }

  func testC13_C18_aBinaryStoreThatWasMovedReplacesNoOtherStore() throws {
    let coordinator = makeCoordinator()
    let store = try addBinary(to: coordinator)
    _ = try addBinary("Else", to: makeCoordinator())
    let bytes = try Data(contentsOf: storeURL("Else"))
    XCTAssertTrue(coordinator.setURL(storeURL("Else"), for: store))
    let context = makeContext(coordinator)
    context.book("a")
    cocoaError(134030) { try context.save() }
    XCTAssertEqual(try Data(contentsOf: storeURL("Else")), bytes)
    XCTAssertTrue(coordinator.setURL(storeURL("One"), for: store), "its own former file")
    try context.save()
    XCTAssertEqual(try binaryTitles(), ["a"])
  }

  func testC14_aFileOfOneTypeIsNotOpenedAsAnother() throws {
    let coordinator = makeCoordinator()
    let binary = try addBinary(to: coordinator)
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    try coordinator.remove(binary)
    cocoaError(134010) { try add("One", nil, to: coordinator) }
    try add("Two", nil, to: coordinator)
    cocoaError(134010) { _ = try addBinary("Two", to: makeCoordinator()) }
    cocoaError(134010) {
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: storeURL("One"))
    }
    try coordinator.destroyPersistentStore(at: storeURL("One"), type: .binary)
    XCTAssertFalse(FileManager.default.fileExists(atPath: storeURL("One").path))
  }

  func testC14_C15_aBinaryStoreExecutesNoBatchRequest() throws {
    let coordinator = makeCoordinator()
    _ = try addBinary(to: coordinator)
    let update = NSBatchUpdateRequest(entityName: "Book")
    update.propertiesToUpdate = ["pages": 1]
    cocoaError(134091) { try makeContext(coordinator).execute(update) }
  }

  func testC14_xmlIsRefusedWithTheReason() {
    let error = cocoaError(134000) {
      try makeCoordinator().addPersistentStore(
        ofType: "XML", configurationName: nil, at: storeURL("One"))
    }
    XCTAssertTrue(error?.localizedDescription.contains("macOS only") ?? false)
  }

  func testC12_whatIsSetIsWrittenAtTheNextSave() throws {
    let coordinator = makeCoordinator()
    let store = try add("One", to: coordinator)
    func inFile() throws -> [String: Any] {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: storeURL("One"))
    }
    var metadata = coordinator.metadata(for: store)
    metadata["owner"] = "Ada"
    metadata[NSStoreUUIDKey] = "another"
    coordinator.setMetadata(metadata, for: store)
    XCTAssertEqual(coordinator.metadata(for: store)["owner"] as? String, "Ada")
    XCTAssertNil(try inFile()["owner"])
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    XCTAssertEqual(try inFile()["owner"] as? String, "Ada")
    XCTAssertEqual(try inFile()[NSStoreUUIDKey] as? String, store.identifier)
    XCTAssertEqual(try inFile()[NSStoreTypeKey] as? String, NSSQLiteStoreType)
    coordinator.setMetadata(nil, for: store)
    context.book("b")
    try context.save()
    XCTAssertNil(try inFile()["owner"])
    XCTAssertNotNil(try inFile()[NSStoreModelVersionHashesKey], "the engine's own stay")
  }

  func testC12_D1_aSaveWithoutChangesWritesWhatIsSetAndTellsNobody() throws {
    let coordinator = makeCoordinator()
    let store = try add("One", to: coordinator)
    let context = makeContext(coordinator)
    let log = NotificationLog(
      [.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave], from: context)
    store.metadata["owner"] = "Ada"
    try makeMainChild(of: context).save()
    XCTAssertNil(
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: storeURL("One"))["owner"])
    try context.save()
    XCTAssertEqual(
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: storeURL("One"))["owner"] as? String, "Ada")
    XCTAssertTrue(log.entries.isEmpty)
    try coordinator.remove(store)
    let reader = try add("One", readOnly: true, to: coordinator)
    reader.metadata["owner"] = "Bob"
    try context.save()
  }

  func testC12_whatSomebodyElseWroteMeanwhileStaysBesideWhatIsSet() throws {
    let (coordinator, elsewhere) = (makeCoordinator(), makeCoordinator())
    let store = try add("One", to: coordinator)
    coordinator.setMetadata(["mine": 1, "shared": 1, "gone": 1], for: store)
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    let other = try add("One", to: elsewhere)
    elsewhere.setMetadata(["theirs": 1, "shared": 2, "gone": 1], for: other)
    let beside = makeContext(elsewhere)
    beside.book("b")
    try beside.save()
    coordinator.setMetadata(["mine": 2, "shared": 1], for: store)
    context.book("c")
    try context.save()
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: storeURL("One"))
    let numbers = metadata.compactMapValues { $0 as? Int }
    XCTAssertEqual(numbers, ["mine": 2, "theirs": 1, "shared": 2])
    XCTAssertEqual(coordinator.metadata(for: store)["theirs"] as? Int, 1)
  }

  func testC12_theMetadataOfAFileCanBeReadAndWrittenWithoutAddingTheStore() throws {
    let store = try add("One", to: makeCoordinator())
    try NSPersistentStoreCoordinator.setMetadata(["a": 1], type: .sqlite, at: storeURL("One"))
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: storeURL("One"))
    XCTAssertEqual(metadata["a"] as? Int, 1)
    XCTAssertEqual(metadata[NSStoreUUIDKey] as? String, store.identifier)
    XCTAssertTrue(
      SpecModel.divided.isConfiguration(withName: "All", compatibleWithStoreMetadata: metadata))
    cocoaError(260) {
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: storeURL("Nowhere"))
    }
    try Data("not a store, whatever it is called".utf8).write(to: storeURL("Text"))
    cocoaError(259) {
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: storeURL("Text"))
    }
    try Data().write(to: storeURL("Empty"))
    cocoaError(134070) {
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: storeURL("Empty"))
    }
  }

  func testC12_C14_theMetadataOfABinaryFileIsSetWithoutLeavingALog() throws {
    let coordinator = makeCoordinator()
    let store = try addBinary(to: coordinator)
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    try NSPersistentStoreCoordinator.setMetadata(["a": 1], type: .binary, at: storeURL("One"))
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .binary, at: storeURL("One"))
    XCTAssertEqual(metadata["a"] as? Int, 1)
    XCTAssertEqual(metadata[NSStoreUUIDKey] as? String, store.identifier)
    let reader = makeCoordinator()
    _ = try addBinary(to: reader)
    XCTAssertEqual(try makeContext(reader).titles(), ["a"])
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: directory.path), ["One.sqlite"])
  }

  func testC13_C14_aBinaryStoreMovesToAnotherFileWithItsNextSave() throws {
    try add("Other", to: makeCoordinator())
    let coordinator = makeCoordinator()
    let store = try addBinary(to: coordinator)
    let other = try add("Other", to: coordinator)
    let context = makeContext(coordinator)
    context.book("a")
    try context.save()
    let identifier = store.identifier
    XCTAssertFalse(coordinator.setURL(storeURL("Other"), for: store), "another store has it")
    XCTAssertFalse(coordinator.setURL(storeURL("One"), for: other))
    XCTAssertTrue(coordinator.setURL(storeURL("Moved"), for: store))
    XCTAssertEqual(store.url, storeURL("Moved"))
    XCTAssertEqual(store.identifier, identifier)
    XCTAssertFalse(FileManager.default.fileExists(atPath: storeURL("Moved").path))
    XCTAssertEqual(try context.titles(), ["a"])
    context.book("b", in: store)
    try context.save()
    for (name, expected) in [("One", ["a"]), ("Moved", ["a", "b"])] {
      let reader = makeCoordinator()
      XCTAssertEqual(try addBinary(name, to: reader).identifier, identifier)
      XCTAssertEqual(try makeContext(reader).titles(), expected)
    }
  }

  func testC28_aStoreIsAddedAsItsDescriptionSays() throws {
    let coordinator = makeCoordinator()
    for (name, isElsewhere) in [("One", false), ("Two", true)] {
      let description = NSPersistentStoreDescription(url: storeURL(name))
      description.configuration = "All"
      description.shouldAddStoreAsynchronously = isElsewhere
      let added = expectation(description: "the store was added")
      coordinator.addPersistentStore(with: description) { answered, error in
        XCTAssertNil(error)
        XCTAssertIdentical(answered, description)
        XCTAssertEqual(Thread.isMainThread, !isElsewhere)
        added.fulfill()
      }
      wait(for: [added], timeout: 30)
    }
    XCTAssertEqual(coordinator.persistentStores.map(\.url), [storeURL("One"), storeURL("Two")])
    let again = NSPersistentStoreDescription(url: storeURL("One"))
    coordinator.addPersistentStore(with: again) { XCTAssertEqual(($1 as NSError?)?.code, 134081) }
  }

  func testC18_aForcedDestructionDeletesTheFiles() throws {
    let coordinator = makeCoordinator()
    try coordinator.remove(add("One", to: coordinator))
    try coordinator.destroyPersistentStore(
      at: storeURL("One"), type: .sqlite,
      options: [NSPersistentStoreForceDestroyOption: true])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), [])
  }

  func testC23_aStoreOfAnotherVersionIsOpenedAsItIsIfVersionsAreIgnored() throws {
    try add("One", "Books", to: makeCoordinator())
    let coordinator = makeCoordinator()
    try coordinator.addPersistentStore(
      type: .sqlite, configuration: "All", at: storeURL("One"),
      options: [NSIgnorePersistentStoreVersioningOption: true])
    XCTAssertEqual(try makeContext(coordinator).titles(), [])
  }

  func testA12_noTextMakesAnIdOfANonsenseUri() throws {
    let two = try makeTwoStores()
    let uri = try two.context.book(named: "b").objectID.uriRepresentation().absoluteString
    var random = SeededGenerator(seed: 12)
    let pieces = [
      "p", "/", "x-coredata", ":", "%", "%41", "é", "\u{0}", "-", "+1", "Shelf", " ", "?", "#", "@",
      "[", "9223372036854775807", "8796093022208",
    ]
    for _ in 0..<5000 {
      var text = Array(uri)
      for _ in 0...Int(random.next() % 3) {
        let place = Int(random.next() % UInt64(text.count))
        let piece = Array(pieces[Int(random.next() % UInt64(pieces.count))])
        switch random.next() % 3 {
        case 0: text.remove(at: place)
        case 1: text.insert(contentsOf: piece, at: place)
        default: text.replaceSubrange(place...place, with: piece)
        }
        if text.isEmpty { text = Array(uri) }
      }
      let id = two.coordinator.managedObjectID(for: String(text))
      guard let id else { continue }
      XCTAssertNotNil(id.persistentStore)
      XCTAssertEqual(
        two.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()), id)
      _ = try? two.context.existingObject(with: id)
    }
    let store = try XCTUnwrap(two.one.identifier)
    for key in ["0", "-1", "9223372036854775807", "8796093022208", "99999999999999999999", ""] {
      XCTAssertNil(two.coordinator.managedObjectID(for: "x-coredata://\(store)/Book/p\(key)"), key)
    }
  }
}
