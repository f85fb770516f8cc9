import Foundation

extension NSManagedObjectContext: ObjectOwner {
  var ownerName: String {
    let kind = concurrencyType == .mainQueueConcurrencyType ? "main-queue" : "private-queue"
    return "\(kind) context \"\(name ?? queue.label)\""
  }

  /// What the context reads from; without one, nothing can be fetched or saved.
  func parentStore(for operation: String) -> any ParentStore {
    switch parentLink {
    case .coordinator(let coordinator): return pin?.generation ?? coordinator
    case .context(let parent): return parent
    case .none:
      ProgrammerError.stop(
        "NSInternalInconsistencyException: \(ownerName) has no coordinator and no parent, and "
          + "cannot perform "
          + "\(operation); set persistentStoreCoordinator or parent.")
    }
  }

  // MARK: Finding objects

  /// The objects that the context knows, unchanged ones only while somebody holds them.
  public var registeredObjects: Set<NSManagedObject> {
    check("registeredObjects")
    return Set(registry.objects.members())
  }

  /// The registered object with an id, or nil; reads nothing.
  public func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    check("registeredObject(for:)")
    return registered(objectID.layout, objectID.key)
  }

  /// The registered object with an id, or a new fault; reads nothing, so a wrong id shows only
  /// later.
  public func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    check("object(with:)")
    refuseForeignStore(objectID)
    return object(objectID.layout, objectID.key, id: objectID)
  }

  /// The object with an id, its values loaded.
  ///
  /// - Throws: `CocoaError` 133000 if there is no such record.
  public func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    check("existingObject(with:)")
    if isForeign(objectID) { throw Self.noRecord(objectID) }
    let known = registered(objectID.layout, objectID.key)
    if let known, known.isRealised, !known.isDeleted { return known }
    let parent = parentStore(for: "existingObject(with:)")
    guard known?.isDeleted != true,
      let row = try parent.row(objectID.layout, key: objectID.key, ageMax: stalenessInterval)
    else {
      throw Self.noRecord(objectID)
    }
    let object = register(row)
    realise(object)
    return object
  }

  private static func noRecord(_ id: NSManagedObjectID) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError),
      userInfo: [
        "objectID": id, NSAffectedObjectsErrorKey: [id],
        NSLocalizedDescriptionKey: "There is no record with the id \(id.description).",
      ])
  }

  /// Whether no store of the coordinator has the records of an id's store.
  private func isForeign(_ id: NSManagedObjectID) -> Bool {
    guard !id.isTemporaryID, let coordinator = persistentStoreCoordinator else { return false }
    return !coordinator.persistentStores.contains { $0.identifier == id.store?.uuid }
  }

  private func refuseForeignStore(_ id: NSManagedObjectID) {
    guard !id.isTemporaryID, let coordinator = persistentStoreCoordinator else { return }
    _ = coordinator.store(of: id)
  }

  /// The registered object of a record; a key that a save replaced finds the object under its new
  /// one.
  func registered(_ layout: EntityLayout, _ key: Int64) -> NSManagedObject? {
    if let object = registry.objects.member(table: layout.rootNumber, key: key) { return object }
    guard key < 0, let permanent = forwarding[key] else { return nil }
    return registry.objects.member(table: layout.rootNumber, key: permanent)
  }

  /// The registered object of a record, or a new fault.
  func object(_ layout: EntityLayout, _ key: Int64, id: NSManagedObjectID? = nil) -> NSManagedObject
  {
    if let object = registered(layout, key) { return object }
    let object = make(layout, key: forwarding[key] ?? key)
    if let id, id.key == object.key { object.idStorage = id }
    return object
  }

  /// The object of a row, which has the row at hand if it is a fault.
  func register(_ row: Snapshot) -> NSManagedObject {
    let object = object(row.layout, row.key)
    if !object.isRealised { object.snapshot = row }
    return object
  }

  /// Makes and registers the object of a record that has none here yet; it is a fault.
  ///
  /// - Parameter isCounted: whether it is counted here and not together with others.
  func make(_ layout: EntityLayout, key: Int64, isCounted: Bool = true) -> NSManagedObject {
    let object = objectClass(layout).init(entity: layout.entity, insertInto: nil)
    object.key = key
    enter(object, isCounted: isCounted)
    return object
  }

  /// Registers an object under its key.
  func enter(_ object: NSManagedObject, isCounted: Bool = true) {
    object.registry = registry
    // Asked for once and not retained, as the context holds it: each look would be counted.
    Unmanaged.passUnretained(registry!)._withUnsafeGuaranteedRef { registry in
      Unmanaged.passUnretained(registry.objects)._withUnsafeGuaranteedRef { _ = $0.insert(object) }
      if registry.retained != nil { registry.retained?.insert(object) }
    }
    if isCounted { EngineCounters.add(.liveObjects) }
  }

  private func objectClass(_ layout: EntityLayout) -> NSManagedObject.Type {
    if let latestClass, latestClass.layout == ObjectIdentifier(layout) { return latestClass.type }
    let found = layout.objectClass
    latestClass = (ObjectIdentifier(layout), found)
    return found
  }

  // MARK: What objects ask

  func permanentID(layout: EntityLayout, key: Int64) -> NSManagedObjectID {
    guard let identity = persistentStoreCoordinator?.identity(forKey: key) else {
      ProgrammerError.impossible("a permanent key of a store that the coordinator never had")
    }
    return NSManagedObjectID(layout: layout, store: identity, key: key)
  }

  /// Makes the id of an object that was never asked for it, before the context that knows the
  /// store goes.
  func keepID(of object: NSManagedObject) {
    guard object.idStorage == nil, object.key > 0,
      let identity = persistentStoreCoordinator?.identity(forKey: object.key)
    else { return }
    object.idStorage = NSManagedObjectID(layout: object.layout, store: identity, key: object.key)
  }

  func destination(_ reference: Value, slot: Slot) -> NSManagedObject {
    switch reference {
    // What was deleted and saved has no context; its record may have come back since.
    case .object(let object) where object.state.contains(.detached):
      return self.object(object.layout, object.key)
    case .object(let object): return object
    case .key(let key): return object(slot.destination, key)
    case .id(let id): return object(id.layout, id.key)
    case .null, .integer, .double, .string, .data, .boxed, .toMany:
      ProgrammerError.impossible("slot \(slot.name) refers to something that is no record")
    }
  }

  func loadMembers(of object: NSManagedObject, slot: Int) -> [NSManagedObject]? {
    Scheduling.reach(.fault, object.layout.name)
    EngineCounters.add(.faultsFired)
    do {
      let names = try parentStore(for: "the fulfilment of a relationship fault")
        .members(object.layout, key: object.key, slot: slot)
      return names.map { self.object($0.layout, $0.key) }.filter { object.counts($0, slot) }
    } catch {
      if keepReadError(error) { return nil }
      ProgrammerError.stop(
        "NSObjectInaccessibleException: the relationship \(object.layout.slots[slot].name) of "
          + "\(object.shortDescription) could not be read: \(error.localizedDescription)")
    }
  }

  func fulfill(_ object: NSManagedObject, triggeredBy slot: Int?) {
    if !fulfill(object) { missingRow(object, triggeredBy: slot) }
  }

  /// Loads the values of an object if it is a fault; false if its row is gone.
  func fulfill(_ object: NSManagedObject) -> Bool {
    if object.isRealised { return true }
    Scheduling.reach(.fault, object.layout.name)
    EngineCounters.add(.faultsFired)
    do {
      if object.snapshot == nil, let page = object.extras as? FaultPage {
        try load(page, for: object)
        if object.shareSnapshot() {
          awaken(object)
          return true
        }
      }
      if hasCurrentRow(object), object.shareSnapshot() {
        awaken(object)
        return true
      }
      let row = try parentStore(for: "the fulfilment of a fault")
        .row(object.layout, key: object.key, ageMax: stalenessInterval)
      guard let row else { return false }
      realise(object, row)
      return true
    } catch {
      ProgrammerError.stop(
        "NSObjectInaccessibleException: CoreData could not fulfill a fault for "
          + "'\(object.shortDescription)': \(error.localizedDescription)")
    }
  }

  /// Whether the row that a fault has at hand is still the one of the row cache: what a root
  /// context that is not pinned would get from its store, without asking.
  private func hasCurrentRow(_ object: NSManagedObject) -> Bool {
    guard object.snapshot?.isCached == true, pin == nil, Scheduling.hook == nil,
      stalenessInterval < 0, case .coordinator = parentLink
    else { return false }
    return true
  }

  /// Loads the values of a fault, from the row it has at hand if it has one.
  func realise(_ object: NSManagedObject) {
    if object.isRealised { return }
    guard object.shareSnapshot() else { return object.fulfill(triggeredBy: nil) }
    awaken(object)
  }

  /// Installs a row's values and wakes the object.
  func realise(_ object: NSManagedObject, _ row: Snapshot) {
    object.share(row)
    awaken(object)
  }

  private func awaken(_ object: NSManagedObject) {
    object.extras?.fulfilled(object)
    let wasUntracked = object.state.contains(.untracked)
    object.state.insert(.untracked)
    object.awakeFromFetch()
    if !wasUntracked { object.state.remove(.untracked) }
  }

  private func missingRow(_ object: NSManagedObject, triggeredBy slot: Int?) {
    let property = slot.map { object.layout.slots[$0].property }
    guard shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: property)
    else {
      ProgrammerError.stop(
        "NSObjectInaccessibleException: CoreData could not fulfill a fault for "
          + "'\(object.shortDescription)': its row is gone from the store.")
    }
    makeInaccessible(object)
    endEventWithTurn()
  }

  /// Turns an object whose row is gone into a deleted one that reads nil everywhere.
  func makeInaccessible(_ object: NSManagedObject) {
    _ = object.ownValues()
    object.extras = nil
    object.state.formUnion([.inaccessible, .deleted, .propagated])
    object.state.subtract([.updated])
    list(object)
    event.deleted.append(object)
  }
}
