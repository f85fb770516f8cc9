import CoreData
import Foundation
import XCTest

/// A spec's own temporary directory, its containers, and ways to wait that never sleep.
class SpecCase: XCTestCase {
  /// Where this test's stores live; removed when the test ends.
  private(set) var directory = URL(fileURLWithPath: NSTemporaryDirectory())
  /// Containers and contexts that live as long as the test, as their objects do not keep them.
  private var kept: [AnyObject] = []

  override func setUpWithError() throws {
    try super.setUpWithError()
    directory = try makeSpecDirectory()
  }

  override func tearDown() {
    kept = []
    try? FileManager.default.removeItem(at: directory)
    super.tearDown()
  }

  /// Where the store of this name lives in this test's directory.
  func storeURL(_ name: String = "Library") -> URL {
    directory.appendingPathComponent("\(name).sqlite")
  }

  /// A container over a fresh (or, with the same name, the same) SQLite file of this test.
  func makeContainer(
    model: NSManagedObjectModel = SpecModel.library, name: String = "Library"
  ) throws -> NSPersistentContainer {
    let container = try openContainer(model: model, at: storeURL(name))
    kept.append(container)
    return container
  }

  /// A second main-queue context on the container's coordinator, usable directly in a test.
  func makeMainContext(_ container: NSPersistentContainer) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    kept.append(context)
    return context
  }

  /// A main-queue context that saves into `parent`, usable directly in a test.
  func makeMainChild(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.parent = parent
    kept.append(context)
    return context
  }

  /// Waits until everything enqueued on the context so far has run.
  func drain(_ context: NSManagedObjectContext) {
    let drained = expectation(description: "every earlier block of the context ran")
    context.perform { drained.fulfill() }
    wait(for: [drained], timeout: 30)
  }

  /// Lets the main queue run everything it holds now, then comes back.
  func turnMainQueue() {
    let turned = expectation(description: "the main queue turned")
    DispatchQueue.main.async { turned.fulfill() }
    wait(for: [turned], timeout: 30)
  }

  /// Runs the body on a thread that is not the main one; the main loop turns meanwhile.
  func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let finished = expectation(description: "the other thread finished")
    Thread.detachNewThread {
      body()
      finished.fulfill()
    }
    wait(for: [finished], timeout: 30)
  }
}

/// A value that several threads may read and replace.
final class Box<Value: Sendable> {
  private let lock = NSLock()
  private var stored: Value

  /// A box that holds `value` at first.
  init(_ value: Value) { stored = value }

  /// What the box holds now.
  var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }

  /// Changes the value in one step.
  func update(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}

// `stored` is read and written only while `lock` is held.
extension Box: @unchecked Sendable {}

/// What a closed gate is for: a thread waits until another opens it.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Lets one waiter through, now or later.
  func open() { semaphore.signal() }

  /// Waits until somebody opens the gate; false if nobody did within half a minute.
  @discardableResult
  func pass() -> Bool { semaphore.wait(timeout: .now() + 30) == .success }
}

/// Makes an empty directory of its own under the system's temporary directory.
func makeSpecDirectory() throws -> URL {
  let url = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("behavior-specs-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  return url
}

/// Opens a container on one SQLite file and loads its store before returning.
func openContainer(model: NSManagedObjectModel, at url: URL) throws -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
  let description = NSPersistentStoreDescription(url: url)
  description.type = NSSQLiteStoreType
  description.shouldAddStoreAsynchronously = false
  container.persistentStoreDescriptions = [description]
  let failure = Box<(any Error)?>(nil)
  container.loadPersistentStores { _, error in failure.value = error }
  if let error = failure.value { throw error }
  return container
}

/// A container on a store in memory, for exit tests, whose process ends without cleaning up.
func openThrowawayContainer(
  model: NSManagedObjectModel = SpecModel.library
) throws -> NSPersistentContainer {
  try openContainer(model: model, at: URL(fileURLWithPath: "/dev/null"))
}

/// The notifications seen while it lives, reduced to values that may cross threads.
final class NotificationLog {
  /// One posting: its name, how many objects stood under each key, and their ids.
  struct Entry: Sendable {
    /// The notification's name.
    let name: Notification.Name
    /// Every key of the user information.
    let keys: Set<String>
    /// The ids of the objects found under each key that holds a set of objects.
    let ids: [String: Set<NSManagedObjectID>]
    /// True if the posting happened on the main thread.
    let onMainThread: Bool

    /// How many objects stood under the key.
    func count(_ key: String) -> Int { ids[key]?.count ?? 0 }
  }

  private let entriesBox = Box<[Entry]>([])
  private let tokens: [any NSObjectProtocol]

  /// Listens for the names, posted by `object` or, if it is nil, by anybody.
  init(_ names: [Notification.Name], from object: NSManagedObjectContext?) {
    let box = entriesBox
    tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { note in
        let entry = Self.entry(name, note)
        box.update { $0.append(entry) }
      }
    }
  }

  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

  /// Everything seen so far, in order.
  var entries: [Entry] { entriesBox.value }

  /// Forgets what was seen so far.
  func clear() { entriesBox.value = [] }

  private static func entry(_ name: Notification.Name, _ note: Notification) -> Entry {
    var keys: Set<String> = []
    var ids: [String: Set<NSManagedObjectID>] = [:]
    for (anyKey, value) in note.userInfo ?? [:] {
      guard let key = anyKey as? String else { continue }
      keys.insert(key)
      if let objects = value as? Set<NSManagedObject> { ids[key] = Set(objects.map(\.objectID)) }
    }
    return Entry(name: name, keys: keys, ids: ids, onMainThread: Thread.isMainThread)
  }
}

// `tokens` is constant and used only when the log goes; what was seen is in a box.
extension NotificationLog: @unchecked Sendable {}

extension NSManagedObjectContext {
  /// `perform` without an answer; in asynchronous tests the plain call means the awaited one.
  func enqueue(_ block: @escaping @Sendable () -> Void) { perform(block) }

  /// `performAndWait` whose block may use whatever its caller uses, as with SDKs before 26.
  func performOnThisThread<T>(_ block: () throws -> T) rethrows -> T {
    try withoutActuallyEscaping(block) { block in
      let borrowed = Borrowed(block: block)
      return try performAndWait { try borrowed.block() }
    }
  }

  /// Every object of the class, in the order of the key if one is given.
  func all<Object: NSManagedObject>(
    _ type: Object.Type, by key: String? = nil
  ) throws -> [Object] {
    let request = NSFetchRequest<Object>(entityName: String(describing: type))
    if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
    return try fetch(request)
  }

  /// The single object of the class; fails the test if there is none or more than one.
  func only<Object: NSManagedObject>(_ type: Object.Type) throws -> Object {
    let found = try all(type)
    XCTAssertEqual(found.count, 1, "exactly one \(type) was expected")
    return try XCTUnwrap(found.first)
  }

  /// Inserts an author and saves.
  @discardableResult
  func savedAuthor(_ name: String = "Ada") throws -> Author {
    let author = Author(context: self)
    author.name = name
    try save()
    return author
  }

  /// Inserts an article, by the author if one is given, and saves.
  @discardableResult
  func savedArticle(_ title: String = "On engines", by author: Author? = nil) throws -> Article {
    let article = Article(context: self)
    article.title = title
    article.author = author
    try save()
    return article
  }
}

/// A block of a caller that waits for it.
private struct Borrowed<T> {
  let block: () throws -> T
}

// Safe to share: while the block runs, the thread that it was borrowed from does nothing else.
extension Borrowed: @unchecked Sendable {}
