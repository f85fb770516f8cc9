import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

final class SaveFailureTests: XCTestCase {
  /// Makes the 1st, 2nd, 3rd … operation of the disk fail during one save until the save runs
  /// clean.
  ///
  /// Allowed at each: the save throws a `CocoaError`, every change is still pending and the file
  /// holds what it held before; or it succeeds and the file holds the new state. Nothing in
  /// between.
  func testASaveThatMeetsADiskFailureLosesNothingAndWritesNothing() throws {
    try meetEachFailure(pragmas: [:])
  }

  /// The same where a save also makes room in the log, and may go on without.
  func testASaveThatWaitsForTheDiskAndMeetsAFailureLosesNothingEither() throws {
    try meetEachFailure(pragmas: ["synchronous": "FULL"])
  }

  private func meetEachFailure(pragmas: [String: String]) throws {
    var number = 1
    var failures = 0
    while number < 500 {
      let store = try TestStore(vfs: FailureInjectingVFS.name, pragmas: pragmas)
      defer { store.remove() }
      let context = store.container.newBackgroundContext()
      let isClean = try context.performOnThisThread { try saveMeetingFailure(number, context) }
      FailureInjectingVFS.failOperation(nil)
      let stored = try countNotes(store.url)
      if isClean {
        XCTAssertEqual(stored, 40)
        if FailureInjectingVFS.operationsFailed == 0, number > 1 { break }
      } else {
        failures += 1
        XCTAssertEqual(stored, 20, "after a failure of operation \(number)")
      }
      number += 1
    }
    XCTAssertGreaterThan(failures, 3)
    XCTAssertLessThan(number, 500, "the save never ran clean")
  }

  /// Whether the save succeeded; a failed one must leave its changes, and succeed when repeated.
  private func saveMeetingFailure(_ number: Int, _ context: NSManagedObjectContext) throws -> Bool {
    for count in 0..<20 { Note(context: context).number = Int64(count) }
    try context.save()
    for count in 20..<40 { Note(context: context).number = Int64(count) }
    FailureInjectingVFS.failOperation(number, among: [.read, .write, .sync, .truncate, .lock])
    do {
      try context.save()
      return FailureInjectingVFS.operationsFailed == 0 || !context.hasChanges
    } catch let error as CocoaError {
      XCTAssertTrue([134_180, 134_090].contains(error.code.rawValue), "\(error)")
      XCTAssertEqual(context.insertedObjects.count, 20)
      XCTAssertTrue(context.insertedObjects.allSatisfy { $0.objectID.isTemporaryID })
      return false
    }
  }

  private func countNotes(_ url: URL) throws -> Int {
    let container = try TestStore.open(url)
    return try container.viewContext.count(for: NSFetchRequest<Note>(entityName: "Note"))
  }

  func testAFailedSaveSucceedsWhenRepeated() throws {
    let store = try TestStore(vfs: FailureInjectingVFS.name)
    defer { store.remove() }
    let context = store.container.newBackgroundContext()
    try context.performOnThisThread {
      Note(context: context).title = "kept"
      FailureInjectingVFS.failOperation(1, among: [.write])
      XCTAssertThrowsError(try context.save())
      FailureInjectingVFS.failOperation(nil)
      try context.save()
    }
    XCTAssertEqual(try countNotes(store.url), 1)
  }

  func testAKeyThatWasNotObtainedIsNamedByNobody() throws {
    let store = try TestStore(vfs: FailureInjectingVFS.name)
    defer { store.remove() }
    let root = store.container.newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = root
    try child.performOnThisThread {
      Folder(context: child).name = "first"
      let second = Folder(context: child)
      second.name = "second"
      Note(context: child).folder = second
      FailureInjectingVFS.failOperation(1, among: [.write])
      XCTAssertThrowsError(try child.obtainPermanentIDs(for: [second]))
      FailureInjectingVFS.failOperation(nil)
      try child.save()
    }
    try root.performOnThisThread { try root.save() }
    let reader = try TestStore.open(store.url).viewContext
    let note = try XCTUnwrap(reader.fetch(NSFetchRequest<Note>(entityName: "Note")).first)
    XCTAssertEqual(note.folder?.name, "second")
  }
}
