import Foundation
import TestSupport
import XCTest

@testable import Faultline

final class StressTests: XCTestCase {
  /// Four threads, eight contexts: inserts, conflicting updates under every policy, child saves
  /// and resets.
  ///
  /// Every insert that was saved must be in the file, whatever the interleaving, and nothing else.
  func testNoSavedRowIsLostUnderContention() throws {
    let store = try TestStore()
    defer { store.remove() }
    let shared = try makeSharedNotes(store)
    let saved = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 4) { party in
      let context = store.container.newBackgroundContext()
      context.mergePolicy =
        party.isMultiple(of: 2) ? NSMergePolicy.mergeByPropertyObjectTrump : NSMergePolicy.rollback
      context.automaticallyMergesChangesFromParent = party < 2
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      for round in 0..<40 {
        let count = Self.work(in: round.isMultiple(of: 3) ? child : context, shared, round)
        if round.isMultiple(of: 3) { context.performAndWait { try? context.save() } }
        saved.withLock { $0 += count }
        if round.isMultiple(of: 7) { context.performAndWait { context.reset() } }
      }
    }
    let reader = try TestStore.open(store.url)
    let count = try reader.viewContext.count(for: NSFetchRequest<Note>(entityName: "Note"))
    XCTAssertEqual(count, saved.withLock { $0 } + shared.count)
  }

  private func makeSharedNotes(_ store: TestStore) throws -> [NSManagedObjectID] {
    let context = store.container.newBackgroundContext()
    return try context.performAndWait {
      let notes = (0..<5).map { _ in Note(context: context) }
      try context.save()
      return notes.map(\.objectID)
    }
  }

  private static func work(
    in context: NSManagedObjectContext, _ shared: [NSManagedObjectID], _ round: Int
  ) -> Int {
    context.performAndWait {
      for number in 0..<5 { Note(context: context).number = Int64(number) }
      let id = shared[round % shared.count]
      if let note = try? context.existingObject(with: id) as? Note { note.number += 1 }
      do {
        try context.save()
        return 5
      } catch {
        context.rollback()
        return 0
      }
    }
  }
}
