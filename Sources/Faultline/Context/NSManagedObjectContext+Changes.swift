import Foundation

extension NSManagedObjectContext {
  /// What happened since the last processing of pending changes, each in order.
  struct Event {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    /// Those of the deleted ones whose rows were gone before; when the event ends, so are they.
    var merged: [NSManagedObject] = []

    /// Whether nothing happened.
    var isEmpty: Bool {
      updated.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty
    }
  }

  // MARK: What is unsaved

  /// Whether anything is inserted, updated or deleted and not yet saved.
  public var hasChanges: Bool {
    check("hasChanges")
    // What was inserted and deleted since the last save is in none of the three sets.
    return changes.contains { $0.isDirty && !($0.isDeleted && $0.neverSaved) }
  }

  /// The objects that the next save inserts.
  public var insertedObjects: Set<NSManagedObject> {
    check("insertedObjects")
    return Set(changes.lazy.filter { $0.isInserted && !$0.isDeleted })
  }

  /// The objects that the next save updates.
  public var updatedObjects: Set<NSManagedObject> {
    check("updatedObjects")
    return Set(changes.lazy.filter { $0.isUpdated && !$0.isDeleted })
  }

  /// The objects that the next save deletes.
  public var deletedObjects: Set<NSManagedObject> {
    check("deletedObjects")
    return Set(changes.lazy.filter { $0.isDeleted && !$0.neverSaved })
  }

  // MARK: Making changes

  /// Inserts an object that belongs to no context yet.
  public func insert(_ object: NSManagedObject) {
    check("insert(_:)")
    if object.registry === registry {
      if object.isDeleted {
        cancelDeletion(of: object)
        endEventWithTurn()
      }
      return
    }
    guard object.registry == nil, !object.state.contains(.detached) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: an object of another context cannot be inserted: "
          + "\(object.shortDescription).")
    }
    insertNew(object)
  }

  /// Registers a new object as inserted and wakes it.
  func insertNew(_ object: NSManagedObject) {
    check("insert into context")
    if latestInserted.entity !== object.layout.entity || latestInserted.type != type(of: object) {
      object.layout.register(type(of: object))
    }
    enterInserted(object, key: object.key < 0 ? object.key : NSManagedObjectID.newTemporaryKey())
    object.awakeFromInsert()
  }

  /// Registers an object as inserted under a temporary key, with its initial values.
  func enterInserted(_ object: NSManagedObject, key: Int64) {
    object.key = key
    if !object.isRealised { object.fillWithDefaults() }
    object.state.insert(.inserted)
    enter(object)
    list(object)
    object.state.insert(.noted)
    event.inserted.append(object)
    endEventWithTurn()
  }

  /// Marks an object to be deleted at the next save.
  public func delete(_ object: NSManagedObject) {
    check("delete(_:)")
    guard object.registry === registry else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: an NSManagedObjectContext cannot delete objects in other "
          + "contexts: "
          + "\(object.shortDescription); take the object from this context by its objectID.")
    }
    Scheduling.reach(.delete, object.layout.name)
    if object.isDeleted { return }
    // Its relationships must be known before delete rules can act; where its row is gone, nobody
    // need be asked whether it may be deleted.
    guard fulfill(object) else {
      makeInaccessible(object)
      return endEventWithTurn()
    }
    if object.isDeleted { return }
    object.prepareForDeletion()
    object.state.insert(.deleted)
    object.state.remove(.propagated)
    list(object)
    event.deleted.append(object)
    endEventWithTurn()
  }

  /// Adds an object to the list of changed ones.
  func list(_ object: NSManagedObject) {
    if object.state.contains(.listed) { return }
    object.state.insert(.listed)
    changes.append(object)
  }

  /// Takes objects that are clean again, and need not be checked, out of the list of changed ones.
  func dropCleanChanges() {
    changes.removeAll { object in
      if object.isDirty || object.state.contains(.conflictChecked) { return false }
      object.state.remove(.listed)
      return true
    }
  }

  /// On the main queue an event ends with the turn of the main loop, even outside `perform`.
  ///
  /// It is called where the event may begin outside `perform`, not where somebody is about to
  /// process it, as a save and a merge do.
  func endEventWithTurn() {
    guard concurrencyType == .mainQueueConcurrencyType, !isTurnEndScheduled else { return }
    isTurnEndScheduled = true
    queue.async { [weak self] in
      self?.isTurnEndScheduled = false
      self?.endUserEvent()
    }
  }

  func noteChange(of object: NSManagedObject) {
    endEventWithTurn()
    object.state.insert(.noted)
    if !object.state.contains(.inserted) { object.state.insert(.updated) }
    list(object)
    event.updated.append(object)
  }

  /// A class and the entity that it represents while the same models are in use.
  struct InsertedClass {
    var type: NSManagedObject.Type?
    var entity: NSEntityDescription?
    var generation = 0
  }

  /// The entity that a class represents.
  func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
    let generation = LivingModels.generation
    if latestInserted.type == type, latestInserted.generation == generation,
      let entity = latestInserted.entity
    {
      return entity
    }
    guard let model = persistentStoreCoordinator?.managedObjectModel else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: \(ownerName) has no coordinator, so the entity of \(type) "
          + "cannot be "
          + "found; set persistentStoreCoordinator or parent first.")
    }
    let entity = model.entity(for: type)
    latestInserted = InsertedClass(type: type, entity: entity, generation: generation)
    return entity
  }

  // MARK: Processing

  /// Ends a user event: applies delete rules and posts one `ObjectsDidChange`.
  public func processPendingChanges() {
    check("processPendingChanges")
    processPendingChanges(propagating: propagatesDeletesAtEndOfEvent)
  }

  /// As `processPendingChanges`; a save applies delete rules in any case.
  func processPendingChanges(propagating: Bool) {
    guard !isProcessing else { return }
    isProcessing = true
    defer { isProcessing = false }
    if propagating { propagateDeletes() }
    // Rules whose relationships could not be read act when the event is processed again.
    guard !event.isEmpty, !hasReadError else { return }
    let ended = event
    event = Event()
    eventsEnded += 1
    let undoManager = undoManager
    if let undoManager { registerUndo(of: ended, with: undoManager) }
    let remembered = remember(ended)
    postObjectsDidChange(ended)
    for object in remembered { object.extras?.posted = nil }
    releaseMerged(ended.merged)
    if undoManager != nil { return }
    forget(ended.deleted.filter { $0.isDeleted && $0.neverSaved && $0.registry === registry })
  }

  /// Keeps the values that the next event starts from, before observers change them; an undo needs
  /// those of clean objects too.
  ///
  /// - Returns: the objects that tell observers what changed until the posting is over.
  private func remember(_ ended: Event) -> [NSManagedObject] {
    // A save that fails remembers for itself, and after one that succeeds nothing is changed.
    if isSaving, undoManager == nil { return [] }
    var objects = ended.updated + ended.inserted
    if undoManager != nil {
      objects = (objects + ended.refreshed).filter { $0.isDirty || $0.extras != nil }
    } else {
      objects.removeAll { !$0.isDirty }
    }
    objects.removeAll { !$0.isRealised }
    for object in objects { object.beginNextEvent() }
    return objects
  }

  /// Drops objects that were inserted and deleted without ever being saved.
  func forget(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    let gone = Set(objects)
    changes.removeAll { gone.contains($0) }
    for object in objects {
      object.state.subtract([.inserted, .updated, .deleted, .listed])
      object.detach()
    }
  }

  private func propagateDeletes() {
    if !propagatesDeletesAtEndOfEvent {
      // Events that ended without propagation left their deletions to this save.
      for object in changes where object.isDeleted { propagate(object) }
    }
    var next = 0
    while next < event.deleted.count {
      propagate(event.deleted[next])
      next += 1
    }
  }

  private func propagate(_ object: NSManagedObject) {
    guard object.isDeleted, !object.state.contains(.propagated) else { return }
    if object.state.contains(.inaccessible) { return unlinkMerged(object) }
    object.state.insert(.propagated)
    for slot in object.layout.relationshipSlots { propagate(object, slot) }
    if hasReadError { object.state.remove(.propagated) }
  }

  private func propagate(_ object: NSManagedObject, _ slot: Int) {
    let description = object.layout.slots[slot]
    if description.deleteRule == .noActionDeleteRule { return }
    let others =
      description.kind == .toMany
      ? Array(object.members(slot)) : object.destination(slot).map { [$0] } ?? []
    for other in others where other.isLiving {
      switch description.deleteRule {
      case .cascadeDeleteRule:
        delete(other)
      case .nullifyDeleteRule, .denyDeleteRule:
        // Deny is judged by validation; where it passes there is nobody left to unlink.
        if description.deleteRule == .nullifyDeleteRule, let inverse = description.inverse {
          other.unlinkInverse(inverse, from: object)
        }
      case .noActionDeleteRule: break
      }
    }
  }
}

extension NSManagedObject {
  /// The context that the object belongs to; nil before insertion, after deletion, reset, or the
  /// context's end.
  public var managedObjectContext: NSManagedObjectContext? {
    registry?.owner as? NSManagedObjectContext
  }

  /// Keeps the values at the end of an event, as the old ones of the next.
  func rememberEvent() {
    if hasChanges, isRealised { rememberValues() }
  }

  /// Its deletion was saved: it has no changes and no row, but its context until that was told.
  func beginLeaving() {
    state.subtract([.deleted, .updated, .inserted, .listed, .noted])
    state.insert(.leaving)
  }

  /// Cuts the object off from its context for good; it keeps its id and nothing else.
  func detach() {
    guard let registry else { return }
    _ = objectID
    registry.objects.remove(self)
    registry.retained?.remove(self)
    EngineCounters.add(.liveObjects, -1)
    self.registry = nil
    extras = nil
    dropValues()
    snapshot = nil
    state = .detached
  }
}
