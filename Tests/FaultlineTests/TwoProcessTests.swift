import Faultline
import Foundation
import TestSupport
import Testing

/// Two processes with one file.
///
///     one      insert, count up, save ──── insert, count up, save ──── …
///     other       insert, count up, save ──── insert, count up, save ─ …
///
/// Who meets the other's save gets a conflict, takes its own change back and begins again. A busy
/// file is waited for. So no row and no count is lost.
@Suite struct TwoProcessTests {
  /// How many saves each process makes; `FAULTLINE_PROCESS_SAVES` sets it.
  static let saves =
    ProcessInfo.processInfo.environment["FAULTLINE_PROCESS_SAVES"].flatMap(Int.init) ?? 150

  @Test func twoProcessesLoseNothing() async throws {
    let store = try TestStore()
    defer { store.remove() }
    let context = store.container.viewContext
    Note(context: context).title = "counter"
    try context.save()
    let path = store.url.path
    async let one = #expect(
      processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
    ) { [path = path as String] in try work("one", path) }
    async let other = #expect(
      processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
    ) { [path = path as String] in try work("other", path) }
    for result in await [one, other] {
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
    context.reset()
    let notes = try context.fetch(NSFetchRequest<Note>(entityName: "Note"))
    #expect(notes.count == 1 + 2 * Self.saves)
    #expect(Set(notes.map(\.title)).count == notes.count)
    #expect(notes.first { $0.title == "counter" }?.number == Int64(2 * Self.saves))
  }
}

/// One process's part.
private func work(_ name: String, _ path: String) throws {
  let container = try TestStore.open(URL(fileURLWithPath: path))
  let context = container.viewContext
  let request = NSFetchRequest<Note>(entityName: "Note")
  request.predicate = NSPredicate(format: "title == 'counter'")
  guard let counter = try context.fetch(request).first else { exit(3) }
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
  print("\(name): \(TwoProcessTests.saves) saves, \(conflicts) conflicts")
  exit(0)
}
