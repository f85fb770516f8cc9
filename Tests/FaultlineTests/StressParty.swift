import Foundation
import TestSupport

@testable import Faultline

/// What one thread of the stress test does: in each turn something random at a random desk.
struct StressParty {
  private let thread: Int
  private let desks: [StressDesk]
  private let notes: [NSManagedObjectID]
  private let folders: [NSManagedObjectID]
  private let ledger: Lock<StressLedger>
  private var state: UInt64
  private var made = 0

  /// A party that draws its own random numbers.
  init(
    thread: Int, desks: [StressDesk], notes: [NSManagedObjectID], folders: [NSManagedObjectID],
    ledger: Lock<StressLedger>
  ) {
    self.thread = thread
    self.desks = desks
    self.notes = notes
    self.folders = folders
    self.ledger = ledger
    state = UInt64(thread + 1)
  }

  private mutating func number(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func pick<T>(_ from: [T]) -> T { from[number(below: from.count)] }

  /// Does one thing.
  mutating func turn() {
    let desk = pick(desks)
    switch number(below: 20) {
    case 0: desk.root.performOnThisThread { desk.drop { $0.reset() } }
    case 1: desk.root.performOnThisThread { desk.drop { $0.rollback() } }
    case 2: desk.child.performOnThisThread { desk.child.reset() }
    case 3:
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: notes + folders],
        into: [desk.root, desk.child])
    case 4..<9:
      let work = makeWork()
      desk.child.performOnThisThread {
        work.run(in: desk.child)
        do {
          try desk.child.save()
        } catch {
          desk.child.rollback()
          surprise(error)
        }
      }
      if number(below: 3) > 0 { save(desk) {} }
    default:
      let work = makeWork()
      save(desk) { work.run(in: desk.root) }
    }
  }

  // MARK: Changes

  /// What one turn changes.
  private struct Work: Sendable {
    let titles: [String]
    let folder: NSManagedObjectID?
    let note: NSManagedObjectID?
    let deleted: NSManagedObjectID?

    func run(in context: NSManagedObjectContext) {
      let folder = folder.flatMap { try? context.existingObject(with: $0) } as? Folder
      for title in titles {
        let note = Note(context: context)
        note.title = title
        note.folder = folder
      }
      if let note, let note = try? context.existingObject(with: note) as? Note { note.number += 1 }
      if let deleted, let object = try? context.existingObject(with: deleted) {
        context.delete(object)
      }
    }
  }

  private mutating func makeWork() -> Work {
    let titles = (0..<number(below: 4)).map { _ in
      made += 1
      return "\(thread) \(made)"
    }
    let folder = number(below: 3) == 0 ? pick(folders) : nil
    let note = number(below: 3) > 0 ? pick(notes) : nil
    // Only the party that took a note out of the list deletes it.
    let isDeleting = number(below: 2) == 0
    let deleted = isDeleting ? ledger.withLock { $0.deletable.popLast() } : nil
    return Work(titles: titles, folder: folder, note: note, deleted: deleted)
  }

  // MARK: Saving

  private mutating func save(_ desk: StressDesk, after body: @Sendable () -> Void) {
    let types: [NSMergePolicyType] = [
      .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
      .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
      .rollbackMergePolicyType,
    ]
    let type = pick(types)
    let isPatient = number(below: 2) == 0
    desk.root.performOnThisThread {
      body()
      desk.root.mergePolicy = StressPolicy(type, desk)
      for attempt in 0..<4 {
        do { return try desk.root.save() } catch {
          let list = (error as? CocoaError)?.userInfo["conflictList"] as? [NSMergeConflict]
          if list == nil { surprise(error) }
          guard isPatient, attempt < 3, let list else { return desk.drop { $0.rollback() } }
          for conflict in list {
            desk.root.refresh(conflict.sourceObject, mergeChanges: true)
          }
        }
      }
    }
  }

  private func surprise(_ error: any Error) {
    ledger.withLock { $0.surprises.append("\(error)") }
  }
}
