import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// An object that lets a test do something in the middle of a fetch.
final class Guest: NSManagedObject {
  @Managed var number: Int64
  @Managed var name: String?

  nonisolated(unsafe) static var made: ((Guest) throws -> Void)?
  nonisolated(unsafe) static var awoken: ((Guest) throws -> Void)?
  nonisolated(unsafe) static var failure: (any Error)?

  required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
    hear(Self.made)
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    hear(Self.awoken)
  }

  private func hear(_ body: ((Guest) throws -> Void)?) {
    do { try body?(self) } catch { Self.failure = error }
  }

  static let model: NSManagedObjectModel = {
    let entity = ModelBuilder.entity(
      "Guest",
      [
        ModelBuilder.attribute("number", .integer64, default: 0),
        ModelBuilder.attribute("name", .string),
      ])
    entity.managedObjectClassName = NSStringFromClass(Guest.self)
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }()
}

/// Fetches whose rows come in several parts.
final class LoadedRowsTests: XCTestCase {
  private let count = 4 * LoadedRows.partLength + 7
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("faultline-parts-\(UUID().uuidString)")
  private var container: NSPersistentContainer!
  private var context: NSManagedObjectContext!

  override func setUpWithError() throws { try open(vfs: nil) }

  private func open(vfs: String?) throws {
    try? FileManager.default.removeItem(at: directory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    container = NSPersistentContainer(name: "Guests", managedObjectModel: Guest.model)
    let description = NSPersistentStoreDescription(
      url: directory.appendingPathComponent("Guests.sqlite"))
    if let vfs { description.setOption(vfs as NSString, forKey: vfsNameOption) }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    context = container.newBackgroundContext()
    try context.performOnThisThread {
      for number in 0..<count {
        let guest = Guest(context: context)
        guest.number = Int64(number)
        guest.name = String(repeating: "a long name ", count: 40)
      }
      try context.save()
      context.reset()
    }
  }

  override func tearDown() {
    Guest.made = nil
    Guest.awoken = nil
    Guest.failure = nil
    container = nil
    try? FileManager.default.removeItem(at: directory)
  }

  private func request(isRealised: Bool = true) -> NSFetchRequest<Guest> {
    let request = NSFetchRequest<Guest>(entityName: "Guest")
    request.returnsObjectsAsFaults = !isRealised
    return request
  }

  private var all: [Int64] { (0..<Int64(count)).map { $0 } }

  func testEveryRowComesOnceAndInOrder() throws {
    for isRealised in [true, false] {
      try context.performOnThisThread {
        context.reset()
        let request = request(isRealised: isRealised)
        XCTAssertEqual(try context.fetch(request).map(\.number), all)
        XCTAssertEqual(try context.fetch(request).map(\.number), all, "with objects that are there")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        request.fetchOffset = 5
        let rest = Array(all.reversed().dropFirst(5))
        XCTAssertEqual(try context.fetch(request).map(\.number), rest)
        request.fetchLimit = LoadedRows.partLength + 1
        let page = Array(rest.prefix(LoadedRows.partLength + 1))
        XCTAssertEqual(try context.fetch(request).map(\.number), page)
        request.fetchLimit = LoadedRows.partLength
        XCTAssertEqual(try context.fetch(request).count, LoadedRows.partLength)
      }
    }
  }

  func testWhatCallbacksFetchBetweenTwoPartsDisturbsNothing() throws {
    try context.performOnThisThread {
      let same = request()
      var found: [Int] = []
      Guest.awoken = { guest in
        guard guest.number == 3 else { return }
        // The same statement, while the outer one stands before its second part.
        found.append(try self.context.fetch(same).count)
      }
      let guests = try context.fetch(request())
      XCTAssertEqual(guests.map(\.number), all)
      XCTAssertEqual(found, [count])
      XCTAssertNil(Guest.failure)
      XCTAssertEqual(Set(guests), context.registeredObjects, "each record has one object")
    }
  }

  func testACommitBetweenTwoPartsIsSeenByEveryOtherFetch() throws {
    let writer = container.newBackgroundContext()
    let changed = request()
    changed.predicate = NSPredicate(format: "number == -1")
    var found: [Int] = []
    let last = Int64(count - 1)
    try context.performOnThisThread {
      Guest.made = { guest in
        guard guest.managedObjectContext == nil else { return }
        Guest.made = nil
        try writer.performOnThisThread {
          let request = self.request()
          request.predicate = NSPredicate(format: "number == %lld", last)
          for guest in try writer.fetch(request) { guest.number = -1 }
          try writer.save()
          writer.reset()
        }
        found.append(try self.context.count(for: changed))
      }
      XCTAssertEqual(try context.fetch(request()).map(\.number), all)
      XCTAssertNil(Guest.failure)
      XCTAssertEqual(found, [1])
      let again = request()
      again.shouldRefreshRefetchedObjects = true
      XCTAssertEqual(try context.fetch(again).map(\.number), all.dropLast() + [-1])
    }
  }

  func testACallbackSavesBetweenTwoParts() throws {
    try context.performOnThisThread {
      Guest.awoken = { guest in
        guard guest.number == 300 else { return }
        Guest.awoken = nil
        Guest(context: self.context).number = 5000
        try self.context.save()
      }
      XCTAssertEqual(try context.fetch(request()).map(\.number), all)
      XCTAssertNil(Guest.failure)
      XCTAssertEqual(try context.count(for: request()), count + 1)
    }
  }

  /// Makes the 1st, 2nd, 3rd … read of the disk fail during one fetch until it runs clean.
  func testAFetchThatMeetsADiskFailureThrowsAndTheNextOneFindsAll() throws {
    try open(vfs: FailureInjectingVFS.name)
    defer { FailureInjectingVFS.failOperation(nil) }
    let before = EngineCounters.read().liveObjects
    var failures = 0
    for number in 1..<500 {
      let reader = try NSPersistentContainer.reopened(container)
      let context = reader.newBackgroundContext()
      let isClean = try context.performOnThisThread { () -> Bool in
        FailureInjectingVFS.failOperation(number, among: [.read])
        let found = Result { try context.fetch(request()).count }
        let isClean = FailureInjectingVFS.operationsFailed == 0
        FailureInjectingVFS.failOperation(nil)
        switch found {
        case .success(let found): XCTAssertEqual(found, count)
        case .failure(let error):
          failures += 1
          XCTAssertTrue(error is CocoaError, "\(error)")
        }
        XCTAssertEqual(try context.fetch(request()).map(\.number), all, "after failure \(number)")
        return isClean
      }
      context.performOnThisThread { context.reset() }
      if isClean { break }
    }
    XCTAssertGreaterThan(failures, 3)
    XCTAssertEqual(EngineCounters.read().liveObjects, before)
  }
}

extension NSPersistentContainer {
  /// The same store, opened by a coordinator of its own.
  fileprivate static func reopened(_ other: NSPersistentContainer) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: other.name, managedObjectModel: Guest.model)
    container.persistentStoreDescriptions = other.persistentStoreDescriptions
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container
  }
}
