import CoreData
import Foundation
import XCTest

/// What becomes of a file that was put in the place of an open store's (section C.2).
final class ReplacedFileSpecs: LostFileCase {
  func testC18_aSaveWritesNothingIntoAnotherStoreThatWasPutInThePlace() throws {
    let ways: [(String, (LostFileCase, URL) throws -> Void)] = [
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

  func testC18_anOlderCopyWrittenOverTheFileIsNotMixedWithTheNewerStore() throws {
    let maker = try makeUser()
    maker.reset()
    try removeStores(maker)
    let backup = try Data(contentsOf: url)
    for use in [Use.neverFetched, .fetched] {
      let user = makeContext(try coordinator())
      user.book("later")
      try user.save()
      user.reset()
      try removeStores(user)
      let reader = makeContext(try coordinator())
      if use == .fetched { XCTAssertEqual(try reader.titles(), ["a", "later"]) }
      // Written until the file has another time of writing, which is as coarse as the clock.
      let before = try modificationDate()
      repeat { try backup.write(to: url) } while try modificationDate() == before
      refuse(134180, reader, "\(use)")
      reader.reset()
      try removeStores(reader)
      XCTAssertEqual(try titlesInFile(), ["a"], "\(use)")
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

  private func modificationDate() throws -> Date? {
    try files.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
  }
}
