import Foundation

/// A parent store that answers from a coordinator's stores: from their last commits, or from a
/// generation.
///
/// A fetch asks every store that may hold the entity and puts the answers together in the order of
/// its sort descriptors; limit and offset cut the whole. A key leads to one store.
protocol StoreReading: ParentStore {
  /// The coordinator.
  var coordinator: NSPersistentStoreCoordinator { get }
  /// A store in the state that is read.
  func view(of store: NSPersistentStore) throws -> StoreView
}

extension StoreReading {
  func rows(_ plan: FetchPlan) throws -> [LoadedRow] {
    let stores = coordinator.stores(for: plan)
    if stores.count == 1 { return try view(of: stores[0]).rows(plan) }
    let part = plan.part
    var all: [Snapshot] = []
    for store in stores {
      var rows = try view(of: store).rows(part)
      all += rows.indices.map { rows[$0].take() }
    }
    if !plan.order.isEmpty { all = try sorted(all, by: plan.order) }
    return plan.page(all).map { LoadedRow($0) }
  }

  func rowsInParts(_ plan: FetchPlan) throws -> LoadedRows {
    let stores = coordinator.stores(for: plan)
    guard stores.count == 1 else { return LoadedRows(try rows(plan)) }
    return try view(of: stores[0]).rowsInParts(plan)
  }

  func names(_ plan: FetchPlan) throws -> [RecordName] {
    let stores = coordinator.stores(for: plan)
    if stores.count == 1 { return try view(of: stores[0]).names(plan) }
    // Without the rows the answers of several stores could not be put in order.
    if !plan.order.isEmpty {
      return try rows(plan).map { RecordName($0.layout(in: plan.layout), $0.key) }
    }
    var all: [RecordName] = []
    for store in stores { all += try view(of: store).names(plan.part) }
    return plan.page(all)
  }

  /// The rows of several stores follow each other; each store sorts and groups its own.
  func table(_ plan: FetchPlan, _ projection: FetchProjection) throws -> [[Value]] {
    let stores = coordinator.stores(for: plan)
    if stores.count == 1 { return try view(of: stores[0]).table(plan, projection) }
    return plan.page(try stores.flatMap { try view(of: $0).table(plan.part, projection) })
  }

  func count(_ plan: FetchPlan) throws -> Int {
    try coordinator.stores(for: plan).reduce(0) { try $0 + view(of: $1).count(plan) }
  }

  func row(_ layout: EntityLayout, key: Int64, ageMax: TimeInterval) throws -> Snapshot? {
    guard key > 0, let store = coordinator.store(forKey: key) else { return nil }
    return try view(of: store).row(layout, key: key, ageMax: ageMax)
  }

  func rows(_ layout: EntityLayout, keys: [Int64]) throws -> [LoadedRow] {
    let parts = byStore(keys)
    if parts.count == 1 { return try view(of: parts[0].store).rows(layout, keys: parts[0].keys) }
    return try parts.flatMap { try view(of: $0.store).rows(layout, keys: $0.keys) }
  }

  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName] {
    guard key > 0, let store = coordinator.store(forKey: key) else { return [] }
    return try view(of: store).members(layout, key: key, slot: slot)
  }

  func memberRows(_ layout: EntityLayout, keys: [Int64], slot: Int) throws -> [MemberRow] {
    try byStore(keys).flatMap {
      try view(of: $0.store).memberRows(layout, keys: $0.keys, slot: slot)
    }
  }

  /// Rows in an order; the values of each are looked up once.
  private func sorted(_ rows: [Snapshot], by terms: [SortTerm]) throws -> [Snapshot] {
    let columns = try terms.map { try values(of: rows, $0.slots) }
    return rows.indices.sorted { left, right in
      for (term, values) in zip(terms, columns) {
        if let answer = term.precedes(values[left], values[right]) { return answer }
      }
      return false
    }.map { rows[$0] }
  }

  /// What rows of one entity have at the end of a path through to-one relationships.
  private func values(of rows: [Snapshot], _ path: [Int]) throws -> [Value] {
    let ends = try path.dropLast().reduce(rows as [Snapshot?]) { try destinations(of: $0, $1) }
    return ends.map { end in path.last.flatMap { end?[$0] } ?? .null }
  }

  /// Where a to-one relationship of each row leads: the newest rows, read at once.
  private func destinations(of rows: [Snapshot?], _ slot: Int) throws -> [Snapshot?] {
    let keys = rows.map { $0?[slot].referenceKey }
    var found: [Int64: Snapshot] = [:]
    if let destination = rows.lazy.compactMap({ $0 }).first?.layout.slots[slot].destination {
      for var row in try self.rows(destination, keys: Array(Set(keys.compactMap { $0 }))) {
        found[row.key] = row.take()
      }
    }
    return keys.map { $0.flatMap { found[$0] } }
  }

  /// The permanent ones of some keys, by the store that they lead to.
  private func byStore(_ keys: [Int64]) -> [(store: NSPersistentStore, keys: [Int64])] {
    // Most coordinators have one store, and a page of faults comes here for each hundred rows.
    if let first = keys.first, first > 0 {
      let number = RecordKey.store(first)
      if keys.allSatisfy({ RecordKey.store($0) == number }) {
        return coordinator.store(forKey: first).map { [($0, keys)] } ?? []
      }
    }
    let numbers = Dictionary(grouping: keys.filter { $0 > 0 }, by: RecordKey.store)
    return numbers.sorted { $0.key < $1.key }.compactMap { _, keys in
      coordinator.store(forKey: keys[0]).map { ($0, keys) }
    }
  }
}

extension FetchPlan {
  /// What one of several stores is asked for: everything that can get onto the page.
  fileprivate var part: FetchPlan {
    var part = self
    part.offset = 0
    part.limit = end()
    return part
  }
}

extension NSPersistentStoreCoordinator: StoreReading {
  var coordinator: NSPersistentStoreCoordinator { self }

  func view(of store: NSPersistentStore) -> StoreView { StoreView(store: store, held: nil) }

  /// The stores that a fetch asks.
  func stores(for plan: FetchPlan) -> [NSPersistentStore] {
    let stores = stores(for: "a fetch")
    if stores.count == 1, plan.stores == nil, stores[0].holdsAll { return stores }
    return stores.filter { store in
      plan.asks(store) && store.database.schema.holds(plan.layout)
    }
  }
}
