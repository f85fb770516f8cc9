// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The option that keeps a history of every save and batch request in the store.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

extension NSPersistentStoreCoordinator {
  /// The newest place in the histories of stores, of all if none are named; nil if none of them
  /// keeps a history.
  public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken?
  {
    var numbers: [String: Int64] = [:]
    for store in (stores as? [NSPersistentStore]) ?? persistentStores {
      let number = try? store.database.readHistory { try History.newest($0.connection) }
      if let number { numbers[store.identityRecord.uuid] = number }
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
  }

  /// The stores whose histories a request concerns.
  ///
  /// - Throws: 134091 if it names one without a history, or if there is none with one.
  func stores(for request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentStore] {
    let asked = request.affectedStores ?? stores(for: "a request for history")
    let keeping = asked.filter { $0.database.history != nil }
    if keeping.isEmpty || request.affectedStores != nil && keeping.count < asked.count {
      throw StoreError.noHistory(asked.first?.url)
    }
    return keeping
  }
}
