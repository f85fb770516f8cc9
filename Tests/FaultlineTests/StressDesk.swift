import Foundation
import TestSupport

@testable import Faultline

/// What the parties of a stress test believe that the file holds.
struct StressLedger {
  /// Notes that a root context saved as new, by key, and the key of the folder they lie in.
  var notes: [Int64: Int64] = [:]
  /// Keys of notes whose deletion was saved.
  var deleted: Set<Int64> = []
  /// What was added to the numbers of the shared notes, all saves together.
  var sums: [Int64: Int64] = [:]
  /// How often each shared note, and each folder, was written.
  var writes: [String: Int] = [:]
  /// Conflicts that merge policies were told of.
  var conflicts = 0
  /// Titles of notes that a child saved into its root.
  var pushed: Set<String> = []
  /// Titles of notes that root contexts saved.
  var saved: Set<String> = []
  /// Titles of notes that were thrown away unsaved, on purpose.
  var dropped: Set<String> = []
  /// Notes that may be deleted; whoever wants to takes one out first.
  var deletable: [NSManagedObjectID] = []
  /// What must never happen.
  var surprises: [String] = []
}

/// One root context with a child, and the bookkeeping of the root's saves.
///
/// Any thread may work at it. `bases` is used inside the root's queue only.
final class StressDesk {
  /// The context that saves into the store.
  let root: NSManagedObjectContext
  /// The context that saves into the root.
  let child: NSManagedObjectContext
  private let ledger: Lock<StressLedger>
  private let shared: Set<NSManagedObjectID>
  private var bases: [NSManagedObjectID: Int64] = [:]
  private var tokens: [any NSObjectProtocol] = []

  /// A desk at the container; the shared notes are those whose numbers are counted.
  init(
    _ container: NSPersistentContainer, shared: [NSManagedObjectID], ledger: Lock<StressLedger>,
    merges: Bool
  ) {
    root = container.newBackgroundContext()
    child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = root
    self.shared = Set(shared)
    self.ledger = ledger
    root.automaticallyMergesChangesFromParent = merges
    child.automaticallyMergesChangesFromParent = merges
    listen(.NSManagedObjectContextWillSave, root) { $0.noteBases() }
    listen(.NSManagedObjectContextDidSave, root) { $0.noteSave($1) }
    listen(.NSManagedObjectContextDidSave, child) { $0.notePush($1) }
  }

  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

  private func listen(
    _ name: Notification.Name, _ context: NSManagedObjectContext,
    _ body: @escaping @Sendable (StressDesk, Notification) -> Void
  ) {
    tokens.append(
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        [weak self] note in
        if let self { body(self, note) }
      })
  }

  private func listen(
    _ name: Notification.Name, _ context: NSManagedObjectContext,
    _ body: @escaping @Sendable (StressDesk) -> Void
  ) {
    listen(name, context) { desk, _ in body(desk) }
  }

  // MARK: Bookkeeping, inside the root's queue

  private func noteBases() {
    bases = [:]
    for case let note as Note in root.updatedObjects {
      bases[note.objectID] = number(note.committedValues(forKeys: ["number"]))
    }
  }

  private func noteSave(_ notification: Notification) {
    let inserted = objects(notification, NSInsertedObjectsKey)
    let updated = objects(notification, NSUpdatedObjectsKey)
    let deleted = objects(notification, NSDeletedObjectsKey)
    ledger.withLock { ledger in
      for case let note as Note in inserted {
        ledger.notes[note.objectID.number] = note.folder?.objectID.number ?? 0
        ledger.saved.insert(note.title ?? "")
        ledger.deletable.append(note.objectID)
      }
      for object in updated {
        ledger.writes[object.objectID.place, default: 0] += 1
        guard let note = object as? Note else { continue }
        guard shared.contains(note.objectID) else {
          ledger.notes[note.objectID.number] = note.folder?.objectID.number ?? 0
          continue
        }
        guard let base = bases[note.objectID] else {
          ledger.surprises.append("\(note.objectID) was saved and had not been changed")
          continue
        }
        ledger.sums[note.objectID.number, default: 0] += note.number - base
      }
      for case let note as Note in deleted { ledger.deleted.insert(note.objectID.number) }
    }
  }

  private func notePush(_ notification: Notification) {
    let titles = objects(notification, NSInsertedObjectsKey).compactMap { ($0 as? Note)?.title }
    ledger.withLock { $0.pushed.formUnion(titles) }
  }

  /// A policy told of conflicts: what the others wrote is the base of this save now.
  func noteConflicts(_ list: [NSMergeConflict]) {
    for conflict in list {
      guard let row = conflict.persistedSnapshot ?? conflict.cachedSnapshot else { continue }
      bases[conflict.sourceObject.objectID] = number(row)
    }
    ledger.withLock { $0.conflicts += list.count }
  }

  /// Throws the root's unsaved changes away, and writes down what goes with them.
  func drop(_ body: (NSManagedObjectContext) -> Void) {
    let titles = root.insertedObjects.compactMap { ($0 as? Note)?.title }
    ledger.withLock { $0.dropped.formUnion(titles) }
    body(root)
  }

  private func number(_ values: [String: Any]) -> Int64 {
    (values["number"] as? NSNumber)?.int64Value ?? 0
  }

  private func objects(_ note: Notification, _ key: String) -> Set<NSManagedObject> {
    note.userInfo?[key] as? Set<NSManagedObject> ?? []
  }
}

// The contexts have queues of their own; everything else is a lock or used inside the root's queue.
extension StressDesk: @unchecked Sendable {}

/// A policy that has conflicts written down before it does what its type says.
final class StressPolicy: NSMergePolicy, @unchecked Sendable {
  private weak var desk: StressDesk?

  /// A policy for the desk.
  convenience init(_ type: NSMergePolicyType, _ desk: StressDesk) {
    self.init(merge: type)
    self.desk = desk
  }

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    desk?.noteConflicts(list)
    try super.resolve(optimisticLockingConflicts: list)
  }
}

extension NSManagedObjectID {
  /// The key in the table.
  var number: Int64 { Int64(uriRepresentation().lastPathComponent.dropFirst()) ?? 0 }
  /// Table and key.
  var place: String { "\(entity.name ?? "") \(number)" }
}
