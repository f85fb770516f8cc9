import TestSupport
import XCTest

@testable import Faultline

/// How many statements a save takes besides those of its rows.
final class SaveStatementTests: XCTestCase {
  func testMetadataAreReadAgainOnlyBehindAnothersCommit() throws {
    let store = try TestStore()
    defer { store.remove() }
    let other = store.container.newBackgroundContext()
    let (own, others) = try other.performOnThisThread {
      let notes = (0..<2).map { _ in Note(context: other) }
      try other.save()
      return (notes[0].objectID, notes[1])
    }
    let context = try TestStore.open(store.url).newBackgroundContext()
    func cost(ofTitle title: String) throws -> Int {
      try context.performOnThisThread {
        let note = try XCTUnwrap(context.existingObject(with: own) as? Note)
        note.title = title
        let before = EngineCounters.read().statements
        try context.save()
        return EngineCounters.read().statements - before
      }
    }
    let (first, second) = (try cost(ofTitle: "first"), try cost(ofTitle: "second"))
    XCTAssertEqual(first, second)
    try other.performOnThisThread {
      others.title = "another's"
      try other.save()
    }
    XCTAssertEqual(try cost(ofTitle: "third"), second + 1)
  }
}
