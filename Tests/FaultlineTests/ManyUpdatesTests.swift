import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// Saves that update so many rows that rows share a statement.
final class ManyUpdatesTests: XCTestCase {
  private static let count = Transaction.rowsPerUpdate * 2 + 20

  /// A store with notes, and a context that holds all of them in order, realised.
  private func makeNotes(
    vfs: String? = nil
  ) throws -> (store: TestStore, context: NSManagedObjectContext, notes: [Note]) {
    let store = try TestStore(vfs: vfs)
    let context = store.container.newBackgroundContext()
    let notes = try context.performOnThisThread {
      let notes = (0..<Self.count).map { number in
        let note = Note(context: context)
        note.number = Int64(number)
        note.title = "note \(number)"
        return note
      }
      try context.save()
      return notes
    }
    return (store, context, notes)
  }

  private func titles(_ store: TestStore) throws -> [String] {
    let connection = try Connection(path: store.url.path, options: .init(readOnly: true))
    let select = try connection.statement("SELECT ZTITLE FROM ZNOTE ORDER BY ZNUMBER")
    var titles: [String] = []
    while try select.step() { titles.append(select.text(0)) }
    return titles
  }

  func testEveryRowTakesItsOwnValues() throws {
    let (store, context, notes) = try makeNotes()
    defer { store.remove() }
    try context.performOnThisThread {
      for (number, note) in notes.enumerated() {
        // Three shapes, so that runs of one shape end and begin again.
        if number % 200 < 150 { note.title = "changed \(number)" }
        if number % 200 > 140 { note.date = Date(timeIntervalSinceReferenceDate: Double(number)) }
      }
      try context.save()
      XCTAssertFalse(context.hasChanges)
    }
    let expected = (0..<Self.count).map { ($0 % 200 < 150 ? "changed" : "note") + " \($0)" }
    XCTAssertEqual(try titles(store), expected)
    let connection = try Connection(path: store.url.path, options: .init(readOnly: true))
    let versions = try connection.statement("SELECT count(*) FROM ZNOTE WHERE Z_OPT <> 2")
    XCTAssertTrue(try versions.step())
    XCTAssertEqual(versions.int64(0), 0)
  }

  func testAConflictNamesExactlyTheRowsThatSomebodyElseChanged() throws {
    let (store, context, notes) = try makeNotes()
    defer { store.remove() }
    let other = store.container.newBackgroundContext()
    try other.performOnThisThread {
      for index in [3, 200] {
        try XCTUnwrap(other.existingObject(with: notes[index].objectID) as? Note).title = "theirs"
      }
      try other.save()
    }
    try context.performOnThisThread {
      for note in notes { note.title = "ours" }
      XCTAssertThrowsError(try context.save()) { error in
        let conflicts = (error as? CocoaError)?.userInfo["conflictList"] as? [NSMergeConflict]
        XCTAssertEqual(conflicts?.map(\.sourceObject), [notes[3], notes[200]])
      }
      XCTAssertEqual(context.updatedObjects.count, Self.count)
      XCTAssertEqual(try titles(store).filter { $0 == "ours" }, [])
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
    }
    XCTAssertEqual(try titles(store), Array(repeating: "ours", count: Self.count))
  }

  func testDeletionsShareAStatementAndAConflictNamesExactlyItsRows() throws {
    let (store, context, notes) = try makeNotes()
    defer { store.remove() }
    let other = store.container.newBackgroundContext()
    try other.performOnThisThread {
      let theirs = try [3, 200, 40].map { index in
        try XCTUnwrap(other.existingObject(with: notes[index].objectID) as? Note)
      }
      theirs[0].title = "theirs"
      theirs[1].title = "theirs"
      other.delete(theirs[2])
      try other.save()
    }
    try context.performOnThisThread {
      for note in notes { context.delete(note) }
      XCTAssertThrowsError(try context.save()) { error in
        let conflicts = (error as? CocoaError)?.userInfo["conflictList"] as? [NSMergeConflict]
        XCTAssertEqual(conflicts?.map(\.sourceObject), [notes[3], notes[200]])
      }
      XCTAssertEqual(context.deletedObjects.count, Self.count)
      XCTAssertEqual(try titles(store).count, Self.count - 1)
      context.mergePolicy = NSMergePolicy.overwrite
      try context.save()
      XCTAssertEqual(try titles(store), [])
    }
  }

  func testManyDeletionsAreAStatementForEachHundredAndTwentyEight() throws {
    let (store, context, notes) = try makeNotes()
    defer { store.remove() }
    try context.performOnThisThread {
      let before = EngineCounters.read().statements
      for note in notes { context.delete(note) }
      try context.save()
      // BEGIN, COMMIT, two of 128 and one for each that is left.
      XCTAssertEqual(EngineCounters.read().statements - before, 2 + 2 + 20)
      XCTAssertEqual(try titles(store), [])
    }
  }

  func testADiskFailureLeavesEveryChangePendingAndWritesNothing() throws {
    let (store, context, notes) = try makeNotes(vfs: FailureInjectingVFS.name)
    defer { store.remove() }
    defer { FailureInjectingVFS.failOperation(nil) }
    try context.performOnThisThread {
      for note in notes { note.title = "round 0" }
      try context.save()
      for number in 1..<200 {
        for note in notes { note.title = "round \(number)" }
        FailureInjectingVFS.failOperation(number, among: [.read, .write, .sync, .truncate, .lock])
        let isSaved = (try? context.save()) != nil
        let isClean = FailureInjectingVFS.operationsFailed == 0
        FailureInjectingVFS.failOperation(nil)
        let stored = Set(try titles(store))
        XCTAssertEqual(stored.count, 1, "a save is all or nothing")
        XCTAssertEqual(stored == ["round \(number)"], isSaved)
        XCTAssertEqual(context.updatedObjects.count, isSaved ? 0 : Self.count)
        if isSaved, isClean { return XCTAssertGreaterThan(number, 3) }
      }
      XCTFail("the save never ran clean")
    }
  }
}
