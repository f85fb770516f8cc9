import CoreData
import Foundation
import XCTest

extension SpecModel {
  /// A model whose deleted memos leave their topic, date and number in the history, and whose
  /// letters are memos with a reader.
  static var memos: NSManagedObjectModel { sharedMemos.model }

  private static let sharedMemos = MemoModel(model: makeMemos())

  private static func makeMemos() -> NSManagedObjectModel {
    let preserved = [
      text("topic"), attribute("written", .dateAttributeType),
      attribute("number", .UUIDAttributeType),
    ]
    for attribute in preserved { attribute.preservesValueInHistoryOnDeletion = true }
    let memo = entity("Memo", NSManagedObject.self, preserved + [text("body"), transient("mood")])
    let letter = entity("Letter", NSManagedObject.self, [text("reader")])
    memo.subentities = [letter]
    let folder = entity("Folder", NSManagedObject.self, [text("name")])
    let label = entity("Label", NSManagedObject.self, [text("name")])
    relate(toMany("memos", folder, .nullifyDeleteRule), toOne("folder", memo))
    relate(toMany("labels", memo, .nullifyDeleteRule), toMany("memos", label, .nullifyDeleteRule))
    let model = NSManagedObjectModel()
    model.entities = [memo, letter, folder, label]
    return model
  }
}

/// Carries a finished model between threads.
private struct MemoModel { let model: NSManagedObjectModel }

// The model is finished before it is handed out and not changed afterwards.
extension MemoModel: @unchecked Sendable {}

/// A container on a file that keeps a history, or does not.
func openMemos(
  at url: URL, history: Bool = true, announcing: Bool = false, readOnly: Bool = false,
  type: String = NSSQLiteStoreType
) throws -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Memos", managedObjectModel: SpecModel.memos)
  let description = NSPersistentStoreDescription(url: url)
  description.isReadOnly = readOnly
  description.type = type
  if history {
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
  }
  if announcing {
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
  }
  container.persistentStoreDescriptions = [description]
  let failure = Box<(any Error)?>(nil)
  container.loadPersistentStores { _, error in failure.value = error }
  if let error = failure.value { throw error }
  return container
}

/// A spec about the history of a store of memos.
class HistoryCase: SpecCase {
  private var containers: [NSPersistentContainer] = []

  override func tearDown() {
    containers = []
    super.tearDown()
  }

  /// A container that lives as long as the test.
  func makeMemos(
    _ name: String = "Memos", history: Bool = true, readOnly: Bool = false
  ) throws -> NSPersistentContainer {
    let container = try openMemos(at: storeURL(name), history: history, readOnly: readOnly)
    containers.append(container)
    return container
  }
}

extension NSManagedObjectContext {
  /// Inserts an object of an entity without a class.
  @discardableResult
  func new(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (name, value) in values { object.setValue(value, forKey: name) }
    return object
  }

  /// What a request for history finds.
  func history(
    _ request: NSPersistentHistoryChangeRequest
  ) throws -> [NSPersistentHistoryTransaction] {
    let result = try execute(request) as? NSPersistentHistoryResult
    return try XCTUnwrap(result?.result as? [NSPersistentHistoryTransaction])
  }

  /// All transactions, or those after a token.
  func history(
    after token: NSPersistentHistoryToken? = nil
  ) throws -> [NSPersistentHistoryTransaction] {
    try history(.fetchHistory(after: token))
  }
}

extension NSPersistentHistoryTransaction {
  /// The changes in a few words, in order: `insert Memo`, `update Memo [body]`.
  var words: [String] {
    (changes ?? []).map { change in
      let names = change.updatedProperties.map { " \($0.map(\.name).sorted())" } ?? ""
      return "\(change.changeType) \(change.changedObjectID.entity.name ?? "")"
        + names.replacingOccurrences(of: "\"", with: "")
    }
  }
}

/// The announcements of writes to a container's first store, reduced to values that may cross
/// threads.
final class Announcements {
  /// One posting.
  struct Entry: Sendable {
    /// The newest token, if the store keeps a history.
    let token: NSPersistentHistoryToken?
    /// Whether UUID and URL are those of the store.
    let namesStore: Bool
    /// Whether it was posted on the main thread.
    let isOnMain: Bool
  }

  private let entriesBox = Box<[Entry]>([])
  private let arrival = Gate()
  private let token: any NSObjectProtocol

  /// Listens to a coordinator; the block runs inside each posting.
  init(_ container: NSPersistentContainer, _ block: @escaping @Sendable () -> Void = {}) {
    let coordinator = container.persistentStoreCoordinator
    let (uuid, url) = (
      coordinator.persistentStores.first?.identifier, coordinator.persistentStores.first?.url
    )
    token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) { [entriesBox, arrival] note in
      let entry = Entry(
        token: note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken,
        namesStore: note.userInfo?[NSStoreUUIDKey] as? String == uuid
          && note.userInfo?[NSPersistentStoreURLKey] as? URL == url,
        isOnMain: Thread.isMainThread)
      entriesBox.update { $0.append(entry) }
      arrival.open()
      block()
    }
  }

  deinit { NotificationCenter.default.removeObserver(token) }

  /// Everything posted so far.
  var entries: [Entry] { entriesBox.value }

  /// Waits until there is one more posting; false if there was none within half a minute.
  func next() -> Bool { arrival.pass() }

  /// Waits for the posting that tells this token; false if there was none within half a minute.
  func arrived(at token: NSPersistentHistoryToken?) -> Bool {
    while !entries.contains(where: { $0.token == token }) { if !next() { return false } }
    return true
  }
}
