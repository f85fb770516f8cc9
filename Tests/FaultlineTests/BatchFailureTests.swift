import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

final class BatchFailureTests: XCTestCase {
  /// Makes the 1st, 2nd, 3rd … operation of the disk fail during one batch request until it runs
  /// clean.
  ///
  /// Allowed at each: the request throws a `CocoaError` and the file holds what it held before; or
  /// it succeeds and the file holds the new state. Nothing in between.
  private func meetFailures(
    of request: () -> NSPersistentStoreRequest, leaving count: Int
  ) throws {
    var number = 1
    var failures = 0
    while number < 500 {
      let store = try TestStore(vfs: FailureInjectingVFS.name)
      defer { store.remove() }
      let context = store.container.newBackgroundContext()
      let isDone = try context.performOnThisThread {
        for number in 0..<20 { Note(context: context).number = Int64(number) }
        try context.save()
        FailureInjectingVFS.failOperation(number, among: [.read, .write, .sync, .truncate, .lock])
        do {
          try context.execute(request())
          return true
        } catch let error as CocoaError {
          XCTAssertTrue([134_180, 134_090].contains(error.code.rawValue), "\(error)")
          return false
        }
      }
      FailureInjectingVFS.failOperation(nil)
      XCTAssertEqual(
        try countSmallNumbers(store.url), isDone ? count : 20, "after operation \(number)")
      if isDone, FailureInjectingVFS.operationsFailed == 0 { break }
      if !isDone { failures += 1 }
      number += 1
    }
    XCTAssertGreaterThan(failures, 1)
    XCTAssertLessThan(number, 500, "the request never ran clean")
  }

  private func countSmallNumbers(_ url: URL) throws -> Int {
    let container = try TestStore.open(url)
    let fetch = NSFetchRequest<Note>(entityName: "Note")
    fetch.predicate = NSPredicate(format: "number < 1000")
    return try container.viewContext.count(for: fetch)
  }

  func testABatchInsertionIsAllOrNothing() throws {
    try meetFailures(
      of: {
        NSBatchInsertRequest(
          entityName: "Note", objects: (20..<60).map { ["number": $0] })
      }, leaving: 60)
  }

  func testABatchUpdateIsAllOrNothing() throws {
    try meetFailures(
      of: {
        let update = NSBatchUpdateRequest(entityName: "Note")
        update.propertiesToUpdate = ["number": 1000]
        return update
      }, leaving: 0)
  }

  func testABatchDeletionIsAllOrNothing() throws {
    try meetFailures(
      of: {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        fetch.predicate = NSPredicate(format: "number < 15")
        return NSBatchDeleteRequest(fetchRequest: fetch)
      }, leaving: 5)
  }
}
