import CoreData
import Foundation
import XCTest

/// Contexts that read one unchanging state of their store (section C.6).
final class GenerationSpecs: SpecCase {
  /// A context that is pinned, and one that saves beside it.
  private struct Pair {
    let pinned: NSManagedObjectContext
    let other: NSManagedObjectContext

    /// The names that the pinned context finds.
    func seen() throws -> [String?] { try pinned.all(Author.self, by: "name").map(\.name) }
  }

  /// A store with the author A; the pinned context has read it once and holds nothing.
  private func makePair() throws -> Pair {
    let container = try makeContainer()
    let pair = Pair(pinned: makeMainContext(container), other: makeMainContext(container))
    try pair.other.savedAuthor("A")
    try pair.pinned.setQueryGenerationFrom(.current)
    XCTAssertEqual(try pair.seen(), ["A"])
    return pair
  }

  /// Runs the body and looks at each notification that the context has saved.
  private func observing(
    _ saver: NSManagedObjectContext, _ look: @escaping @Sendable (Notification) -> Void,
    during body: () throws -> Void
  ) rethrows {
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: saver, queue: nil,
      using: look)
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
  }

  func testC57_aContextBeginsUnpinnedAndMemoryIsNeverPinned() throws {
    let memory = try openContainer(
      model: SpecModel.library, at: URL(fileURLWithPath: "/dev/null"))
    XCTAssertNil(memory.viewContext.queryGenerationToken)
    let background = makeMainContext(memory)
    try memory.viewContext.setQueryGenerationFrom(.current)
    XCTAssertTrue(try memory.viewContext.all(Author.self).isEmpty)
    try background.savedAuthor("A")
    XCTAssertEqual(try memory.viewContext.all(Author.self).count, 1)
  }

  func testC57_aFileWithoutAWriteAheadLogIsReadAsIfUnpinned() throws {
    let container = NSPersistentContainer(name: "Plain", managedObjectModel: SpecModel.library)
    let description = NSPersistentStoreDescription(url: storeURL("Plain"))
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in XCTAssertNil(error) }
    try container.viewContext.setQueryGenerationFrom(.current)
    XCTAssertTrue(try container.viewContext.all(Author.self).isEmpty)
    try makeMainContext(container).savedAuthor("A")
    XCTAssertEqual(try container.viewContext.all(Author.self).count, 1)
  }

  func testC58_theStateIsThatOfTheFirstReadAfterPinning() throws {
    let container = try makeContainer()
    let pair = Pair(pinned: makeMainContext(container), other: makeMainContext(container))
    try pair.pinned.setQueryGenerationFrom(.current)
    try pair.other.savedAuthor("before the read")
    XCTAssertEqual(try pair.seen(), ["before the read"])
    try pair.other.savedAuthor("after the read")
    XCTAssertEqual(try pair.seen(), ["before the read"])
  }

  func testC59_anotherContextsTokenPinsToItsStateAndNilUnpins() throws {
    let pair = try makePair()
    try pair.other.savedAuthor("B")
    let third = try XCTUnwrap(pair.pinned.persistentStoreCoordinator).makeMainContext()
    try third.setQueryGenerationFrom(pair.pinned.queryGenerationToken)
    XCTAssertEqual(third.queryGenerationToken, pair.pinned.queryGenerationToken)
    XCTAssertEqual(try third.all(Author.self).count, 1)
    try third.setQueryGenerationFrom(nil)
    XCTAssertNil(third.queryGenerationToken)
    XCTAssertEqual(try third.all(Author.self).count, 2)
  }

  func testC59_aStateOutlivesTheContextThatPinnedItWhileAnotherReadsIt() throws {
    let container = try makeContainer()
    let second = makeMainContext(container)
    let writer = makeMainContext(container)
    var token: NSQueryGenerationToken?
    do {
      let first = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      first.persistentStoreCoordinator = container.persistentStoreCoordinator
      try first.setQueryGenerationFrom(.current)
      XCTAssertEqual(try first.all(Author.self).count, 0)
      token = first.queryGenerationToken
      try second.setQueryGenerationFrom(token)
    }
    try writer.savedAuthor("A")
    XCTAssertEqual(try second.all(Author.self).count, 0)
    second.reset()
    cocoaError(134060) { try writer.setQueryGenerationFrom(token) }
    XCTAssertNil(writer.queryGenerationToken)
  }

  func testC60_fetchesSeeTheStateAndNothingNewer() throws {
    let pair = try makePair()
    try pair.other.only(Author.self).name = "changed"
    try pair.other.savedAuthor("B")
    XCTAssertEqual(try pair.seen(), ["A"])
    XCTAssertEqual(try pair.pinned.count(for: NSFetchRequest<Author>(entityName: "Author")), 1)
  }

  func testC60_faultsAreFilledFromTheStateEvenIfTheRowIsCachedOrGone() throws {
    let pair = try makePair()
    let fault = try pair.pinned.only(Author.self)
    pair.pinned.refresh(fault, mergeChanges: false)
    let theirs = try pair.other.only(Author.self)
    theirs.name = "changed"
    theirs.drafts = [Draft(context: pair.other)]
    try pair.other.save()
    XCTAssertEqual(fault.name, "A", "the newer row is cached for others")
    XCTAssertTrue(fault.drafts.isEmpty)
    pair.pinned.refresh(fault, mergeChanges: false)
    pair.other.delete(theirs)
    try pair.other.save()
    XCTAssertEqual(fault.name, "A", "the row is gone for others")
    XCTAssertFalse(fault.isDeleted)
    XCTAssertEqual(theirs.managedObjectContext, nil)
  }

  func testC60_othersKeepReadingTheNewestStateBesideAPinnedContext() throws {
    let pair = try makePair()
    let old = try pair.pinned.only(Author.self)
    try pair.other.only(Author.self).name = "changed"
    try pair.other.save()
    pair.pinned.refresh(old, mergeChanges: false)
    XCTAssertEqual(old.name, "A")
    let third = try XCTUnwrap(pair.pinned.persistentStoreCoordinator).makeMainContext()
    XCTAssertEqual(try third.only(Author.self).name, "changed")
  }

  func testC61_savingMergingResettingAndSettingAdvanceThePin() throws {
    let pair = try makePair()
    try pair.other.savedAuthor("B")
    try pair.pinned.savedAuthor("C")
    XCTAssertEqual(try pair.seen(), ["A", "B", "C"], "after a save")
    let pinned = pair.pinned
    try observing(pair.other) {
      pinned.mergeChanges(fromContextDidSave: $0)
    } during: {
      _ = try pair.other.savedAuthor("D")
    }
    XCTAssertEqual(try pair.seen().count, 4, "after a merge")
    try pair.other.savedAuthor("E")
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [pair.pinned])
    XCTAssertEqual(try pair.seen().count, 5, "after a remote merge")
    try pair.other.savedAuthor("F")
    XCTAssertEqual(try pair.seen().count, 5)
    pair.pinned.reset()
    XCTAssertEqual(try pair.seen().count, 6, "after a reset")
    try pair.other.savedAuthor("G")
    XCTAssertEqual(try pair.seen().count, 6, "it is still pinned")
    try pair.pinned.setQueryGenerationFrom(.current)
    XCTAssertEqual(try pair.seen().count, 7, "after pinning anew")
  }

  func testC61_E3_aSaveOfAPinnedContextIsAnnouncedWithItsNewToken() throws {
    let pair = try makePair()
    let before = pair.pinned.queryGenerationToken
    let announced = Box<NSQueryGenerationToken?>(nil)
    try observing(pair.pinned) {
      announced.value =
        $0.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
    } during: {
      _ = try pair.pinned.savedAuthor("B")
    }
    XCTAssertNotNil(announced.value)
    XCTAssertEqual(announced.value, pair.pinned.queryGenerationToken)
    XCTAssertNotEqual(before, pair.pinned.queryGenerationToken)
  }

  func testC62_batchRequestsDoNotAdvanceThePin() throws {
    let pair = try makePair()
    let token = pair.pinned.queryGenerationToken
    let update = NSBatchUpdateRequest(entityName: "Author")
    update.propertiesToUpdate = ["name": "changed"]
    try pair.pinned.execute(update)
    XCTAssertEqual(pair.pinned.queryGenerationToken, token)
    XCTAssertEqual(try pair.seen(), ["A"])
    XCTAssertEqual(try reopened().only(Author.self).name, "changed")
  }

  func testC63_advancingLeavesRegisteredObjectsAsTheyAre() throws {
    let pair = try makePair()
    let mine = try pair.pinned.only(Author.self)
    XCTAssertEqual(mine.name, "A")
    try pair.other.only(Author.self).name = "changed"
    try pair.other.save()
    try pair.pinned.setQueryGenerationFrom(.current)
    XCTAssertEqual(try pair.pinned.all(Author.self), [mine])
    XCTAssertEqual(mine.name, "A")
    pair.pinned.refresh(mine, mergeChanges: true)
    XCTAssertEqual(mine.name, "changed")
  }

  func testC64_aSaveIsCheckedAgainstTheNewestState() throws {
    let pair = try makePair()
    let mine = try pair.pinned.only(Author.self)
    mine.born = 1
    try pair.other.only(Author.self).name = "changed"
    try pair.other.save()
    let conflict = try XCTUnwrap(try conflicts(savingFails: pair.pinned).first)
    XCTAssertEqual(conflict.newVersionNumber, conflict.oldVersionNumber + 1)
    pair.pinned.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try pair.pinned.save()
    XCTAssertEqual(mine.name, "changed")
    XCTAssertEqual(try reopened().only(Author.self).born, 1)
  }

  func testC66_aChildReadsItsRootsStateAndItsParentsChanges() throws {
    let pair = try makePair()
    let child = makeMainChild(of: pair.pinned)
    XCTAssertNil(child.queryGenerationToken)
    try pair.other.savedAuthor("B")
    Author(context: pair.pinned).name = "unsaved"
    XCTAssertEqual(try child.all(Author.self, by: "name").map(\.name), ["A", "unsaved"])
  }

  func testC67_I22_theLogGrowsWhileAStateIsPinnedAndIsUsedAgainAfterwards() throws {
    let container = NSPersistentContainer(name: "Log", managedObjectModel: SpecModel.library)
    let description = NSPersistentStoreDescription(url: storeURL())
    description.setValue("1" as NSString, forPragmaNamed: "wal_autocheckpoint")
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in XCTAssertNil(error) }
    let writer = makeMainContext(container)
    let size = {
      let path = self.storeURL().path + "-wal"
      return try XCTUnwrap(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
    for number in 0..<5 { try writer.savedAuthor("\(number)") }
    let before = try size()
    try container.viewContext.setQueryGenerationFrom(.current)
    _ = try container.viewContext.all(Author.self)
    for number in 0..<20 { try writer.savedAuthor("\(number)") }
    XCTAssertGreaterThan(try size(), before)
    try container.viewContext.setQueryGenerationFrom(nil)
    try writer.savedAuthor("the last one at its end")
    let released = try size()
    for number in 0..<20 { try writer.savedAuthor("\(number)") }
    XCTAssertEqual(try size(), released, "the log is written from its beginning again")
  }

  func testB61_withAnotherContextsStateNothingIsMergedAutomatically() throws {
    let pair = try makePair()
    let coordinator = try XCTUnwrap(pair.pinned.persistentStoreCoordinator)
    let third = coordinator.makeMainContext()
    third.automaticallyMergesChangesFromParent = true
    try third.setQueryGenerationFrom(pair.pinned.queryGenerationToken)
    let mine = try third.only(Author.self)
    XCTAssertEqual(mine.name, "A")
    try pair.other.only(Author.self).name = "changed"
    try pair.other.save()
    drain(third)
    XCTAssertEqual(mine.name, "A")
    XCTAssertEqual(third.queryGenerationToken, pair.pinned.queryGenerationToken)
  }

  func testB61_pinnedToTheCurrentStateTheFlagActsAndAdvancesThePin() throws {
    let pair = try makePair()
    pair.pinned.automaticallyMergesChangesFromParent = true
    let mine = try pair.pinned.only(Author.self)
    XCTAssertEqual(mine.name, "A")
    try pair.other.only(Author.self).name = "changed"
    try pair.other.savedAuthor("B")
    drain(pair.pinned)
    XCTAssertEqual(mine.name, "changed")
    XCTAssertEqual(try pair.seen(), ["B", "changed"])
  }

  func testTheNumberOfPinnedContextsIsBounded() throws {
    let coordinator = try makeContainer().persistentStoreCoordinator
    var contexts = (0..<64).map { _ in coordinator.makeMainContext() }
    for context in contexts { try context.setQueryGenerationFrom(.current) }
    let late = coordinator.makeMainContext()
    cocoaError(134060) { try late.setQueryGenerationFrom(.current) }
    XCTAssertNoThrow(try contexts[0].setQueryGenerationFrom(.current))
    contexts.removeLast()
    XCTAssertNoThrow(try late.setQueryGenerationFrom(.current))
  }
}

extension NSPersistentStoreCoordinator {
  /// A main-queue context on this coordinator.
  fileprivate func makeMainContext() -> NSManagedObjectContext {
    context(.mainQueueConcurrencyType, on: self)
  }
}
