import CoreData
import Foundation
import XCTest

/// A store whose files are about to be lost, and ways to look at what became of them.
class LostFileCase: StoresCase {
  /// The folder of the store.
  var folder: URL { directory.appendingPathComponent("Folder") }
  /// The file of the store.
  var url: URL { folder.appendingPathComponent("One.sqlite") }
  /// The file system.
  let files = FileManager.default

  /// What a context has done before its files are lost: it decides which connections are open.
  enum Use: CaseIterable {
    case neverFetched, fetched, fetchedByThree, pinned
  }

  /// A coordinator with a store that accepts every entity.
  func coordinator(
    _ options: [AnyHashable: Any]? = nil, at url: URL? = nil, type: String = NSSQLiteStoreType
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = makeCoordinator()
    try coordinator.addPersistentStore(
      ofType: type, configurationName: "All", at: url ?? self.url, options: options)
    return coordinator
  }

  /// A context that has saved the book a, and then used the store as told.
  func makeUser(
    _ use: Use = .fetched, _ options: [AnyHashable: Any]? = nil, type: String = NSSQLiteStoreType
  ) throws -> NSManagedObjectContext {
    try? files.removeItem(at: folder)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let coordinator = try coordinator(options, type: type)
    let user = makeContext(coordinator)
    user.book("a")
    try user.save()
    switch use {
    case .neverFetched: break
    case .fetched: XCTAssertEqual(try user.titles(), ["a"])
    case .pinned:
      try user.setQueryGenerationFrom(.current)
      XCTAssertEqual(try user.titles(), ["a"])
    case .fetchedByThree:
      XCTAssertEqual(try fetch(atOnce: 3, coordinator), ["a"])
    }
    return user
  }

  /// Makes a store with the book x in a file of its own, without a log.
  func makeOther(_ options: [AnyHashable: Any]? = nil) throws -> URL {
    let other = directory.appendingPathComponent("Else.sqlite")
    try removeStore(other)
    let coordinator = try coordinator(options, at: other)
    let context = makeContext(coordinator)
    context.book("x")
    try context.save()
    context.reset()
    try coordinator.persistentStores.forEach(coordinator.remove)
    return other
  }

  /// Deletes the three files of a store.
  func removeStore(_ url: URL) throws {
    for end in ["", "-wal", "-shm"] where files.fileExists(atPath: url.path + end) {
      try files.removeItem(atPath: url.path + end)
    }
  }

  /// The titles of the books in a file, read by another coordinator that is gone afterwards.
  func titlesInFile(_ url: URL? = nil) throws -> [String] {
    let coordinator = try coordinator(at: url)
    let context = makeContext(coordinator)
    let titles = try context.titles()
    context.reset()
    try coordinator.persistentStores.forEach(coordinator.remove)
    return titles
  }

  /// The names of all files of the test.
  func names() -> [String] {
    (files.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []).sorted()
  }

  /// Saves a new book, twice, which must fail with the code, make no file and leave it pending.
  func refuse(
    _ code: Int, _ user: NSManagedObjectContext, _ what: String, line: UInt = #line
  ) {
    let (before, book) = (names(), user.book("b"))
    for _ in 0..<2 {
      let error = cocoaError(code, line: line) { try user.save() }
      let sentence = error?.localizedDescription ?? ""
      XCTAssertTrue(sentence.contains("add it again"), "\(what): \(sentence)", line: line)
    }
    XCTAssertTrue(book.isInserted && book.objectID.isTemporaryID, what, line: line)
    XCTAssertTrue(Set(names()).isSubset(of: before), what, line: line)
  }

  /// Removes the stores of a context from their coordinator.
  func removeStores(_ user: NSManagedObjectContext) throws {
    let coordinator = try XCTUnwrap(user.persistentStoreCoordinator)
    try coordinator.persistentStores.forEach(coordinator.remove)
  }
}

/// The titles that so many contexts read, each twice inside the block of the one before, so that
/// each has a connection of its own.
func fetch(
  atOnce count: Int, _ coordinator: NSPersistentStoreCoordinator
) throws -> [String] {
  let reader = context(.privateQueueConcurrencyType, on: coordinator)
  return try reader.performAndWait {
    for _ in 0..<2 {
      let titles = try reader.titles()
      XCTAssertEqual(titles, ["a"])
    }
    return count == 1 ? ["a"] : try fetch(atOnce: count - 1, coordinator)
  }
}
