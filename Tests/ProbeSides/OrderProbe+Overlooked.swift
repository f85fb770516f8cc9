import CoreData
import Foundation
import PlaygroundKit

/// Sides with what an explorer easily overlooks.
extension OrderProbe {
  /// Leaves a block where nobody runs it.
  @MainActor static func forgotten(_ world: World) async throws {
    await world.container.newBackgroundContext().perform {
      DispatchQueue.main.async { fatalError("this block is never run") }
    }
  }

  /// One holds a row while the file gets a newer one, and then lets it go; the other finds the old
  /// one in the row cache, or the new one.
  @MainActor static func letGo(_ world: World) async throws {
    let (a, b) = (world.container.newBackgroundContext(), world.container.newBackgroundContext())
    let id = try await a.perform {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: a)
      note.setValue(Int64(1), forKey: "number")
      try a.save()
      return note.objectID
    }
    async let first: Void = a.perform {
      let held = try a.existingObject(with: id)
      let update = NSBatchUpdateRequest(entityName: "Note")
      update.propertiesToUpdate = ["number": 2]
      try a.execute(update)
      withExtendedLifetime(held) {}
      a.reset()
    }
    async let second: String = b.perform {
      let newer = NSFetchRequest<NSManagedObject>(entityName: "Note")
      newer.predicate = NSPredicate(format: "number == 2")
      let count = try b.count(for: newer)
      return "\(count) \(b.object(with: id).value(forKey: "number") ?? "nil")"
    }
    _ = try await first
    world.observe("order", "newer \(try await second)")
  }
}
