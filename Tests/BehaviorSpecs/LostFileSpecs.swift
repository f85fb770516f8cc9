import CoreData
import Foundation
import XCTest

/// What a save answers when the files of its store are no longer where they were (section C.2).
final class LostFileSpecs: LostFileCase {
  func testC18_aSaveIsRefusedOnceTheFilesAreDeletedOrMoved() throws {
    let moved = directory.appendingPathComponent("Moved")
    let losses: [(String, (LostFileCase) throws -> Void)] = [
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
    _ use: Use, _ options: [AnyHashable: Any], then lose: (LostFileCase) throws -> Void
  ) throws -> NSManagedObjectContext {
    let user = try makeUser(use, options)
    try lose(self)
    return user
  }
}
