import Faultline
import Foundation
import TestSupport
import Testing

/// Two processes with one file.
///
///     one      read ── ready ── both are ── count up, save ──── count up, save ──── …
///     other       read ── ready ── both are ── count up, save ──── count up, save ─ …
///
/// Both have read the counter before either writes it, so there is one conflict at least.
/// Who meets the other's save gets a conflict, takes its own change back and begins again. A busy
/// file is waited for. So no row and no count is lost.
@Suite struct TwoProcessTests {
  /// How many saves each process makes; `FAULTLINE_PROCESS_SAVES` sets it.
  static let saves =
    ProcessInfo.processInfo.environment["FAULTLINE_PROCESS_SAVES"].flatMap(Int.init) ?? 150

  @Test(arguments: ["NORMAL", "FULL"])
  func twoProcessesLoseNothing(synchronous: String) async throws {
    let store = try TestStore()
    defer { store.remove() }
    let context = store.container.newBackgroundContext()
    try context.performAndWait {
      Note(context: context).title = "counter"
      try context.save()
    }
    let path = store.url.path
    async let one = #expect(
      processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
    ) { [path = path as String, synchronous = synchronous as String] in
      work("one", path, synchronous)
    }
    async let other = #expect(
      processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
    ) { [path = path as String, synchronous = synchronous as String] in
      work("other", path, synchronous)
    }
    var conflicts = 0
    for result in await [one, other] {
      let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      print(text)
      conflicts += text.firstMatch(of: #/(\d+) conflicts/#).flatMap { Int($0.1) } ?? 0
    }
    #expect(conflicts > 0)
    let reader = store.container.newBackgroundContext()
    let found = try reader.performAndWait {
      try reader.fetch(NSFetchRequest<Note>(entityName: "Note")).map { ($0.title, $0.number) }
    }
    #expect(found.count == 3 + 2 * Self.saves)
    #expect(Set(found.map(\.0)).count == found.count)
    #expect(found.first { $0.0 == "counter" }?.1 == Int64(2 * Self.saves))
  }
}

/// One process's part; what goes wrong is said.
private func work(_ name: String, _ path: String, _ synchronous: String) {
  do {
    let container = try TestStore.open(
      URL(fileURLWithPath: path), pragmas: ["synchronous": synchronous])
    let context = container.newBackgroundContext()
    let conflicts = try context.performAndWait { try saveAll(name, context) }
    print("\(name): \(TwoProcessTests.saves) saves, \(conflicts) conflicts")
    exit(0)
  } catch {
    print("\(name): \(error)")
    exit(4)
  }
}

/// Makes all saves; the answer is how many of them met the other's.
private func saveAll(_ name: String, _ context: NSManagedObjectContext) throws -> Int {
  let request = NSFetchRequest<Note>(entityName: "Note")
  request.predicate = NSPredicate(format: "title == 'counter'")
  guard let counter = try context.fetch(request).first else { exit(3) }
  try meet(name, counter, context)
  var conflicts = 0
  for number in 0..<TwoProcessTests.saves {
    while true {
      Note(context: context).title = "\(name) \(number)"
      counter.number += 1
      do {
        try context.save()
        break
      } catch let error as CocoaError where error.code == .managedObjectMerge {
        conflicts += 1
        context.rollback()
        context.stalenessInterval = 0
        context.refresh(counter, mergeChanges: false)
      }
    }
  }
  return conflicts
}

/// Reads the counter, says so, and waits until the other process has said so.
private func meet(_ name: String, _ counter: Note, _ context: NSManagedObjectContext) throws {
  _ = counter.number
  Note(context: context).title = "ready \(name)"
  try context.save()
  let ready = NSFetchRequest<Note>(entityName: "Note")
  ready.predicate = NSPredicate(format: "title BEGINSWITH 'ready'")
  for _ in 0..<1_000_000 {
    if try context.count(for: ready) == 2 { return }
  }
  exit(5)
}
