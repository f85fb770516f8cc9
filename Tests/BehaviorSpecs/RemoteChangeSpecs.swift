import CoreData
import Foundation
import Testing
import XCTest

/// The notification that a store was written (sections C.5 and E.1).
final class RemoteChangeSpecs: HistoryCase {
  /// A container that announces, kept until the test ends.
  private func makeAnnouncing(history: Bool = true) throws -> NSPersistentContainer {
    let container = try openMemos(at: storeURL("Memos"), history: history, announcing: true)
    keep(container)
    return container
  }

  func testC55_E20_ownWritesAreAnnouncedOnAnotherThreadWithStoreAndToken() throws {
    let container = try makeAnnouncing()
    let context = container.viewContext
    let announcements = Announcements(container)
    context.new("Memo")
    try context.save()
    XCTAssertTrue(announcements.next())
    try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Memo")))
    XCTAssertTrue(announcements.next())
    let entries = announcements.entries
    XCTAssertEqual(entries.map(\.isOnMain), [false, false])
    XCTAssertEqual(entries.map(\.namesStore), [true, true])
    XCTAssertEqual(entries.map(\.token), try context.history().map(\.token))
  }

  func testC55_withoutAHistoryThereIsNoTokenAndWithoutTheOptionNothing() throws {
    let container = try makeAnnouncing(history: false)
    let silent = try openMemos(at: storeURL("Silent"), history: false)
    let (announcements, none) = (Announcements(container), Announcements(silent))
    silent.viewContext.new("Memo")
    try silent.viewContext.save()
    container.viewContext.new("Memo")
    try container.viewContext.save()
    XCTAssertTrue(announcements.next())
    XCTAssertNil(announcements.entries[0].token)
    XCTAssertEqual(none.entries.count, 0)
  }

  func testC55_aStoreInMemoryAnnouncesItsWritesToo() throws {
    let container = try openMemos(at: URL(fileURLWithPath: "/dev/null"), announcing: true)
    let announcements = Announcements(container)
    container.viewContext.new("Memo")
    try container.viewContext.save()
    XCTAssertTrue(announcements.next())
    XCTAssertEqual(
      announcements.entries.map(\.token),
      [container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)])
  }

  func testC14_C55_aBinaryStoreAnnouncesItsWritesWithoutAToken() throws {
    let container = try openMemos(
      at: storeURL("Binary"), announcing: true, type: NSBinaryStoreType)
    let announcements = Announcements(container)
    for count in 1...2 {
      container.viewContext.new("Memo")
      try container.viewContext.save()
      XCTAssertTrue(announcements.next())
      XCTAssertEqual(announcements.entries.count, count)
    }
    XCTAssertEqual(announcements.entries.map(\.namesStore), [true, true])
    XCTAssertEqual(announcements.entries.map(\.token), [nil, nil])
  }

  func testC2_C55_writesOfAnotherCoordinatorAreAnnouncedToBoth() throws {
    let (one, other) = (try makeAnnouncing(), try makeAnnouncing())
    let heard = [Announcements(one), Announcements(other)]
    one.viewContext.new("Memo")
    try one.viewContext.save()
    for announcements in heard { XCTAssertTrue(announcements.next()) }
    let token = one.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
    XCTAssertEqual(heard.map { $0.entries.last?.token }, [token, token])
  }

  func testC55_aStoreThatWasRemovedIsAnnouncedNoMore() throws {
    let (one, other) = (try makeAnnouncing(), try makeAnnouncing())
    let (gone, heard) = (Announcements(one), Announcements(other))
    let store = try XCTUnwrap(one.persistentStoreCoordinator.persistentStores.first)
    try one.persistentStoreCoordinator.remove(store)
    other.viewContext.new("Memo")
    try other.viewContext.save()
    XCTAssertTrue(heard.next())
    XCTAssertEqual(gone.entries.count, 0)
  }

  func testC56_whatIsWrittenBeforeAnAnnouncementBeginsIsAnnouncedTogether() throws {
    let container = try makeAnnouncing()
    let context = container.viewContext
    let (isInside, mayGoOn) = (Gate(), Gate())
    let isFirst = Box(true)
    let announcements = Announcements(container) {
      guard isFirst.value else { return }
      isFirst.value = false
      isInside.open()
      mayGoOn.pass()
    }
    context.new("Memo")
    try context.save()
    XCTAssertTrue(isInside.pass())
    for _ in 0..<3 {
      context.new("Memo")
      try context.save()
    }
    mayGoOn.open()
    for _ in 0..<2 { XCTAssertTrue(announcements.next()) }
    let all = try context.history().map(\.token)
    XCTAssertEqual(announcements.entries.map(\.token), [all[0], all[3]])
  }
}

/// Two processes that share a file.
struct RemoteProcessSpecs {
  /// ```
  /// here                         there
  /// listen
  ///                              insert, update, delete; save
  /// hear of it
  /// merge what the history tells
  /// ```
  @Test("C55, C52: a process hears of another's writes and merges them by the history")
  func aProcessHearsOfAnothersWritesAndMergesThemByTheHistory() async throws {
    let directory = try makeSpecDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("Memos.sqlite").path
    let container = try openMemos(at: URL(fileURLWithPath: path), announcing: true)
    let context = container.newBackgroundContext()
    let (changed, doomed) = try context.performAndWait {
      let objects = (
        context.new("Memo", ["topic": "old"]), context.new("Memo", ["topic": "doomed"])
      )
      try context.save()
      return objects
    }
    let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
    let announcements = Announcements(container)
    await #expect(processExitsWith: .success) { [path = path as String] in
      let container = try openMemos(at: URL(fileURLWithPath: path), announcing: true)
      let other = container.newBackgroundContext()
      try other.performAndWait {
        other.transactionAuthor = "another process"
        for memo in try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo")) {
          if memo.value(forKey: "topic") as? String == "old" {
            memo.setValue("new", forKey: "topic")
          } else {
            other.delete(memo)
          }
        }
        other.new("Folder", ["name": "added"])
        try other.save()
      }
    }
    try context.performOnThisThread {
      let found = try context.history(after: token)
      #expect(found.map(\.author) == ["another process"])
      #expect(announcements.arrived(at: found.last?.token), "it was not announced")
      #expect(announcements.entries.allSatisfy { $0.namesStore && !$0.isOnMain })
      for transaction in found {
        context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
      #expect(changed.value(forKey: "topic") as? String == "new")
      #expect(doomed.isDeleted)
      let added = try #require(
        found.flatMap { $0.changes ?? [] }.first { $0.changeType == .insert }?.changedObjectID)
      #expect(try context.existingObject(with: added).value(forKey: "name") as? String == "added")
    }
  }
}
