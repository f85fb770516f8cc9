import Foundation

/// Batch requests go past every context, straight to the store: one transaction each, without
/// objects, validation, callbacks or notifications. Unsaved changes of this context play no part.
extension NSManagedObjectContext {
  /// Runs a request and answers with an `NSBatchInsertResult`, `NSBatchUpdateResult`,
  /// `NSBatchDeleteResult`, `NSPersistentHistoryResult` or `NSAsynchronousFetchResult`.
  ///
  /// Only an asynchronous fetch is not complete when it returns; that of a fetch is.
  ///
  /// - Throws: `CocoaError`: that of the fetch; of a batch insertion 1570 if a mandatory attribute
  ///   has neither a value nor a default, 1550 if a key names no attribute or a value is of another
  ///   type than its attribute; of another request 134091 if the store is not a
  ///   SQLite store, or keeps no history that is asked for, 134301 if a history token has expired,
  ///   513 if the store is read only, 134180 if SQLite, or a relationship of a record to delete,
  ///   refuses; then nothing happened in that store. Of several stores, those asked before it have
  ///   been written.
  @discardableResult
  public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    check("execute(_:)")
    switch request {
    case let request as NSBatchInsertRequest:
      return NSBatchInsertResult(try run(request), request.resultType)
    case let request as NSBatchUpdateRequest:
      return NSBatchUpdateResult(try run(request), request.resultType)
    case let request as NSBatchDeleteRequest:
      return NSBatchDeleteResult(try run(request), request.resultType)
    case let request as any FetchingRequest: return try request.execute(in: self)
    case let request as NSPersistentHistoryChangeRequest: return try run(request)
    default:
      ProgrammerError.stop(
        "NSInvalidArgumentException: execute(_:) takes fetches and batch requests, not "
          + "\(type(of: request)); save with save().")
    }
  }

  /// Runs a request inside one transaction of each store: of those that a plan asks, or of the one
  /// that takes new records.
  private func run(
    on layout: EntityLayout, _ plan: FetchPlan?, _ request: NSPersistentStoreRequest,
    _ body: (Transaction, NSPersistentStore) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    guard let coordinator = persistentStoreCoordinator else {
      ProgrammerError.stop(
        "NSInternalInconsistencyException: \(ownerName) has no coordinator and cannot perform a "
          + "batch request; set persistentStoreCoordinator or parent.")
    }
    let stores: [NSPersistentStore]
    if var plan {
      plan.stores = request.storesToAsk ?? plan.stores
      stores = coordinator.stores(for: plan)
    } else if let store = request.affectedStores?.first ?? coordinator.defaultStore(for: layout) {
      stores = [store]
    } else {
      throw StoreError.noStore(for: layout.name)
    }
    for store in stores {
      if store.type != NSSQLiteStoreType { throw StoreError.unsupportedRequest(store.type) }
      if store.isReadOnly { throw StoreError.readOnly(store.url) }
    }
    let root = lineage.last ?? self
    let author = lineage.compactMap(\.transactionAuthor).last
    return try stores.reduce(into: BatchOutcome()) { outcome, store in
      let part = try store.database.write { transaction in
        transaction.record(author: author, contextName: root.name)
        return try body(transaction, store)
      }
      coordinator.announceWrite(to: store)
      outcome.count += part.count
      outcome.ids += part.ids
    }
  }

  /// This context, its parent, and so on up to the root context, which speaks to the store: it has
  /// the name in the history, and the author is that of the context nearest to it that has one.
  private var lineage: [NSManagedObjectContext] { [self] + (parent?.lineage ?? []) }

  private func outcome(_ touched: BatchRows, _ store: NSPersistentStore) -> BatchOutcome {
    BatchOutcome(
      count: touched.count,
      ids: touched.rows.map {
        NSManagedObjectID(layout: $0.layout, store: store.identityRecord, key: $0.key)
      })
  }

  // MARK: Delete

  private func run(_ request: NSBatchDeleteRequest) throws -> BatchOutcome {
    if request.isEmpty { return BatchOutcome() }
    let plan = plan(request.fetchRequest)
    return try run(on: plan.layout, plan, request) { transaction, store in
      let isListing = request.resultType == .resultTypeObjectIDs
      return outcome(try transaction.deleteBatch(plan, listing: isListing), store)
    }
  }

  // MARK: Update

  private func run(_ request: NSBatchUpdateRequest) throws -> BatchOutcome {
    let fetch = NSFetchRequest<NSManagedObject>(entityName: request.entityName)
    fetch.predicate = request.predicate
    fetch.includesSubentities = request.includesSubentities
    let plan = plan(fetch)
    let new = newValues(request, plan.layout)
    return try run(on: plan.layout, plan, request) { transaction, store in
      let result = try transaction.updateBatch(
        plan, new, listing: request.resultType == .updatedObjectIDsResultType)
      return outcome(result, store)
    }
  }

  /// What a request sets; an expression without a part in the record is a constant.
  private func newValues(
    _ request: NSBatchUpdateRequest, _ layout: EntityLayout
  ) -> Transaction.Assignments {
    guard let properties = request.propertiesToUpdate, !properties.isEmpty else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: a batch update needs propertiesToUpdate: attributes of "
          + "\(layout.name) and their new values.")
    }
    let record = NSManagedObject(entity: layout.entity, insertInto: nil)
    var slots = SlotSet()
    var computed: [(slot: Int, expression: NSExpression)] = []
    for (property, value) in properties {
      let name = (property.base as? NSPropertyDescription)?.name ?? "\(property.base)"
      guard let slot = layout.index[name], layout.slots[slot].isColumn,
        !layout.slots[slot].isRelationship
      else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: Invalid property (\(layout.name).\(name)) passed to "
            + "propertiesToUpdate: a batch update sets stored attributes only.")
      }
      var value: Any? = value
      if let expression = value as? NSExpression {
        guard case .constant(let constant) = expression.node else {
          computed.append((slot, expression))
          continue
        }
        value = constant
      }
      slots.insert(slot)
      record.setValue(value, forKey: name)
    }
    return Transaction.Assignments(
      row: record.row(key: 0, version: 0), slots: slots,
      computed: computed.sorted { $0.slot < $1.slot })
  }

  // MARK: Insert

  private static let rowsPerReservation = 512

  private func run(_ request: NSBatchInsertRequest) throws -> BatchOutcome {
    guard
      let layout = persistentStoreCoordinator?.managedObjectModel
        .entitiesByName[request.entityName]?.layout
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: a batch insertion needs an entity; \(request.entityName) is "
          + "not in the model.")
    }
    let next = records(request, layout)
    return try run(on: layout, nil, request) { transaction, store in
      var outcome = BatchOutcome()
      while true {
        var rows: [Snapshot] = []
        while rows.count < Self.rowsPerReservation, let record = try next() {
          try record.validateMandatoryAttributes()
          rows.append(record.row(key: try transaction.nextKey(layout), version: 1))
        }
        if rows.isEmpty { return outcome }
        try transaction.keepKeys()
        let touched = try transaction.insertBatch(rows, duplicates)
        outcome.count += touched.count
        if request.resultType == .objectIDs { outcome.ids += self.outcome(touched, store).ids }
        // A block that said it was done is not asked again.
        if rows.count < Self.rowsPerReservation { return outcome }
      }
    }
  }

  /// What the merge policy makes of rows that a uniqueness constraint keeps apart.
  private var duplicates: Transaction.Duplicates {
    switch policy.mergeType {
    case .errorMergePolicyType: .fail
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .keep
    case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: .overwrite
    }
  }

  /// The records of a request one after the other, as objects that belong to no context.
  ///
  /// Dictionaries are all written into one object, whose row is taken before the next.
  private func records(
    _ request: NSBatchInsertRequest, _ layout: EntityLayout
  ) -> () throws -> NSManagedObject? {
    if let fill = request.managedObjectHandler {
      return {
        let record = layout.objectClass.init(entity: layout.entity, insertInto: nil)
        if fill(record) { return nil }
        record.fulfill(triggeredBy: nil)
        for slot in layout.relationshipSlots { record.ownValues()[slot] = .null }
        return record
      }
    }
    let record = NSManagedObject(entity: layout.entity, insertInto: nil)
    if let fill = request.dictionaryHandler {
      return {
        let attributes = NSMutableDictionary()
        if fill(attributes) { return nil }
        try Self.fill(record, attributes.lazy.map { ("\($0.key)", $0.value) })
        return record
      }
    }
    var given = (request.objectsToInsert ?? []).makeIterator()
    return {
      guard let attributes = given.next() else { return nil }
      try Self.fill(record, attributes.lazy.map { ($0.key, $0.value) })
      return record
    }
  }

  /// Gives a record its defaults and what a request has for its attributes.
  ///
  /// - Throws: `CocoaError` 1550 if a key names no attribute, or a value does not fit.
  private static func fill(
    _ record: NSManagedObject, _ attributes: some Sequence<(String, Any)>
  ) throws {
    record.dropValues()
    record.fillWithDefaults()
    for (name, value) in attributes where !record.take(value, forKey: name) {
      throw CocoaError(
        CocoaError.Code(rawValue: NSManagedObjectValidationError),
        userInfo: [
          NSValidationKeyErrorKey: name, NSValidationValueErrorKey: value,
          NSLocalizedDescriptionKey:
            "A batch insertion cannot set \(record.layout.name).\(name): it is no attribute of the "
            + "entity, or not of the type of the value; nothing was inserted.",
        ])
    }
  }
}

extension NSPersistentStoreCoordinator {
  /// Runs a batch request as `NSManagedObjectContext.execute(_:)` does, or a fetch, whose answer is
  /// an array.
  ///
  /// - Throws: `CocoaError` as the context's own methods do.
  @discardableResult
  public func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    if let fetch = request as? any FetchingRequest { return try fetch.found(in: context) }
    return try context.execute(request)
  }
}
