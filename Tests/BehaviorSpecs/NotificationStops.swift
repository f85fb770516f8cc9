import CoreData
import Foundation
import Testing

/// What may not be done with the payload of a notification (section E).
@Suite struct NotificationStops {
  @Test("E11: objects of a save's notification may not be used on another thread")
  func e11AnAnnouncedObjectUsedElsewhereStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      mustStop {
        let scene = try CheckedScene()
        let taken = Box<[SentObject]>([])
        let token = NotificationCenter.default.addObserver(
          forName: NSManagedObjectContext.didSaveObjectsNotification, object: scene.context,
          queue: nil
        ) { note in
          let updated = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
          // Here, and only here, they may be looked at.
          taken.value = updated.filter { $0.value(forKey: "name") != nil }.map(SentObject.init)
        }
        try scene.context.performAndWait {
          scene.author.name = "changed"
          try scene.context.save()
        }
        NotificationCenter.default.removeObserver(token)
        guard let object = taken.value.first?.object else { return }
        nowStops()
        _ = object.value(forKey: "name")
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "concurrency violation"))
  }

  @Test("E43: a remote merge takes ids, not objects")
  func e43MergingObjectsAsARemoteSaveStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let context = container.newBackgroundContext()
        try context.performAndWait {
          let author = try context.savedAuthor()
          nowStops()
          NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [author]], into: [context])
        }
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "takes ids or URIs"))
  }
}

/// An object on its way to where it may not be used.
private struct SentObject { let object: NSManagedObject }

// That it is not safe is what is to be shown.
extension SentObject: @unchecked Sendable {}
