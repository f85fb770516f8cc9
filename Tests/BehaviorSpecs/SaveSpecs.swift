import CoreData
import Foundation
import XCTest

/// The steps of a root context's save and what observers see of them (section D.1).
final class SaveSpecs: SpecCase {
  private let saving: [Notification.Name] = [
    NSManagedObjectContext.willSaveObjectsNotification,
    NSManagedObjectContext.didSaveObjectsNotification,
    NSManagedObjectContext.didSaveObjectIDsNotification,
  ]

  override func tearDown() {
    Journal.clear()
    super.tearDown()
  }

  private func witnessContext() throws -> NSManagedObjectContext {
    Journal.clear()
    let container = try makeContainer(model: WitnessModel.model)
    keep(container)
    return container.viewContext
  }

  func testD1_K6_savingNothingSucceedsAndPostsNothing() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog(saving, from: context)
    XCTAssertFalse(context.hasChanges)
    XCTAssertNoThrow(try context.save())
    XCTAssertTrue(log.entries.isEmpty)
    try context.savedAuthor()
    XCTAssertEqual(log.entries.map(\.name), saving, "a save of something posts all three")
  }

  func testD2_E15_L19_theWholeSequenceOfASave() throws {
    let context = try witnessContext()
    let order = Box<[String]>([])
    let watched: [(Notification.Name, String)] = [
      (NSManagedObjectContext.willSaveObjectsNotification, "WillSave"),
      (NSManagedObjectContext.didChangeObjectsNotification, "ObjectsDidChange"),
      (NSManagedObjectContext.didSaveObjectsNotification, "DidSave"),
      (NSManagedObjectContext.didSaveObjectIDsNotification, "DidSaveObjectIDs"),
    ]
    let tokens = watched.map { name, label in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
        order.update { $0.append(label) }
      }
    }
    defer { tokens.forEach(NotificationCenter.default.removeObserver) }
    for callback in ["willSave", "validateForInsert", "didSave"] {
      Journal.during(callback) { witness in
        let permanent = !witness.objectID.isTemporaryID
        order.update { $0.append(callback + (permanent ? " permanent" : "")) }
      }
    }
    Witness(context: context).name = "one"
    try context.save()
    XCTAssertEqual(
      order.value.map { $0 == "willSave permanent" ? "willSave" : $0 }
        .map { $0 == "validateForInsert permanent" ? "validateForInsert" : $0 },
      [
        "WillSave", "ObjectsDidChange", "willSave", "validateForInsert", "didSave permanent",
        "DidSave", "DidSaveObjectIDs",
      ])
  }

  func testD3_everyInsertedUpdatedAndDeletedObjectGetsWillSaveBeforeAnyIsValidated() throws {
    let context = try witnessContext()
    let updated = Witness(context: context)
    let deleted = Witness(context: context)
    try context.save()
    Journal.clearEntries()
    updated.name = "updated"
    context.delete(deleted)
    _ = Witness(context: context)
    try context.save()
    let entries = Journal.entries
    XCTAssertEqual(entries.filter { $0 == "willSave" }.count, 3)
    let lastWillSave = try XCTUnwrap(entries.lastIndex(of: "willSave"))
    for validation in ["validateForInsert", "validateForUpdate", "validateForDelete"] {
      let index = try XCTUnwrap(entries.firstIndex(of: validation), "\(entries)")
      XCTAssertGreaterThan(index, lastWillSave, "\(entries)")
    }
  }

  func testD3_L10_aChangeMadeInWillSaveStartsAnotherRoundAndIsSaved() throws {
    let context = try witnessContext()
    Journal.during("willSave") { witness in
      if witness.stamp == 0 { witness.stamp = 7 }
    }
    let witness = Witness(context: context)
    try context.save()
    XCTAssertEqual(Journal.count("willSave"), 2)
    XCTAssertFalse(context.hasChanges)
    context.refresh(witness, mergeChanges: false)
    XCTAssertEqual(witness.stamp, 7)
  }

  /// Two saved witnesses; the first leads to the second.
  private func givenPair(
    _ context: NSManagedObjectContext
  ) throws -> (first: Witness, second: Witness) {
    let (first, second) = (Witness(context: context), Witness(context: context))
    first.name = "first"
    first.parent = second
    try context.save()
    Journal.clearEntries()
    return (first, second)
  }

  func testD3_whatWillSaveChangesAndProcessesIsPreparedAndValidatedToo() throws {
    let context = try witnessContext()
    let (first, second) = try givenPair(context)
    Journal.during("willSave") { witness in
      guard let other = witness.parent, other.stamp == 0 else { return }
      other.stamp = 7
      other.managedObjectContext?.processPendingChanges()
    }
    first.stamp = 1
    try context.save()
    XCTAssertEqual(Journal.count("willSave"), 3, "the first object again, and the second")
    XCTAssertEqual(Journal.count("validateForUpdate"), 2)
    XCTAssertEqual(second.stamp, 7)
    XCTAssertFalse(context.hasChanges)
  }

  func testB41_D3_whatAChildPushesDuringWillSaveIsPreparedAndValidatedToo() throws {
    let context = try witnessContext()
    let (first, second) = try givenPair(context)
    let child = makeMainChild(of: context)
    let id = second.objectID
    Journal.during("willSave") { witness in
      guard let mine = child.object(with: id) as? Witness, mine.stamp == 0 else { return }
      mine.stamp = 7
      try? child.save()
      Journal.clearEntries()
    }
    first.stamp = 1
    try context.save()
    XCTAssertEqual(Journal.count("willSave"), 2)
    XCTAssertEqual(Journal.count("validateForUpdate"), 2)
    XCTAssertEqual(second.stamp, 7)
  }

  func testD4_theNotificationComesBeforeTheObjectsOwnWillSave() throws {
    let context = try witnessContext()
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.willSaveObjectsNotification, object: context, queue: nil
    ) { _ in Journal.observed() }
    defer { NotificationCenter.default.removeObserver(token) }
    _ = Witness(context: context)
    Journal.clearEntries()
    try context.save()
    XCTAssertEqual(Journal.entries.prefix(2), ["observer", "willSave"])
  }

  func testD5_whatAWillSaveObserverChangesIsPartOfTheSave() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.willSaveObjectsNotification, object: context, queue: nil
    ) { note in
      let context = note.object as? NSManagedObjectContext
      for case let author as Author in context?.insertedObjects ?? [] { author.born = 1815 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(try reader(container).only(Author.self).born, 1815)
    XCTAssertEqual(author.born, 1815)
  }

  func testD7_K6_aFailedSaveLeavesTheIdTemporary() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    let invoice = Invoice(context: context)
    let before = author.objectID
    cocoaError(1570) { try context.save() }
    XCTAssertTrue(author.objectID.isTemporaryID)
    XCTAssertEqual(author.objectID, before)
    invoice.payer = author
    try context.save()
    XCTAssertFalse(author.objectID.isTemporaryID)
  }

  func testD7_anIdObtainedBeforeAFailedSaveStays() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    try context.obtainPermanentIDs(for: [author])
    let obtained = author.objectID
    _ = Invoice(context: context)
    cocoaError(1570) { try context.save() }
    XCTAssertEqual(author.objectID, obtained)
  }

  func testD7_D79_aWriteThatFailsHalfWayLeavesNoRowAndTemporaryIds() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    let newcomer = Author(context: crossing.local)
    newcomer.name = "newcomer"
    cocoaError(133020) { try crossing.local.save() }
    XCTAssertTrue(newcomer.objectID.isTemporaryID)
    XCTAssertEqual(try crossing.reread().all(Author.self).map(\.name), ["S1"])
  }

  func testD8_oneInvalidObjectKeepsTheWholeSaveOut() throws {
    let container = try makeContainer()
    let context = container.viewContext
    for number in 0..<10 { Author(context: context).name = "\(number)" }
    let invoice = Invoice(context: context)
    cocoaError(1570) { try context.save() }
    XCTAssertTrue(try reopened().all(Author.self).isEmpty)
    context.delete(invoice)
    try context.save()
    XCTAssertEqual(try reopened().all(Author.self).count, 10)
  }

  func testD9_L10_aWillSaveThatNeverSettlesFailsTheSaveAfterABoundedNumberOfRounds() throws {
    let context = try witnessContext()
    Journal.during("willSave") { $0.stamp += 1 }
    let witness = Witness(context: context)
    XCTAssertThrowsError(try context.save()) { error in
      XCTAssertEqual((error as NSError).domain, NSCocoaErrorDomain)
    }
    XCTAssertTrue(context.hasChanges)
    XCTAssertTrue(witness.isInserted)
    XCTAssertGreaterThanOrEqual(Journal.count("willSave"), 100)
    XCTAssertLessThanOrEqual(Journal.count("willSave"), 1001)
    XCTAssertEqual(Journal.count("didSave"), 0)
  }

  func testD6_aSaveInsideASaveFailsWith132001AndTheSaveAroundItSucceeds() throws {
    let context = try witnessContext()
    let told = Box<[String]>([])
    let saveAgain: @Sendable (NSManagedObjectContext?) -> Void = { context in
      do {
        try context?.save()
        told.update { $0.append("saved") }
      } catch {
        let error = error as NSError
        let message = error.userInfo["message"] ?? ""
        told.update { $0.append("\(error.domain) \(error.code): \(message)") }
      }
    }
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.willSaveObjectsNotification, object: context, queue: nil
    ) { saveAgain($0.object as? NSManagedObjectContext) }
    defer { NotificationCenter.default.removeObserver(token) }
    for callback in ["willSave", "validateForInsert"] {
      Journal.during(callback) { saveAgain($0.managedObjectContext) }
    }
    Witness(context: context).name = "one"
    XCTAssertNoThrow(try context.save())
    let refused =
      "NSCocoaErrorDomain 132001: attempt to recursively call -save: on the context aborted"
    XCTAssertEqual(told.value, [refused, refused, refused])
    XCTAssertFalse(context.hasChanges)
    context.reset()
    XCTAssertEqual(try context.all(Witness.self).map(\.name), ["one"])
  }

  func testD11_aSaveThatWaitedForAnotherIsCheckedAgainstItsResult() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor("A").objectID
    let first = container.newBackgroundContext()
    let second = container.newBackgroundContext()
    let inFirst = Gate()
    let failure = Box<Int?>(nil)
    for context in [first, second] {
      context.performAndWait {
        let author = context.object(with: id) as? Author
        author?.name = context === first ? "first" : "second"
      }
    }
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: first, queue: nil
    ) { _ in inFirst.open() }
    defer { NotificationCenter.default.removeObserver(token) }
    let finished = expectation(description: "both saves ended")
    finished.expectedFulfillmentCount = 2
    first.perform {
      XCTAssertNil(errorCode { try first.save() })
      finished.fulfill()
    }
    second.perform {
      XCTAssertTrue(inFirst.pass())
      failure.value = errorCode { try second.save() }
      finished.fulfill()
    }
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(failure.value, 133020)
  }

  func testD11_manySaversOnOneCoordinatorLoseNoRow() throws {
    let container = try makeContainer()
    let finished = expectation(description: "every saver ended")
    finished.expectedFulfillmentCount = 8
    let failures = Box(0)
    for number in 0..<8 {
      container.performBackgroundTask { context in
        for round in 0..<5 {
          Author(context: context).name = "\(number).\(round)"
          if errorCode({ try context.save() }) != nil { failures.update { $0 += 1 } }
        }
        finished.fulfill()
      }
    }
    wait(for: [finished], timeout: 60)
    XCTAssertEqual(failures.value, 0)
    let names = try container.viewContext.all(Author.self).compactMap(\.name)
    XCTAssertEqual(names.count, 40)
    XCTAssertEqual(Set(names).count, 40)
  }
}
