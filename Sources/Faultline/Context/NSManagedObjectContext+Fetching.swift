import Foundation

extension NSManagedObjectContext {
  /// The objects, ids or number that a request asks for.
  ///
  /// - Throws: `CocoaError` if the store cannot be read.
  public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    check("fetch(_:)")
    Scheduling.reach(.fetch, request.entityName ?? "")
    if let type = T.self as? NSManagedObject.Type { registerClass(type, request.entityName) }
    return try results(of: question(request))
  }

  /// The number of objects that a request would result in; realises none.
  ///
  /// - Throws: `CocoaError` if the store cannot be read.
  public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    check("count(for:)")
    Scheduling.reach(.fetch, request.entityName ?? "")
    if request.resultType == .dictionaryResultType {
      return try (results(of: question(request)) as [NSDictionary]).count
    }
    return try number(of: plan(request))
  }

  /// Objects of one table as the class that was asked for; objects of another class stop.
  func cast<T>(_ objects: [NSManagedObject]) -> [T] {
    // Every object is of its entity's class, so one look decides for all of a kind.
    let first = objects.first
    if T.self is AnyClass, first.map({ $0 is T }) ?? true,
      first?.layout.isPolymorphic != true || objects.allSatisfy({ $0.layout === first?.layout })
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
      let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
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
      offset: max(0, request.fetchOffset), includesPendingChanges: request.includesPendingChanges,
      refreshesRegistered: request.shouldRefreshRefetchedObjects, stores: request.storesToAsk)
  }

  /// A request with everything that the context has to say about it.
  func question<T>(_ request: NSFetchRequest<T>) -> FetchQuestion {
    if let type = T.self as? NSManagedObject.Type { registerClass(type, request.entityName) }
    let plan = plan(request)
    let loading = FetchLoading(
      values: request.includesPropertyValues || !request.returnsObjectsAsFaults,
      realises: !request.returnsObjectsAsFaults,
      batchSize: plan.refreshesRegistered ? 0 : request.fetchBatchSize,
      branches: RelationshipBranch.tree(
        request.relationshipKeyPathsForPrefetching ?? [], of: plan.layout))
    return FetchQuestion(
      plan: plan, resultType: request.resultType, loading: loading,
      projection: projection(request, plan.layout))
  }

  /// What a question results in: what the parent store has, with this context's unsaved changes on
  /// top.
  ///
  /// 1. Without unsaved changes of the entity, the parent store's answer is the answer.
  /// 2. Otherwise it is asked for the rows of all matches up to the end of the page, and for as
  ///    many more as the next step can take out.
  /// 3. Changed and deleted objects are taken out, changed and inserted ones that match put in.
  /// 4. The whole is sorted in memory, then offset and limit apply.
  ///
  /// - Parameter known: what the parent store answered a while ago, if it was asked before.
  func results<T>(of question: FetchQuestion, known: FetchAnswer? = nil) throws -> [T] {
    let plan = question.plan
    let dirty = question.projection == nil ? pending(in: plan) : []
    if dirty.isEmpty {
      let answer =
        try known ?? question.ask(parentStore(for: "a fetch"), inParts: true)  // 1
      switch (answer, question.resultType) {
      case (.count(let count), _): return [NSNumber(value: plan.paged(count)) as! T]
      case (.names(let names), .managedObjectIDResultType): return names.map { id(of: $0) as! T }
      case (.names(let names), _): return try cast(faults(names, question))
      case (.table(let rows), _): return dictionaries(rows, question).map { $0 as! T }
      case (.rows(let rows), _):
        let objects = try objects(of: rows, question, isLate: known != nil)
        try prefetch(question.loading.branches, of: objects)
        return cast(objects)
      }
    }
    if question.resultType == .countResultType {
      return [NSNumber(value: try number(of: plan)) as! T]
    }
    let objects = try mergedObjects(dirty, question, known: known)
    switch question.resultType {
    case .managedObjectIDResultType: return objects.map { $0.objectID as! T }
    default:
      try prefetch(question.loading.branches, of: objects)
      return cast(objects)
    }
  }

  /// Steps 2 to 4.
  private func mergedObjects(
    _ dirty: [NSManagedObject], _ question: FetchQuestion, known: FetchAnswer?
  ) throws -> [NSManagedObject] {
    var whole = question  // 2
    whole.plan = question.plan.whole(beside: dirty.count)
    let stored: [NSManagedObject]
    if case .rows(let rows)? = known, question.plan.limit == 0, question.plan.offset == 0 {
      stored = try objects(of: rows, whole, isLate: true)
    } else {
      stored = try objects(
        of: parentStore(for: "a fetch").rowsInParts(whole.plan), whole, isLate: false)
    }
    let plan = question.plan
    var result = stored.filter { !$0.hasChanges }  // 3
    result += try matches(plan, among: dirty)
    if !plan.order.isEmpty { result = result.sorted { plan.order.precedes($0, $1) ?? false } }  // 4
    return plan.page(result)
  }

  /// Those that a plan asks for among objects with unsaved changes.
  private func matches(
    _ plan: FetchPlan, among dirty: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    let lists = ConstantLists()
    return try throwingReadErrors { dirty.filter { !$0.isDeleted && plan.matches($0, lists) } }
  }

  /// The objects of a plan.
  func fetchObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
    try results(of: FetchQuestion(plan: plan))
  }

  /// The records of a plan; makes objects only if they must be put in an order because something
  /// is unsaved.
  func fetchNames(_ plan: FetchPlan) throws -> [RecordName] {
    let dirty = pending(in: plan)
    if dirty.isEmpty { return try parentStore(for: "a fetch").names(plan) }
    if !plan.order.isEmpty { return try fetchObjects(plan).map { RecordName($0.layout, $0.key) } }
    // The steps of `results`, without objects.
    let stored = try parentStore(for: "a fetch").names(plan.whole(beside: dirty.count))
      .filter { registered($0.layout, $0.key)?.hasChanges != true }
    let own = try matches(plan, among: dirty)
    return plan.page(stored + own.map { RecordName($0.layout, $0.key) })
  }

  private func id(of name: RecordName) -> NSManagedObjectID {
    let key = forwarding.isEmpty ? name.key : forwarding[name.key] ?? name.key
    if let known = registered(name.layout, key) { return known.objectID }
    return key < 0
      ? NSManagedObjectID(temporaryFor: name.layout, key: key)
      : permanentID(layout: name.layout, key: key)
  }

  /// The objects whose unsaved changes play a part in a plan.
  func pending(in plan: FetchPlan) -> [NSManagedObject] {
    plan.includesPendingChanges ? changes.filter { isPending($0, in: plan) } : []
  }

  private func isPending(_ object: NSManagedObject, in plan: FetchPlan) -> Bool {
    object.hasChanges && isAsked(object, by: plan)
  }

  /// Whether a plan asks for objects like this one, in the store that it is in or will be saved to.
  func isAsked(_ object: NSManagedObject, by plan: FetchPlan) -> Bool {
    plan.admits(object.layout)
      && (plan.stores == nil || store(of: object).map(plan.asks) == true)
  }

  /// The objects of rows.
  ///
  /// - Parameter isLate: whether the rows were read a while ago, so that objects may have newer
  ///   ones.
  private func objects(
    of loaded: LoadedRows, _ question: FetchQuestion, isLate: Bool
  ) throws -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    var run = WeakTable.Run(registry.objects, table: question.plan.layout.rootNumber)
    var made = 0
    // All at once: a count is shared by all threads.
    defer { if made > 0 { EngineCounters.add(.liveObjects, made) } }
    while var rows = try loaded.next() {
      let start = objects.count
      if start == 0 { objects.reserveCapacity(rows.count) }
      for index in rows.indices {
        if isLate, let known = newer(than: rows[index], question.plan) {
          objects.append(known)
        } else {
          objects.append(object(of: &rows[index], question.plan, &run, &made))
        }
      }
      guard question.loading.realises else { continue }
      objects[start...].forEachHeld { _, object in realise(object) }
      // The user's `awakeFromFetch` may have registered others.
      run.forget()
    }
    return objects
  }

  /// The registered object of a row, if it has a newer one.
  private func newer(than row: LoadedRow, _ plan: FetchPlan) -> NSManagedObject? {
    guard let known = registered(row.layout(in: plan.layout), row.key),
      let snapshot = known.snapshot, snapshot.version > row.version
    else { return nil }
    return known
  }

  private func object(
    of row: inout LoadedRow, _ plan: FetchPlan, _ run: inout WeakTable<NSManagedObject>.Run,
    _ made: inout Int
  ) -> NSManagedObject {
    // A key that the parent context's save may have replaced is negative.
    guard let known = row.key > 0 ? run.member(row.key) : registered(plan.layout, row.key) else {
      let object =
        plan.layout.isPolymorphic
        ? make(row.layout(in: plan.layout), key: row.key, isCounted: false)
        : make(plan.layout, key: row.key, isCounted: false)
      made += 1
      object.snapshot = row.take()
      return object
    }
    if !known.isRealised {
      known.snapshot = row.take()
    } else if plan.refreshesRegistered {
      refresh(known, to: row.take())
      endEventWithTurn()
      // The user's callbacks may have registered objects.
      run.forget()
    }
    return known
  }

  /// The number of results of a plan; makes no objects.
  func number(of plan: FetchPlan) throws -> Int {
    if pending(in: plan).isEmpty {
      return plan.paged(try parentStore(for: "a count").count(plan))
    }
    var unordered = plan
    unordered.order = []
    return try fetchNames(unordered).count
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
  /// What the parent store is asked for beside so many objects with unsaved changes: the page, what
  /// comes before it, and as many more as these can take out.
  fileprivate func whole(beside unsaved: Int) -> FetchPlan {
    var whole = self
    whole.limit = end(after: unsaved)
    whole.offset = 0
    return whole
  }

  /// How many of so many results offset and limit leave.
  fileprivate func paged(_ count: Int) -> Int {
    let rest = max(0, count - offset)
    return limit > 0 ? min(rest, limit) : rest
  }
}

extension NSManagedObject {
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
