import Foundation
import TestSupport
import XCTest

@testable import Faultline

final class RelationshipChoiceTests: XCTestCase {
  private var store: TestStore!
  private var context: NSManagedObjectContext { store.container.viewContext }

  override func setUpWithError() throws { store = try TestStore() }

  override func tearDown() { store.remove() }

  private func savedFolder() throws -> Folder {
    let folder = Folder(context: context)
    let note = Note(context: context)
    note.folder = folder
    try context.save()
    context.refresh(folder, mergeChanges: false)
    return folder
  }

  func testANewObjectsRelationshipsAreNoFaults() {
    let folder = Folder(context: context)
    XCTAssertFalse(folder.hasFault(forRelationshipNamed: "notes"))
  }

  func testAChangeOfTheOtherEndDoesNotLoadAnUnreadRelationship() throws {
    let folder = try savedFolder()
    let note = Note(context: context)
    note.folder = folder
    XCTAssertTrue(folder.hasFault(forRelationshipNamed: "notes"))
    XCTAssertEqual(folder.notes.count, 2)
    try context.save()
    context.refresh(folder, mergeChanges: false)
    weak var another: Note?
    try scoped {
      let new = Note(context: context)
      new.folder = folder
      another = new
      try context.save()
    }
    XCTAssertNil(another, "an unread relationship holds nobody")
    XCTAssertEqual(folder.notes.count, 3)
  }

  func testARefreshWithoutMergingForgetsMembersThatAreNotSaved() throws {
    let folder = try savedFolder()
    let note = Note(context: context)
    note.folder = folder
    XCTAssertEqual(folder.notes.count, 2)
    context.refresh(folder, mergeChanges: false)
    XCTAssertEqual(folder.notes.count, 1)
    try context.save()
    context.refresh(folder, mergeChanges: true)
    XCTAssertEqual(folder.notes.count, 2)
  }

  /// Runs a block whose local references are gone when it returns.
  @inline(never)
  private func scoped(_ body: () throws -> Void) rethrows { try body() }
}
