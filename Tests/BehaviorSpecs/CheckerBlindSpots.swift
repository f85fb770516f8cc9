import CoreData
import Foundation
import Testing

/// What is wrong and yet passes the checker, for every call is made inside the right queue
/// (section G).
@Suite struct CheckerBlindSpots {
  //   context                          other
  //   reads 1                          reads 1
  //   writes 2, saves
  //                                    writes 2, saves: one of two steps is lost
  @Test("G9: an update that the last writer loses passes the checker")
  func aLostUpdatePasses() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      let other = scene.container.newBackgroundContext()
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let read = { (context: NSManagedObjectContext) -> String? in
        context.performAndWait { (context.object(with: scene.id) as? Author)?.name }
      }
      precondition(read(scene.context) == "Ada" && read(other) == "Ada")
      for (context, letter) in [(scene.context, "+"), (other, "-")] {
        try context.performAndWait {
          let author = context.object(with: scene.id) as? Author
          author?.name = "Ada\(letter)"
          try context.save()
        }
      }
      let stored = scene.container.newBackgroundContext()
      precondition(read(stored) == "Ada-", "the first change is gone, and nobody said so")
    }
  }

  @Test("G9: a value that is stale passes the checker")
  func aStaleValuePasses() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      let other = scene.container.newBackgroundContext()
      try other.performAndWait {
        (other.object(with: scene.id) as? Author)?.name = "Grace"
        try other.save()
      }
      precondition(scene.context.performAndWait { scene.author.name } == "Ada")
    }
  }

  //   one client                       another client of the same context
  //   block: changes a value
  //                                    block: rolls back
  //   block: saves, and stores nothing
  @Test("G9: blocks of two clients that spoil each other's work pass the checker")
  func aRaceBetweenBlocksPasses() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      scene.context.performAndWait { scene.author.name = "Grace" }
      scene.context.performAndWait { scene.context.rollback() }
      try scene.context.performAndWait { try scene.context.save() }
      precondition(scene.context.performAndWait { scene.author.name } == "Ada")
    }
  }

  @Test("G10: an object touched inside its queue after its deletion was saved passes the checker")
  func aDeletedObjectPasses() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      try scene.context.performAndWait {
        scene.context.delete(scene.draft)
        try scene.context.save()
      }
      scene.context.performAndWait { precondition(scene.draft.managedObjectContext == nil) }
    }
  }

  @Test("G10: an object read after a reset passes the checker, inside the queue and outside")
  func anObjectFromBeforeAResetPasses() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      scene.context.performAndWait {
        scene.context.reset()
        precondition(scene.author.name == nil)
      }
      precondition(scene.author.name == nil)
    }
  }
}
