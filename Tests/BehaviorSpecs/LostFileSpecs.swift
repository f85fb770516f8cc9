import CoreData
import Foundation
import XCTest

/// What a save answers when the files of its store are no longer where they were (section C.2).
final class LostFileSpecs: StoresCase {
  private var folder: URL { directory.appendingPathComponent("Folder") }
  private var url: URL { folder.appendingPathComponent("One.sqlite") }
  private let files = FileManager.default

  /// What a context has done before its files are lost: it decides which connections are open.
  private enum Use: CaseIterable {
    case neverFetched, fetched, fetchedByThree, pinned
  }

  private func coordinator(
    _ options: [AnyHashable: Any]? = nil, at url: URL? = nil, type: String = NSSQLiteStoreType
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = makeCoordinator()
    try coordinator.addPersistentStore(
      ofType: type, configurationName: "All", at: url ?? self.url, options: options)
    return coordinator
  }

  /// A context that has saved the book a, and then used the store as told.
  private func makeUser(
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
  private func makeOther(_ options: [AnyHashable: Any]? = nil) throws -> URL {
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

  private func removeStore(_ url: URL) throws {
    for end in ["", "-wal", "-shm"] where files.fileExists(atPath: url.path + end) {
      try files.removeItem(atPath: url.path + end)
    }
  }

  private func titlesInFile(_ url: URL? = nil) throws -> [String] {
    let coordinator = try coordinator(at: url)
    let context = makeContext(coordinator)
    let titles = try context.titles()
    context.reset()
    try coordinator.persistentStores.forEach(coordinator.remove)
    return titles
  }

  /// The names of all files of the test.
  private func names() -> [String] {
    (files.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []).sorted()
  }

  /// Saves a new book, twice, which must fail with the code, make no file and leave it pending.
  private func refuse(
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

  private func removeStores(_ user: NSManagedObjectContext) throws {
    let coordinator = try XCTUnwrap(user.persistentStoreCoordinator)
    try coordinator.persistentStores.forEach(coordinator.remove)
  }

  func testC18_aSaveIsRefusedOnceTheFilesAreDeletedOrMoved() throws {
    let moved = directory.appendingPathComponent("Moved")
    let losses: [(String, (LostFileSpecs) throws -> Void)] = [
      ("deleted", { try $0.removeStore($0.url) }),
      ("the file deleted", { try $0.files.removeItem(at: $0.url) }),
      ("the folder deleted", { try $0.files.removeItem(at: $0.folder) }),
      (
        "the folder moved",
        {
          try? $0.files.removeItem(at: moved)
          try $0.files.moveItem(at: $0.folder, to: moved)
        }
      ),
      (
        "renamed",
        { spec in
          for end in ["", "-wal", "-shm"] {
            let path = spec.url.path
            try spec.files.moveItem(atPath: path + end, toPath: "\(path)-former" + end)
          }
        }
      ),
    ]
    for use in Use.allCases {
      for (loss, lose) in losses {
        let user = try makeUser(use)
        try lose(self)
        refuse(134180, user, "\(loss), \(use)")
        try removeStores(user)
        XCTAssertFalse(files.fileExists(atPath: url.path), "\(loss), \(use)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        try user.persistentStoreCoordinator?.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: "All", at: url)
        try user.setQueryGenerationFrom(nil)
        try user.save()
        XCTAssertEqual(try titlesInFile(), ["b"], "\(loss), \(use)")
      }
    }
    XCTAssertEqual(try titlesInFile(moved.appendingPathComponent("One.sqlite")), ["a"])
  }

  func testC18_aSaveIsRefusedOnceTheLogOrItsIndexIsDeletedAndNothingSavedIsLost() throws {
    for use in Use.allCases {
      for end in ["-wal", "-shm"] {
        let user = try makeUser(use)
        try files.removeItem(atPath: url.path + end)
        refuse(134180, user, "\(end), \(use)")
        cocoaError(134080) { _ = try coordinator() }
        user.reset()
        try removeStores(user)
        XCTAssertEqual(try titlesInFile(), ["a"], "\(end), \(use)")
      }
    }
  }

  func testC18_aSaveIsRefusedOnceTheFileOrItsLogIsEmptiedOrOverwritten() throws {
    for use in Use.allCases {
      for (end, bytes) in [("", Data()), ("-wal", Data()), ("", Data("no store".utf8))] {
        let user = try makeUser(use)
        try bytes.write(to: URL(fileURLWithPath: url.path + end))
        refuse(134180, user, "\(end) \(bytes), \(use)")
        user.reset()
        try removeStores(user)
        if end == "", bytes.isEmpty { XCTAssertEqual(try titlesInFile(), [], "made anew, \(use)") }
      }
    }
  }

  func testC18_aSaveWritesNothingIntoAnotherStoreThatWasPutInThePlace() throws {
    let ways: [(String, (LostFileSpecs, URL) throws -> Void)] = [
      ("renamed over it", { XCTAssertEqual(rename($1.path, $0.url.path), 0) }),
      (
        "renamed over it, without the former log",
        {
          try $0.removeStore($0.url)
          try $0.files.moveItem(at: $1, to: $0.url)
        }
      ),
      (
        "copied over it",
        {
          try Data(contentsOf: $1).write(to: $0.url)
          let later = Date(timeIntervalSince1970: 1e9)
          try $0.files.setAttributes([.modificationDate: later], ofItemAtPath: $0.url.path)
        }
      ),
    ]
    for use in Use.allCases {
      for (way, replace) in ways {
        for isReadFirst in [false, true] {
          let other = try makeOther()
          let user = try makeUser(use)
          try replace(self, other)
          if isReadFirst, way == "copied over it" {
            cocoaError(134080) { _ = try titlesInFile() }
          } else if isReadFirst {
            XCTAssertEqual(try titlesInFile(), ["x"], "\(way), \(use)")
          }
          refuse(134030, user, "\(way), \(use)")
          user.reset()
          try removeStores(user)
          XCTAssertEqual(try titlesInFile(), ["x"], "\(way), \(use)")
        }
      }
    }
  }

  func testC18_ofAStoreMadeAnewInThePlaceNothingIsLostByTheFormersSaveOrClose() throws {
    for use in Use.allCases {
      for isMainAlone in [false, true] {
        for isClosedFirst in [false, true] {
          let user = try makeUser(use)
          if isMainAlone {
            try files.removeItem(at: url)
          } else {
            try removeStore(url)
          }
          let second = try coordinator()
          let maker = makeContext(second)
          maker.book("x")
          try maker.save()
          XCTAssertEqual(try maker.titles(), ["x"], "\(use)")
          refuse(134030, user, "\(use)")
          maker.book("y")
          try maker.save()
          if isClosedFirst {
            maker.reset()
            try second.persistentStores.forEach(second.remove)
          }
          try removeStores(user)
          if !isClosedFirst {
            maker.book("z")
            try maker.save()
            XCTAssertEqual(try maker.titles(), ["x", "y", "z"], "\(use)")
            try second.persistentStores.forEach(second.remove)
          }
          let expected = isClosedFirst ? ["x", "y"] : ["x", "y", "z"]
          XCTAssertEqual(try titlesInFile(), expected, "\(use)")
        }
      }
    }
  }

  func testC18_ofAStoreMadeAnewInThePlaceNothingIsLostWhenTheFormersContainerIsReleased() throws {
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    var former: NSPersistentContainer? = try openContainer(model: SpecModel.library, at: url)
    try former?.viewContext.savedAuthor("A")
    XCTAssertEqual(try former?.viewContext.all(Author.self).count, 1)
    try removeStore(url)
    let second = try openContainer(model: SpecModel.library, at: url)
    try second.viewContext.savedAuthor("B")
    former = nil
    try second.viewContext.savedAuthor("C")
    second.viewContext.reset()
    XCTAssertEqual(
      try second.viewContext.all(Author.self).compactMap(\.name).sorted(), ["B", "C"])
    let coordinator = second.persistentStoreCoordinator
    try coordinator.persistentStores.forEach(coordinator.remove)
    let third = try openContainer(model: SpecModel.library, at: url)
    XCTAssertEqual(try third.viewContext.all(Author.self).compactMap(\.name).sorted(), ["B", "C"])
  }

  func testC18_everythingThatWritesIsRefusedOnceTheFilesAreDeleted() throws {
    let insert = NSBatchInsertRequest(entityName: "Book", objects: [["title": "b"]])
    let update = NSBatchUpdateRequest(entityName: "Book")
    update.propertiesToUpdate = ["pages": 1]
    let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
    let writes: [(String, (NSManagedObjectContext) throws -> Void)] = [
      ("batch insertion", { try $0.execute(insert) }),
      ("batch update", { try $0.execute(update) }),
      ("batch deletion", { try $0.execute(delete) }),
      (
        "metadata",
        {
          $0.persistentStoreCoordinator?.persistentStores.first?.metadata["owner"] = "Ada"
          try $0.save()
        }
      ),
      (
        "an update",
        {
          try $0.fetch($0.books()).first?.setValue("c", forKey: "title")
          try $0.save()
        }
      ),
      (
        "history",
        { try $0.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture)) }
      ),
    ]
    for (what, write) in writes {
      let user = try makeUser(.fetched, [NSPersistentHistoryTrackingKey: true])
      try removeStore(url)
      for _ in 0..<2 { cocoaError(134180) { try write(user) } }
      XCTAssertEqual(names(), ["Folder"], what)
    }
  }

  func testC18_C23_aSaveIsRefusedInEveryJournalMode() throws {
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"] {
      let options = [NSSQLitePragmasOption: ["journal_mode": mode]]
      let other = try makeOther(options)
      for use in [Use.neverFetched, .fetched] {
        refuse(
          134180,
          try makeUser(use, options, then: { try $0.files.removeItem(at: $0.url) }), mode)
        refuse(
          134180,
          try makeUser(use, options, then: { try Data().write(to: $0.url) }), mode)
        for isCopied in [false, true] {
          let user = try makeUser(use, options) { spec in
            if !isCopied { try spec.files.removeItem(at: spec.url) }
            try Data(contentsOf: other).write(to: spec.url)
          }
          refuse(134030, user, mode)
          XCTAssertEqual(try Data(contentsOf: url), try Data(contentsOf: other), mode)
        }
      }
    }
  }

  private func makeUser(
    _ use: Use, _ options: [AnyHashable: Any], then lose: (LostFileSpecs) throws -> Void
  ) throws -> NSManagedObjectContext {
    let user = try makeUser(use, options)
    try lose(self)
    return user
  }

  func testC18_aLinkThatLeadsElsewhereNowIsNotSavedThrough() throws {
    for use in Use.allCases {
      let other = try makeOther()
      try? files.removeItem(at: folder)
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      let target = folder.appendingPathComponent("Target.sqlite")
      try files.createSymbolicLink(at: url, withDestinationURL: target)
      let coordinator = try coordinator()
      let user = makeContext(coordinator)
      user.book("a")
      try user.save()
      if use != .neverFetched { XCTAssertEqual(try user.titles(), ["a"]) }
      try files.removeItem(at: url)
      try files.createSymbolicLink(at: url, withDestinationURL: other)
      refuse(134030, user, "\(use)")
      user.reset()
      try removeStores(user)
      XCTAssertEqual(try titlesInFile(other), ["x"], "\(use)")
      XCTAssertEqual(try titlesInFile(target), ["a"], "\(use)")
    }
  }

  func testC18_aFetchNeverReadsAnotherStoreThatWasPutInThePlace() throws {
    for use in Use.allCases {
      let other = try makeOther()
      let coordinator = try XCTUnwrap(makeUser(use).persistentStoreCoordinator)
      try removeStore(url)
      cocoaError(134180) { _ = try fetch(atOnce: 9, coordinator) }
      XCTAssertEqual(names().filter { $0.hasPrefix("Folder/") }, [], "\(use)")
      try files.moveItem(at: other, to: url)
      cocoaError(134030) { _ = try fetch(atOnce: 9, coordinator) }
      XCTAssertEqual(try titlesInFile(), ["x"])
    }
  }

  func testC18_aStoreWhoseFilesAreLostIsNotMigratedElsewhere() throws {
    let user = try makeUser()
    let other = try makeOther()
    let coordinator = try XCTUnwrap(user.persistentStoreCoordinator)
    let store = try XCTUnwrap(coordinator.persistentStores.first)
    try removeStore(url)
    try files.moveItem(at: other, to: url)
    let copy = directory.appendingPathComponent("Copy.sqlite")
    cocoaError(134030) {
      _ = try coordinator.migratePersistentStore(store, to: copy, type: .sqlite)
    }
    XCTAssertEqual(coordinator.persistentStores, [store])
    XCTAssertFalse(files.fileExists(atPath: copy.path))
  }
}

/// The titles that so many contexts read, each twice inside the block of the one before, so that
/// each has a connection of its own.
private func fetch(
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
