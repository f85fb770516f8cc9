import CoreData
import Foundation
import XCTest

/// Two parties at one store: the one who will save second, and the one who gets there first.
///
/// Both contexts belong to the main queue, so that a spec may use them directly, unless it asks for
/// private queues.
struct Crossing {
  /// Where the second party works.
  enum Place: String, CaseIterable, Sendable {
    /// Both contexts hang on one coordinator and share its row cache.
    case sameCoordinator
    /// Each has a coordinator of its own on the same file.
    case otherCoordinator
  }

  /// The party whose save is under test.
  let local: NSManagedObjectContext
  /// The party whose save comes first.
  let external: NSManagedObjectContext
  private let url: URL
  private let type: NSManagedObjectContextConcurrencyType
  private let keep: (AnyObject) -> Void

  /// Two contexts on the file at `url`, made in the order asked for; `keep` holds what is opened.
  init(
    at url: URL, place: Place, localFirst: Bool = true,
    type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType,
    keep: @escaping (AnyObject) -> Void
  ) throws {
    let first = try openContainer(model: SpecModel.library, at: url)
    let second =
      place == .sameCoordinator ? first : try openContainer(model: SpecModel.library, at: url)
    let contexts = [first, second].map { context(type, on: $0.persistentStoreCoordinator) }
    local = contexts[localFirst ? 0 : 1]
    external = contexts[localFirst ? 1 : 0]
    self.url = url
    self.type = type
    self.keep = keep
    [first, second].forEach(keep)
    contexts.forEach(keep)
  }

  /// What the file holds, read through a coordinator that saw nothing before.
  func reread() throws -> NSManagedObjectContext {
    let container = try openContainer(model: SpecModel.library, at: url)
    let reader = context(type, on: container.persistentStoreCoordinator)
    keep(container)
    keep(reader)
    return reader
  }

  /// Saves an author called A, born in 1, through a third context, and realises it on both sides.
  func givenAuthor() throws -> (local: Author, external: Author) {
    let coordinator = try XCTUnwrap(local.persistentStoreCoordinator)
    let setup = context(type, on: coordinator)
    keep(setup)
    let id = try setup.performAndWait {
      let author = Author(context: setup)
      author.name = "A"
      author.born = 1
      try setup.save()
      return author.objectID
    }
    return (try realised(id, in: local), try realised(id, in: external))
  }

  /// The author with this id, with its values loaded.
  func realised(_ id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> Author {
    let found = try context.existingObject(with: id)
    let author = try XCTUnwrap(found as? Author)
    _ = author.name
    return author
  }
}

extension SpecCase {
  /// Two parties at this test's store.
  func makeCrossing(_ place: Crossing.Place = .sameCoordinator) throws -> Crossing {
    try Crossing(at: storeURL(), place: place) { self.keep($0) }
  }

  /// Keeps an object alive until this test has ended.
  func keep(_ object: AnyObject) {
    let box = KeptObject(object: object)
    addTeardownBlock { withExtendedLifetime(box) {} }
  }

  /// A context of its own on the container, kept until this test has ended.
  func reader(_ container: NSPersistentContainer) -> NSManagedObjectContext {
    let context = makeMainContext(container)
    keep(context)
    return context
  }

  /// The view context of a container that opens this test's file anew, kept until the test ends.
  func reopened() throws -> NSManagedObjectContext {
    let container = try makeContainer()
    keep(container)
    return container.viewContext
  }
}

/// Something that is only kept.
private struct KeptObject {
  let object: AnyObject
}

// Nobody ever looks at the object.
extension KeptObject: @unchecked Sendable {}

extension XCTestCase {
  /// Runs the body, which must throw a Cocoa error of this code, and returns the error.
  @discardableResult
  func cocoaError(
    _ code: Int, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
  ) -> NSError? {
    do {
      try body()
      XCTFail("error \(code) was expected and nothing was thrown", file: file, line: line)
      return nil
    } catch {
      let error = error as NSError
      XCTAssertEqual(error.domain, NSCocoaErrorDomain, file: file, line: line)
      XCTAssertEqual(error.code, code, "\(error)", file: file, line: line)
      return error
    }
  }

  /// The merge conflicts that a failed save listed.
  func conflicts(
    savingFails context: NSManagedObjectContext, file: StaticString = #filePath, line: UInt = #line
  ) throws -> [NSMergeConflict] {
    let error = cocoaError(133020, file: file, line: line) { try context.save() }
    return try XCTUnwrap(
      error?.userInfo["conflictList"] as? [NSMergeConflict], "no conflictList", file: file,
      line: line)
  }
}

/// A context of the type that hangs on the coordinator.
func context(
  _ type: NSManagedObjectContextConcurrencyType, on coordinator: NSPersistentStoreCoordinator
) -> NSManagedObjectContext {
  let context = NSManagedObjectContext(concurrencyType: type)
  context.persistentStoreCoordinator = coordinator
  return context
}

/// The code of the error that the body throws, or nil if it throws none.
func errorCode(_ body: () throws -> Void) -> Int? {
  do {
    try body()
    return nil
  } catch {
    return (error as NSError).code
  }
}
