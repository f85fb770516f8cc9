import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// Many threads at once, and in the end the file holds what was believed to be saved.
///
/// `FAULTLINE_STRESS_SECONDS=60` lets it go on longer, `FAULTLINE_ROUNDS=1000` imports more often.
final class StressTests: XCTestCase {
  private func setting(_ name: String, or usual: Double) -> Double {
    ProcessInfo.processInfo.environment[name].flatMap { Double($0) } ?? usual
  }

  /// Four threads at eight contexts, four of them children: inserts, deletions, increments of the
  /// same numbers, saves under every policy, merges, rollbacks and resets.
  func testNoRowIsLostAndEveryConflictIsAccountedFor() throws {
    let store = try TestStore()
    defer { store.remove() }
    let (notes, folders) = try makeSharedObjects(store)
    let ledger = Lock(StressLedger())
    let desks = (0..<4).map {
      StressDesk(store.container, shared: notes, ledger: ledger, merges: $0 < 2)
    }
    let conflictsBefore = EngineCounters.read().conflicts
    let end = ContinuousClock.now + .seconds(setting("FAULTLINE_STRESS_SECONDS", or: 1.5))
    let turns = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var party = StressParty(
        thread: thread, desks: desks, notes: notes, folders: folders, ledger: ledger)
      while ContinuousClock.now < end {
        party.turn()
        turns.withLock { $0 += 1 }
      }
    }
    for desk in desks { desk.root.performAndWait { desk.drop { $0.rollback() } } }
    let found = ledger.withLock { $0 }
    XCTAssertEqual(found.surprises, [])
    XCTAssertEqual(EngineCounters.read().conflicts - conflictsBefore, found.conflicts)
    XCTAssertTrue(
      found.pushed.subtracting(found.saved).isSubset(of: found.dropped),
      "what a child saved is saved by its root, unless somebody threw it away")
    try compare(found, store, notes, folders)
    if setting("FAULTLINE_STRESS_SECONDS", or: 0) > 0 {
      print(
        "\(turns.withLock { $0 }) turns, \(found.notes.count) notes saved, "
          + "\(found.deleted.count) deleted, \(found.conflicts) conflicts, "
          + "\(found.dropped.count) dropped")
    }
  }

  /// Rows, links, numbers and versions in the file, one by one.
  private func compare(
    _ ledger: StressLedger, _ store: TestStore, _ notes: [NSManagedObjectID],
    _ folders: [NSManagedObjectID]
  ) throws {
    let connection = try Connection(path: store.url.path, options: .init(readOnly: true))
    let shared = Set(notes.map(\.number))
    var stored: [Int64: Int64] = [:]
    let statement = try connection.statement("SELECT Z_PK, Z_OPT, ZNUMBER, ZFOLDER FROM ZNOTE")
    while try statement.step() {
      let key = statement.int64(0)
      guard shared.contains(key) else {
        stored[key] = statement.isNull(3) ? 0 : statement.int64(3)
        continue
      }
      XCTAssertEqual(statement.int64(2), ledger.sums[key] ?? 0, "the number of note \(key)")
      XCTAssertEqual(
        Int(statement.int64(1)), 1 + (ledger.writes["Note \(key)"] ?? 0),
        "the version of note \(key)")
    }
    statement.reset()
    XCTAssertEqual(stored, ledger.notes.filter { !ledger.deleted.contains($0.key) })
    let versions = try connection.statement("SELECT Z_PK, Z_OPT FROM ZFOLDER")
    while try versions.step() {
      let key = versions.int64(0)
      XCTAssertEqual(
        Int(versions.int64(1)), 1 + (ledger.writes["Folder \(key)"] ?? 0),
        "the version of folder \(key)")
    }
    versions.reset()
  }

  private func makeSharedObjects(
    _ store: TestStore
  ) throws -> ([NSManagedObjectID], [NSManagedObjectID]) {
    let context = store.container.newBackgroundContext()
    return try context.performAndWait {
      let notes = (0..<5).map { _ in Note(context: context) }
      let folders = (0..<3).map { _ in Folder(context: context) }
      try context.save()
      return (notes.map(\.objectID), folders.map(\.objectID))
    }
  }

  // MARK: Memory

  /// Import, save, reset: after every round as many objects live as before it.
  func testMemoryIsFlatOverRoundsOfImportSaveAndReset() throws {
    let store = try TestStore()
    defer { store.remove() }
    let rounds = Int(setting("FAULTLINE_ROUNDS", or: 40))
    let context = store.container.newBackgroundContext()
    let cache = try XCTUnwrap(store.container.persistentStoreCoordinator.persistentStores.first)
      .rowCache
    let before = EngineCounters.read().liveObjects
    for round in 1...rounds {
      try context.performAndWait {
        let folder = Folder(context: context)
        for number in 1..<500 {
          let note = Note(context: context)
          note.title = "note \(number) of round \(round)"
          note.folder = folder
        }
        try context.save()
        context.reset()
      }
      XCTAssertLessThanOrEqual(EngineCounters.read().liveObjects, before, "after round \(round)")
      XCTAssertEqual(cache.members().count, 0, "rows held after round \(round)")
      if rounds >= 1000, round == 10 || round.isMultiple(of: rounds / 5) {
        print("round \(round): \(residentMegabytes()) MB resident")
      }
    }
    let reader = try TestStore.open(store.url)
    let count = try reader.viewContext.count(for: NSFetchRequest<Note>(entityName: "Note"))
    XCTAssertEqual(count, rounds * 499)
  }

  private func residentMegabytes() -> String {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return String(format: "%.1f", pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576)
  }
}
