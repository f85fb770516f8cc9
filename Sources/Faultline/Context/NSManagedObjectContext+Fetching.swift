import Foundation

extension NSManagedObjectContext {
  /// The objects, ids or number that a request asks for.
  ///
  /// - Throws: `CocoaError` if the store cannot be read.
  public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    check("fetch(_:)")
    Scheduling.reach(.fetch, request.entityName ?? "")
    if let type = T.self as? NSManagedObject.Type { registerClass(type, request.entityName) }
    let plan = plan(request)
    switch request.resultType {
    case .countResultType: return [try NSNumber(value: number(of: plan)) as! T]
    case .managedObjectIDResultType:
      return try fetchNames(plan).map { id(of: $0) as! T }
    default: break
    }
    let loading = FetchLoading(
      values: request.includesPropertyValues || !request.returnsObjectsAsFaults,
      realises: !request.returnsObjectsAsFaults, batchSize: request.fetchBatchSize,
      branches: RelationshipBranch.tree(
        request.relationshipKeyPathsForPrefetching ?? [], of: plan.layout))
    return try cast(fetchObjects(plan, loading))
  }

  /// The number of objects that a request would result in; realises none.
  ///
  /// - Throws: `CocoaError` if the store cannot be read.
  public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    check("count(for:)")
    Scheduling.reach(.fetch, request.entityName ?? "")
    return try number(of: plan(request))
  }

  /// Objects as the class that was asked for; objects of another class stop.
  func cast<T>(_ objects: [NSManagedObject]) -> [T] {
    // Every object is of its entity's class, so one look decides for all of a kind.
    if T.self is AnyClass, Set(objects.lazy.map { ObjectIdentifier($0.layout) }).count <= 1,
      objects.first.map({ $0 is T }) ?? true
    {
      return unsafeBitCast(objects, to: [T].self)
    }
    return objects.map { object in
      guard let result = object as? T else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: a fetch of \(object.layout.name) was asked for \(T.self), "
            + "but its "
            + "objects are of class \(type(of: object)).")
      }
      return result
    }
  }

  private func registerClass(_ type: NSManagedObject.Type, _ entityName: String?) {
    guard type != NSManagedObject.self, let entityName,
      let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName],
      entity.layout.isRepresented(by: type)
    else { return }
    entity.layout.register(type)
  }

  /// A request resolved against the model.
  func plan<T>(_ request: NSFetchRequest<T>) -> FetchPlan {
    guard let model = persistentStoreCoordinator?.managedObjectModel else {
      ProgrammerError.stop(
        "NSInternalInconsistencyException: \(ownerName) has no coordinator and cannot fetch; set "
          + "persistentStoreCoordinator or parent.")
    }
    let named = request.entityName.flatMap { model.entitiesByName[$0] }
    let ofClass =
      request.entityName == nil ? request.objectClass.map { model.entity(for: $0) } : nil
    guard let layout = (named ?? ofClass)?.layout else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: executeFetchRequest:error: A fetch request must have an "
          + "entity; "
          + "\(request.entityName ?? "none") is not in the model.")
    }
    return FetchPlan(
      layout: layout, includesSubentities: request.includesSubentities,
      predicate: request.predicate,
      order: SortTerm.terms(request.sortDescriptors, layout: layout), limit: request.fetchLimit,
      offset: request.fetchOffset, includesPendingChanges: request.includesPendingChanges,
      refreshesRegistered: request.shouldRefreshRefetchedObjects, stores: request.storesToAsk)
  }

  /// The objects of a plan: what the parent store has, with this context's unsaved changes on top.
  ///
  /// 1. Without unsaved changes of the entity, the parent store's answer is the answer.
  /// 2. Otherwise it is asked for all matches, without limit and offset.
  /// 3. Changed and deleted objects are taken out, changed and inserted ones that match put in.
  /// 4. The whole is sorted in memory, then offset and limit apply.
  func fetchObjects(
    _ plan: FetchPlan, _ loading: FetchLoading = FetchLoading()
  ) throws -> [NSManagedObject] {
    let dirty = pending(in: plan)
    if dirty.isEmpty {
      if loading.batchSize > 0, loading.values, !loading.realises, !plan.refreshesRegistered {
        return try pagedObjects(plan, loading)
      }
      let objects = try parentObjects(plan, loading)
      try prefetch(loading.branches, of: objects)
      return objects
    }
    var whole = plan  // 2
    whole.limit = 0
    whole.offset = 0
    let stored = try parentObjects(whole, FetchLoading(realises: loading.realises))
    var result = stored.filter { !$0.hasChanges }  // 3
    result += dirty.filter { !$0.isDeleted && plan.matches($0) }
    if !plan.order.isEmpty { result = result.sorted { plan.precedes($0, $1) ?? false } }  // 4
    result = plan.page(result)
    try prefetch(loading.branches, of: result)
    return result
  }

  /// The records of a plan; makes no objects if nothing is unsaved.
  func fetchNames(_ plan: FetchPlan) throws -> [RecordName] {
    if pending(in: plan).isEmpty { return try parentStore(for: "a fetch").names(plan) }
    return try fetchObjects(plan).map { ($0.layout, $0.key) }
  }

  private func id(of name: RecordName) -> NSManagedObjectID {
    let key = forwarding.isEmpty ? name.key : forwarding[name.key] ?? name.key
    if let known = registered(name.layout, key) { return known.objectID }
    return key < 0
      ? NSManagedObjectID(temporaryFor: name.layout, key: key)
      : permanentID(layout: name.layout, key: key)
  }

  private func pending(in plan: FetchPlan) -> [NSManagedObject] {
    plan.includesPendingChanges ? changes.filter { isPending($0, in: plan) } : []
  }

  private func isPending(_ object: NSManagedObject, in plan: FetchPlan) -> Bool {
    object.hasChanges && plan.admits(object.layout)
      && (plan.stores == nil || store(of: object).map(plan.asks) == true)
  }

  private func parentObjects(
    _ plan: FetchPlan, _ loading: FetchLoading
  ) throws -> [NSManagedObject] {
    let parent = parentStore(for: "a fetch")
    guard loading.values else {
      return try parent.names(plan).map { object($0.layout, $0.key) }
    }
    var objects: [NSManagedObject] = []
    var rows = try parent.rows(plan)
    objects.reserveCapacity(rows.count)
    for index in rows.indices {
      objects.append(
        object(of: &rows[index], plan, realises: loading.realises))
    }
    return objects
  }

  private func object(
    of row: inout LoadedRow, _ plan: FetchPlan, realises: Bool
  ) -> NSManagedObject {
    let layout = row.layout(in: plan.layout)
    guard let known = registered(layout, row.key) else {
      let object = make(layout, key: row.key)
      object.snapshot = row.take()
      if realises { realise(object) }
      return object
    }
    if !known.isRealised {
      known.snapshot = row.take()
    } else if plan.refreshesRegistered {
      refresh(known, to: row.take())
    }
    if realises { realise(known) }
    return known
  }

  /// The number of results of a plan.
  func number(of plan: FetchPlan) throws -> Int {
    let isDirty =
      plan.includesPendingChanges && changes.contains { isPending($0, in: plan) }
    if isDirty { return try fetchObjects(plan).count }
    let all = max(0, try parentStore(for: "a count").count(plan) - plan.offset)
    return plan.limit > 0 ? min(all, plan.limit) : all
  }

}

extension NSFetchRequest {
  /// What the request finds in the context whose `perform` or `performAndWait` block is running.
  ///
  /// - Throws: `CocoaError` if the store cannot be read.
  public func execute() throws -> [ResultType] {
    guard let context = NSManagedObjectContext.current else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: execute() of a fetch request needs to know its context: call "
          + "it inside perform or performAndWait, or call fetch(_:) of the context.")
    }
    return try context.fetch(self)
  }
}

extension FetchPlan {
  /// Whether one object stands before another; nil if the order makes no difference.
  func precedes(_ left: NSManagedObject, _ right: NSManagedObject) -> Bool? {
    for term in order {
      switch SortTerm.compare(left.peek(term.slot), right.peek(term.slot)) {
      case .orderedSame: continue
      case .orderedAscending: return term.ascending
      case .orderedDescending: return !term.ascending
      }
    }
    return nil
  }
}

extension NSManagedObject {
  /// A value for sorting: from the object, or from the row of a fault, without fulfilling it.
  fileprivate func peek(_ slot: Int) -> Value {
    isRealised ? current(slot) : snapshot?[slot] ?? .null
  }

  /// A request for the objects of this class's entity.
  @_disfavoredOverload
  public class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.objectClass = self
    return request
  }
}

extension NSFetchRequestResult where Self: NSManagedObject {
  /// A request for the objects of this class's entity, typed.
  public static func fetchRequest() -> NSFetchRequest<Self> {
    let request = NSFetchRequest<Self>()
    request.objectClass = self
    return request
  }
}
