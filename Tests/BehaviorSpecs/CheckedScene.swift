import CoreData
import Foundation

/// A private-queue context with a saved author and a draft, for those who stand outside its queue.
struct CheckedScene {
  /// Where it comes from.
  let container: NSPersistentContainer
  /// The context that nobody may use outside its queue.
  let context: NSManagedObjectContext
  /// Its author, realised.
  let author: Author
  /// Its draft, which belongs to the author.
  let draft: Draft
  /// The author's id.
  let id: NSManagedObjectID

  /// Makes everything inside the queue.
  init() throws {
    let container = try openThrowawayContainer()
    let context = container.newBackgroundContext()
    self.container = container
    self.context = context
    let made = try context.performAndWait {
      let author = Author(context: context)
      author.name = "Ada"
      let draft = Draft(context: context)
      draft.owner = author
      try context.save()
      return (author, draft, author.objectID, author.drafts.count)
    }
    (author, draft, id, _) = made
  }
}

// Not safe to share: a test takes the objects where they must not be, and the checker reports it.
extension CheckedScene: @unchecked Sendable {}

/// Something that is allowed only inside the context's queue.
enum Trespass: String, CaseIterable, Codable, Sendable {
  case fetch, count, save, insert, delete, object, existingObject, registeredObject
  case getAttribute, setAttribute, getToOne, setToOne, getToMany, changeToMany
  case valueForKey, setValueForKey, mutableSet, primitiveValue, setPrimitiveValue
  case willAccessValue, willChangeValue, didChangeValue, hasFault, objectIDs
  case changedValues, changedValuesOfEvent, committedValues, hasPersistentChangedValues
  case obtainPermanentIDs, processPendingChanges, refresh, refreshAll, rollback, reset
  case registeredObjects, insertedObjects, updatedObjects, deletedObjects, hasChanges, userInfo
  case detectConflicts, mergeChanges, undo, redo, setQueryGeneration, executeBatch

  /// Does it where the caller stands.
  func commit(_ scene: CheckedScene) throws {
    switch self {
    case .fetch, .count, .save, .insert, .delete, .object, .existingObject, .registeredObject:
      try useContext(scene)
    case .getAttribute, .setAttribute, .getToOne, .setToOne, .getToMany, .changeToMany,
      .valueForKey, .setValueForKey, .mutableSet:
      useObject(scene)
    case .primitiveValue, .setPrimitiveValue, .willAccessValue, .willChangeValue,
      .didChangeValue, .hasFault, .objectIDs, .changedValues, .changedValuesOfEvent,
      .committedValues,
      .hasPersistentChangedValues:
      inspect(scene.author)
    case .obtainPermanentIDs, .processPendingChanges, .refresh, .refreshAll, .rollback, .reset,
      .detectConflicts, .mergeChanges, .undo, .redo, .setQueryGeneration, .executeBatch:
      try command(scene)
    case .registeredObjects, .insertedObjects, .updatedObjects, .deletedObjects, .hasChanges,
      .userInfo:
      look(scene.context)
    }
  }

  private func useContext(_ scene: CheckedScene) throws {
    let request = NSFetchRequest<Author>(entityName: "Author")
    switch self {
    case .fetch: _ = try scene.context.fetch(request)
    case .count: _ = try scene.context.count(for: request)
    case .save: try scene.context.save()
    case .insert: _ = Author(context: scene.context)
    case .delete: scene.context.delete(scene.author)
    case .object: _ = scene.context.object(with: scene.id)
    case .existingObject: _ = try scene.context.existingObject(with: scene.id)
    default: _ = scene.context.registeredObject(for: scene.id)
    }
  }

  private func useObject(_ scene: CheckedScene) {
    switch self {
    case .getAttribute: _ = scene.author.name
    case .setAttribute: scene.author.name = "changed"
    case .getToOne: _ = scene.draft.owner
    case .setToOne: scene.draft.owner = nil
    case .getToMany: _ = scene.author.drafts
    case .changeToMany: scene.author.drafts = []
    case .valueForKey: _ = scene.author.value(forKey: "name")
    case .setValueForKey: scene.author.setValue("changed", forKey: "name")
    default: scene.author.mutableSetValue(forKey: "drafts").removeAllObjects()
    }
  }

  private func inspect(_ author: Author) {
    switch self {
    case .primitiveValue: _ = author.primitiveValue(forKey: "name")
    case .setPrimitiveValue: author.setPrimitiveValue("changed", forKey: "name")
    case .willAccessValue: author.willAccessValue(forKey: nil)
    case .willChangeValue: author.willChangeValue(forKey: "name")
    case .didChangeValue: author.didChangeValue(forKey: "name")
    case .hasFault: _ = author.hasFault(forRelationshipNamed: "drafts")
    case .objectIDs: _ = author.objectIDs(forRelationshipNamed: "drafts")
    case .changedValues: _ = author.changedValues()
    case .changedValuesOfEvent: _ = author.changedValuesForCurrentEvent()
    case .committedValues: _ = author.committedValues(forKeys: nil)
    default: _ = author.hasPersistentChangedValues
    }
  }

  private func command(_ scene: CheckedScene) throws {
    switch self {
    case .obtainPermanentIDs: try scene.context.obtainPermanentIDs(for: [scene.author])
    case .processPendingChanges: scene.context.processPendingChanges()
    case .refresh: scene.context.refresh(scene.author, mergeChanges: true)
    case .refreshAll: scene.context.refreshAllObjects()
    case .rollback: scene.context.rollback()
    case .reset: scene.context.reset()
    case .detectConflicts: scene.context.detectConflicts(for: scene.author)
    case .undo: scene.context.undo()
    case .redo: scene.context.redo()
    case .setQueryGeneration: try scene.context.setQueryGenerationFrom(.current)
    case .executeBatch:
      let all = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
      _ = try scene.context.execute(NSBatchDeleteRequest(fetchRequest: all))
    default:
      scene.context.mergeChanges(
        fromContextDidSave: Notification(
          name: NSManagedObjectContext.didSaveObjectsNotification, object: nil, userInfo: [:]))
    }
  }

  private func look(_ context: NSManagedObjectContext) {
    switch self {
    case .registeredObjects: _ = context.registeredObjects
    case .insertedObjects: _ = context.insertedObjects
    case .updatedObjects: _ = context.updatedObjects
    case .deletedObjects: _ = context.deletedObjects
    case .hasChanges: _ = context.hasChanges
    default: _ = context.userInfo
    }
  }
}

/// Something that is allowed anywhere.
enum Liberty: String, CaseIterable, Codable, Sendable {
  case makeContext, configure, perform, performAndWait, objectID, idMembers, idDescription
  case managedObjectContext, coordinator, container, remoteMerge, release

  /// Does it where the caller stands.
  func take(_ scene: CheckedScene) throws {
    switch self {
    case .makeContext, .configure: configure(scene)
    case .perform, .performAndWait: perform(scene)
    case .objectID: precondition(scene.author.objectID == scene.id)
    case .idMembers:
      precondition(scene.id.entity.name == "Author" && !scene.id.isTemporaryID)
      precondition(scene.id.persistentStore != nil && scene.id == scene.id)
    case .idDescription: precondition("\(scene.id)".contains("Author"))
    case .managedObjectContext: precondition(scene.author.managedObjectContext === scene.context)
    case .coordinator:
      let coordinator = scene.container.persistentStoreCoordinator
      let uri = scene.id.uriRepresentation()
      precondition(coordinator.managedObjectID(forURIRepresentation: uri) == scene.id)
      precondition(coordinator.persistentStores.count == 1)
    case .container:
      precondition(scene.container.newBackgroundContext() !== scene.context)
      precondition(scene.container.viewContext.name != "none such")
    case .remoteMerge:
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: [scene.id]], into: [scene.context])
    case .release: break
    }
  }

  private func configure(_ scene: CheckedScene) {
    let context =
      self == .configure
      ? scene.context : NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    if self == .makeContext { context.parent = scene.context }
    context.name = "configured anywhere"
    context.mergePolicy = NSMergePolicy.overwrite
    context.stalenessInterval = 0
    context.automaticallyMergesChangesFromParent = true
    context.transactionAuthor = "anybody"
    context.undoManager = nil
    context.retainsRegisteredObjects = true
    context.shouldDeleteInaccessibleFaults = false
    context.propagatesDeletesAtEndOfEvent = false
    precondition(context.concurrencyType == .privateQueueConcurrencyType)
    precondition(context.persistentStoreCoordinator != nil)
  }

  private func perform(_ scene: CheckedScene) {
    let context = scene.context
    let id = scene.id
    if self == .performAndWait {
      let name = context.performAndWait { scene.author.name }
      precondition(name == "Ada")
      return
    }
    let done = Gate()
    context.perform {
      let author = context.object(with: id) as? Author
      author?.name = "changed in its queue"
      done.open()
    }
    precondition(done.pass())
  }
}
