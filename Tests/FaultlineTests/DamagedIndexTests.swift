import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// A file whose index over a to-one relationship is damaged: rows can be read, members cannot.
final class DamagedIndexTests: XCTestCase {
  /// A store with a folder and a note in it; then the index leads to the page of a table.
  private func withDamage(_ body: (NSManagedObjectContext, Folder) throws -> Void) throws {
    let store = try TestStore()
    defer { store.remove() }
    let writer = store.container.viewContext
    Note(context: writer).folder = Folder(context: writer)
    try writer.save()
    let coordinator = store.container.persistentStoreCoordinator
    try coordinator.remove(try XCTUnwrap(coordinator.persistentStores.first))
    try damage(store.url)
    let context = try TestStore.open(store.url).viewContext
    let folder = try XCTUnwrap(
      try context.fetch(NSFetchRequest<Folder>(entityName: "Folder")).first)
    try body(context, folder)
  }

  private func damage(_ url: URL) throws {
    let file = try Connection(path: url.path)
    defer { file.close() }
    try file.execute("PRAGMA writable_schema = ON")
    try file.execute(
      "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master "
        + "WHERE name = 'ZFOLDER') WHERE name = 'ZNOTE_ZFOLDER_INDEX'")
    // Connections that are open read the schema anew.
    try file.execute("PRAGMA schema_version = 1000")
  }

  private func assertDamage(_ body: () throws -> Void) {
    XCTAssertThrowsError(try body()) { error in
      XCTAssertEqual((error as? CocoaError)?.code.rawValue, NSSQLiteError, "\(error)")
    }
  }

  func testASaveWhoseDeleteRulesCannotReadMembersThrowsAndCanBeTriedAgain() throws {
    try withDamage { context, folder in
      context.delete(folder)
      for _ in 0..<2 {
        assertDamage { try context.save() }
        XCTAssertTrue(context.hasChanges)
        XCTAssertTrue(folder.isDeleted)
        XCTAssertTrue(folder.hasFault(forRelationshipNamed: "notes"))
      }
    }
  }

  func testAFetchThatComparesMembersOfUnsavedObjectsThrows() throws {
    try withDamage { context, folder in
      folder.name = "changed"
      let request = NSFetchRequest<Folder>(entityName: "Folder")
      request.predicate = NSPredicate(format: "name == 'changed' AND notes.@count == 1")
      assertDamage { _ = try context.fetch(request) }
    }
  }

  func testAPushWhoseDeleteRulesCannotReadMembersThrowsAndCanBeTriedAgain() throws {
    let store = try TestStore()
    defer { store.remove() }
    let parent = store.container.viewContext
    let folder = Folder(context: parent)
    Note(context: parent).folder = folder
    try parent.save()
    let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    child.parent = parent
    let known = try XCTUnwrap(child.existingObject(with: folder.objectID) as? Folder)
    XCTAssertEqual(known.notes.count, 1)
    let added = Note(context: child)
    try damage(store.url)
    parent.refreshAllObjects()
    child.delete(known)
    var taken: [NSManagedObject] = []
    for _ in 0..<2 {
      assertDamage { try child.save() }
      taken += parent.insertedObjects
      XCTAssertTrue(known.isDeleted)
      XCTAssertTrue(added.isInserted)
      XCTAssertTrue(folder.isDeleted, "the parent has taken what it could read")
      assertDamage { try parent.save() }
    }
    XCTAssertEqual(taken.count, 2)
    XCTAssertIdentical(taken.first, taken.last)
  }
}
