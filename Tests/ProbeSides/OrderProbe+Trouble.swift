import CoreData
import Foundation
import PlaygroundKit

/// Sides that an explorer could easily be wrong about.
extension OrderProbe {
  /// Hands a block to a context and does not wait for it.
  private static func start(
    _ context: NSManagedObjectContext, _ block: @escaping @Sendable () -> Void
  ) { context.perform(block) }

  @MainActor static func tasks(_ world: World) async throws {
    while try world.storedRows(of: "Note") < 99 { await Task.detached {}.value }
  }

  ///     main  m ──pass── m
  ///     block       └ traps here only
  @MainActor static func interrupted(_ world: World) async throws {
    let record = Record()
    let context = world.container.newBackgroundContext()
    start(context) { if record.text == "m" { fatalError("main was interrupted") } }
    record.add("m")
    SwitchPoints.pass(touching: "shared")
    record.add("m")
    await context.perform {}
  }

  /// With one switch the block is refused only if it reads while main is inside the writer's queue.
  @MainActor static func refused(_ world: World) async throws {
    let view = world.container.viewContext
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: view)
      .setValue(Int64(0), forKey: "number")
    try view.save()
    let record = Record()
    let context = world.container.newBackgroundContext()
    start(context) { if !addOne(in: context) { record.add("block ") } }
    if !addOne(in: view) { record.add("main ") }
    await context.perform {}
    world.observe("order", "refused: \(record.text)")
  }

  private static func addOne(in context: NSManagedObjectContext) -> Bool {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    guard let note = try? context.fetch(request).first else { return false }
    note.setValue((note.value(forKey: "number") as? Int64 ?? 0) + 1, forKey: "number")
    do { try context.save() } catch { return false }
    return true
  }

  /// Rows are counted inside a queue and after it; whoever waits for the queue saves one.
  @MainActor static func left(_ world: World) async throws {
    let context = world.container.newBackgroundContext()
    async let saved: Void = context.perform {
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        .setValue(Int64(0), forKey: "number")
      try? context.save()
    }
    let before = try context.performAndWait { try world.storedRows(of: "Note") }
    let after = try world.storedRows(of: "Note")
    await saved
    world.observe("order", "\(before) then \(after)")
  }

  ///     main   starts A ── m
  ///     A              └── starts B ── a
  ///     B                          └── b
  @MainActor static func born(_ world: World) async throws {
    let record = Record()
    @Sendable func pass(_ letter: String) {
      SwitchPoints.pass(touching: "shared")
      record.add(letter)
      if record.text.count == 3 { world.observe("order", record.text) }
    }
    Task.detached {
      Task.detached { pass("b") }
      pass("a")
    }
    pass("m")
  }

  /// The blocks wait for each other, or one of them comes to leave a note on the main loop.
  @MainActor static func leaves(_ world: World) async throws {
    let view = world.container.viewContext
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    start(a) { b.performAndWait {} }
    start(b) {
      a.performAndWait {}
      start(view) { world.observe("order", "left") }
    }
  }

  private static let runs = Lock(0)

  @MainActor static func unrepeatable(_ world: World) async throws {
    let isOdd = runs.withLock { runs in
      runs += 1
      return runs % 2 == 1
    }
    if isOdd { await orders(world, isShared: true) }
  }

  @MainActor static func crowd(_ world: World) async throws {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<world[points] { group.addTask { SwitchPoints.pass(touching: "shared") } }
    }
  }

  /// One party's clock is far on when it reads, and the other's is not when it asks how long ago
  /// that was.
  @MainActor static func stale(_ world: World) async throws {
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    a.retainsRegisteredObjects = true
    b.stalenessInterval = 60
    let view = world.container.viewContext
    let notes = (0..<100).map { _ in
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: view)
    }
    try view.save()
    let id = notes[0].objectID
    start(a) {
      _ = try? a.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    }
    start(b) { _ = b.object(with: id).value(forKey: "number") }
    await a.perform {}
    await b.perform {}
  }

  /// Every order traps but the one in which main reads between the owner's two writes.
  @MainActor static func torn(_ world: World) async throws {
    let context = world.container.newBackgroundContext()
    let (note, other) = await context.perform {
      let notes = (0..<2).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      }
      notes[0].setValue(Int64(1), forKey: "number")
      return Borrowed(notes[0], notes[1])
    }.both
    nonisolated(unsafe) let (borrowed, deleted) = (note, other)
    start(context) {
      borrowed.setValue(Int64(2), forKey: "number")
      context.delete(deleted)
      borrowed.setValue(Int64(3), forKey: "number")
    }
    if borrowed.value(forKey: "number") as? Int64 != 2 { fatalError("not between the two") }
    await context.perform {}
  }

  /// Two objects that are used where they must not be.
  private struct Borrowed: @unchecked Sendable {
    let both: (NSManagedObject, NSManagedObject)
    init(_ one: NSManagedObject, _ other: NSManagedObject) { both = (one, other) }
  }
}
