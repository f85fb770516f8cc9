import CoreData
import Foundation
import XCTest

extension Usage {
  /// Containers, coordinators and contexts.
  static let stack: [Usage] = [
    Usage("NSManagedObjectContext") { scene in
      let context: NSManagedObjectContext = scene.container.viewContext
      scene.expect(context.registeredObjects, [])
    },
    Usage("NSManagedObjectContext.persistentStoreCoordinator") { scene in
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      scene.expect(context.persistentStoreCoordinator == nil)
      context.persistentStoreCoordinator = scene.coordinator
      scene.expect(context.persistentStoreCoordinator === scene.coordinator)
    },
    Usage("NSManagedObjectContext.performAndWait(_:)") { scene in
      let context = scene.container.newBackgroundContext()
      scene.expect(context.performAndWait { 7 }, 7)
    },
    Usage("NSManagedObjectContext.perform(_:)") { scene in
      let context = scene.container.newBackgroundContext()
      let done = scene.spec.expectation(description: "the block ran")
      context.perform { done.fulfill() }
      scene.expect(XCTWaiter().wait(for: [done], timeout: 30) == .completed)
    },
    Usage("NSManagedObjectContext.init(concurrencyType:)") { scene in
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      scene.expect(context.concurrencyType, .mainQueueConcurrencyType)
    },
    Usage("NSManagedObjectContextConcurrencyType") { scene in
      scene.expect(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue, 2)
    },
    Usage("NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType") { scene in
      scene.expect(scene.container.viewContext.concurrencyType, .mainQueueConcurrencyType)
    },
    Usage("NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType") { scene in
      let context = scene.container.newBackgroundContext()
      scene.expect(context.concurrencyType, .privateQueueConcurrencyType)
    },
    Usage("NSManagedObjectContext.concurrencyType") { scene in
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      scene.expect(context.concurrencyType.rawValue, 1)
    },
    Usage("NSManagedObjectContext.parent") { scene in
      let child = scene.spec.makeMainChild(of: scene.context)
      scene.expect(child.parent === scene.context)
      scene.expect(child.persistentStoreCoordinator === scene.coordinator)
    },
    Usage("NSManagedObjectContext.name") { scene in
      scene.context.name = "reader"
      scene.expect(scene.context.name, "reader")
    },
    Usage("NSManagedObjectContext.undoManager") { scene in
      scene.expect(scene.context.undoManager == nil)
      let undo = UndoManager()
      scene.context.undoManager = undo
      let article = Article(context: scene.context)
      article.title = "a"
      scene.context.processPendingChanges()
      undo.undo()
      scene.expect(scene.context.insertedObjects.isEmpty)
    },
    Usage("NSManagedObjectContext.automaticallyMergesChangesFromParent") { scene in
      let article = try scene.articles()[0]
      scene.context.automaticallyMergesChangesFromParent = true
      let other = scene.container.newBackgroundContext()
      let id = article.objectID
      try other.performAndWait {
        try XCTUnwrap(other.existingObject(with: id) as? Article).title = "z"
        try other.save()
      }
      scene.spec.turnMainQueue()
      scene.expect(article.title, "z")
    },
    Usage("NSPersistentContainer") { scene in
      final class Own: NSPersistentContainer, @unchecked Sendable {}
      scene.expect(Own(name: "Own", managedObjectModel: SpecModel.library).name, "Own")
    },
    Usage("NSPersistentContainer.init(name:managedObjectModel:)") { scene in
      let container = NSPersistentContainer(name: "Own", managedObjectModel: SpecModel.library)
      let url = container.persistentStoreDescriptions.first?.url
      scene.expect(url?.lastPathComponent, "Own.sqlite")
    },
    Usage("NSPersistentContainer.viewContext") { scene in
      scene.expect(scene.container.viewContext.persistentStoreCoordinator === scene.coordinator)
    },
    Usage("NSPersistentContainer.newBackgroundContext()") { scene in
      scene.expect(scene.container.newBackgroundContext() !== scene.container.viewContext)
    },
    Usage("NSPersistentContainer.managedObjectModel") { scene in
      scene.expect(scene.container.managedObjectModel === scene.coordinator.managedObjectModel)
    },
    Usage("NSPersistentContainer.persistentStoreDescriptions") { scene in
      let url = scene.spec.storeURL("Other")
      scene.container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
      scene.expect(scene.container.persistentStoreDescriptions.map(\.url), [url])
    },
    Usage("NSPersistentContainer.loadPersistentStores(completionHandler:)") { scene in
      let container = NSPersistentContainer(name: "Own", managedObjectModel: SpecModel.library)
      let description = NSPersistentStoreDescription(url: scene.spec.storeURL("Own"))
      container.persistentStoreDescriptions = [description]
      var told: [NSPersistentStoreDescription] = []
      container.loadPersistentStores { description, error in
        XCTAssertNil(error)
        told.append(description)
      }
      scene.expect(told, [description])
      scene.expect(container.persistentStoreCoordinator.persistentStores.count, 1)
    },
  ]
}
