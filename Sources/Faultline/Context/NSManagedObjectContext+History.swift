import Foundation

/// Requests for the history of stores. They see what is committed, whatever the context is pinned
/// to and whatever it has not saved.
extension NSManagedObjectContext {
  /// Fetches or deletes history.
  func run(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
    guard let coordinator = persistentStoreCoordinator else {
      ProgrammerError.stop(
        "NSInternalInconsistencyException: \(ownerName) has no coordinator and cannot perform a "
          + "request for history; set persistentStoreCoordinator or parent.")
    }
    let stores = try coordinator.stores(for: request)
    switch request.purpose {
    case .delete:
      let count = try stores.reduce(0) { try $0 + delete(request, in: $1) }
      return NSPersistentHistoryResult(
        request.resultType == .count ? count : true, request.resultType)
    case .fetch:
      let found = try stores.flatMap { try fetch(request, in: $0) }
      return NSPersistentHistoryResult(
        Self.result(found, request.resultType, of: request), request.resultType)
    }
  }

  private func delete(
    _ request: NSPersistentHistoryChangeRequest, in store: NSPersistentStore
  ) throws -> Int {
    if store.isReadOnly { throw StoreError.readOnly(store.url) }
    guard let end = request.start(in: store.identityRecord.uuid),
      let history = store.database.history
    else { return 0 }
    return try store.database.write { transaction in
      try HistoryReader(
        connection: transaction.connection, database: store.database, history: history
      ).delete(before: end)
    }
  }

  private func fetch(
    _ request: NSPersistentHistoryChangeRequest, in store: NSPersistentStore
  ) throws -> [NSPersistentHistoryTransaction] {
    let start = request.start(in: store.identityRecord.uuid)
    let description = request.fetchRequest
    let wantsChanges: Bool =
      switch request.resultType {
      case .objectIDs, .changesOnly, .transactionsAndChanges: true
      case .statusOnly, .count, .transactionsOnly: request.isAboutChanges
      }
    let found =
      try store.database.readHistory {
        try $0.transactions(after: start, withChanges: wantsChanges)
      } ?? []
    guard let description else { return found }
    return HistoryFilter(description, storeID: store.identityRecord.uuid).filter(found)
  }

  private static func result(
    _ found: [NSPersistentHistoryTransaction], _ type: NSPersistentHistoryResultType,
    of request: NSPersistentHistoryChangeRequest
  ) -> Any {
    switch type {
    case .statusOnly: return true
    case .count:
      return request.isAboutChanges
        ? found.reduce(0) { $0 + ($1.changes?.count ?? 0) } : found.count
    case .objectIDs:
      var seen: Set<NSManagedObjectID> = []
      let all = found.flatMap { ($0.changes ?? []).map(\.changedObjectID) }
      return all.filter { seen.insert($0).inserted }
    case .changesOnly: return found.flatMap { $0.changes ?? [] }
    case .transactionsOnly, .transactionsAndChanges: return found
    }
  }
}

extension NSPersistentHistoryTransaction {
  /// What the transaction did, as a notification of a save that `mergeChanges(fromContextDidSave:)`
  /// takes; the changes must have been fetched.
  public func objectIDNotification() -> Notification {
    var sets: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
    for change in changes ?? [] {
      sets[change.changeType, default: []].insert(change.changedObjectID)
    }
    var info: [AnyHashable: Any] = [:]
    info[NSInsertedObjectIDsKey] = sets[.insert]
    info[NSUpdatedObjectIDsKey] = sets[.update]
    info[NSDeletedObjectIDsKey] = sets[.delete]
    return Notification(
      name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil, userInfo: info)
  }

  /// The entity by which fetch requests describe transactions.
  public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription?
  { entityDescription }
}

extension NSPersistentHistoryChange {
  /// The entity by which fetch requests describe changes.
  public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription?
  { entityDescription }
}
