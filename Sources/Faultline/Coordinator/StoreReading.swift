/// A parent store that answers from a coordinator's stores: from their last commits, or from a
/// generation.
protocol StoreReading: ParentStore {
  /// The stores to read; without any, nothing can be read, which stops.
  func stores(for operation: String) -> [NSPersistentStore]
  /// A store in the state that is read.
  func view(of store: NSPersistentStore) throws -> StoreView
}

extension StoreReading {
  func rows(_ plan: FetchPlan) throws -> [LoadedRow] {
    try view(of: stores(for: "a fetch")[0]).rows(plan)
  }

  func names(_ plan: FetchPlan) throws -> [RecordName] {
    try view(of: stores(for: "a fetch")[0]).names(plan)
  }

  func count(_ plan: FetchPlan) throws -> Int {
    try view(of: stores(for: "a count")[0]).count(plan)
  }

  func row(_ layout: EntityLayout, key: Int64, isFresh: Bool) throws -> Snapshot? {
    if key < 0 { return nil }
    return try view(of: stores(for: "the fulfilment of a fault")[0])
      .row(layout, key: key, isFresh: isFresh)
  }

  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName] {
    if key < 0 { return [] }
    return try view(of: stores(for: "the fulfilment of a relationship fault")[0])
      .members(layout, key: key, slot: slot)
  }
}

extension NSPersistentStoreCoordinator: StoreReading {
  func stores(for operation: String) -> [NSPersistentStore] {
    let stores = persistentStores
    if stores.isEmpty { _ = store(for: operation) }
    return stores
  }

  func view(of store: NSPersistentStore) -> StoreView { StoreView(store: store, held: nil) }
}
