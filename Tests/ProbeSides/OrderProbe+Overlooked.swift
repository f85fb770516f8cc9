import CoreData
import Foundation
import PlaygroundKit

/// Sides with what an explorer easily overlooks.
extension OrderProbe {
  nonisolated(unsafe) private static var foreign: (() -> Void)?

  /// Runs something on a thread that is not scheduled, and waits a moment for it: one that the C
  /// library makes for itself, or under the sanitizer, which cannot have that, one of Dispatch's.
  static func onForeignThread(_ body: @escaping @Sendable () -> Void) {
    if BuildFolder.isThreadSanitized {
      DispatchQueue.global().async(execute: body)
      _ = poll(nil, 0, 50)
      return
    }
    foreign = body
    var event = sigevent()
    event.sigev_notify = CInt(SIGEV_THREAD)
    event._sigev_un._sigev_thread._function = { _ in OrderProbe.foreign?() }
    var timer: timer_t?
    timer_create(CLOCK_MONOTONIC, &event, &timer)
    var time = itimerspec()
    time.it_value.tv_nsec = 1
    timer_settime(timer, 0, &time, nil)
    _ = poll(nil, 0, 50)
  }

  /// A thread that is not scheduled leaves a block to dispatch's main queue, where nothing runs it.
  @MainActor static func forgotten(_ world: World) async throws {
    await world.container.newBackgroundContext().perform {
      onForeignThread {
        DispatchQueue.main.async { fatalError("this block is never run") }
      }
    }
  }

  /// Opens the run's store a second time and saves into it from there.
  @MainActor static func again(_ world: World, keepsHistory: Bool) async throws {
    let other = NSPersistentContainer(name: "Other", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: world.storeURL)
    description.setOption(keepsHistory as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    other.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    other.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    for context in [other.viewContext, world.container.viewContext] {
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        .setValue(Int64(0), forKey: "number")
      do { try context.save() } catch { world.observe("refused", "by the store") }
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let counts = try [other.viewContext, world.container.viewContext].map {
      try $0.count(for: request)
    }
    let isFile = FileManager.default.fileExists(atPath: world.storeURL.path)
    world.observe("order", "\(counts) of \(try world.storedRows(of: "Note")), file: \(isFile)")
  }

  /// Goes through sets of objects in their own order.
  @MainActor static func sets(_ world: World) async throws {
    let context = world.container.viewContext
    let notes = (0..<16).map { number in
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(Int64(number), forKey: "number")
      return note
    }
    let before = Set(notes)
    try context.save()
    let orders = [before, Set(notes)].map { set in
      set.map { "\($0.value(forKey: "number") ?? "")" }.joined(separator: " ")
    }
    world.observe("order", orders.joined(separator: ", "))
  }

  /// Makes a store of a context's model; the answer is the UUID that was drawn for it.
  private static func drawStore(for context: NSManagedObjectContext) throws -> String {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: context.persistentStoreCoordinator!.managedObjectModel)
    return try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil
    ).identifier
  }

  /// Draws random numbers after somebody has asked for a temporary id's URI.
  @MainActor static func drawn(_ world: World) async throws {
    let context = world.container.viewContext
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    let uri = note.objectID.uriRepresentation()
    world.observe("order", "\(uri) \(try drawStore(for: context))")
  }

  /// Two parties draw from the run's random numbers and touch nothing else.
  @MainActor static func lots(_ world: World) async throws {
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    @Sendable func draw(_ name: String, _ context: NSManagedObjectContext) -> String {
      SwitchPoints.pass(touching: name)
      return try! drawStore(for: context)
    }
    async let first = a.perform { draw("a", a) + " " + draw("a", a) }
    async let second = b.perform { draw("b", b) + " " + draw("b", b) }
    _ = await second
    world.observe("order", await first)
  }

  /// A child has an unsaved change, so that its merge asks main for the new row; main saves that
  /// row and waits for the child.
  @MainActor static func merges(_ world: World) async throws {
    let main = world.container.viewContext
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: main)
    note.setValue(Int64(1), forKey: "number")
    try main.save()
    let id = note.objectID
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.name = "child"
    child.parent = main
    child.automaticallyMergesChangesFromParent = true
    await child.perform {
      child.retainsRegisteredObjects = true
      _ = child.object(with: id).value(forKey: "number")
    }
    note.setValue(Int64(2), forKey: "number")
    try main.save()
    let number = child.performAndWait { child.object(with: id).value(forKey: "number") as? Int64 }
    world.observe("order", "read \(number ?? 0)")
  }
}
