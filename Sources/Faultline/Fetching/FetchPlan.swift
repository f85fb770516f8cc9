import Foundation

/// A fetch request resolved against a model: what both the store and a parent context can answer.
struct FetchPlan {
  /// The entity.
  let layout: EntityLayout
  /// Whether objects of sub-entities are included.
  let includesSubentities: Bool
  /// What the objects must satisfy; nil admits all.
  var predicate: NSPredicate?
  /// The order.
  var order: [SortTerm]
  /// The most results; 0 means without limit.
  var limit: Int
  /// How many results to leave out at the beginning.
  var offset: Int
  /// Whether unsaved changes of the answering context count.
  var includesPendingChanges: Bool
  /// Whether found values replace those of objects already registered.
  let refreshesRegistered: Bool
  /// The stores to ask; nil means all.
  var stores: [AnyObject]?

  /// Whether a store is one that the plan asks.
  func asks(_ store: AnyObject) -> Bool { stores?.contains { $0 === store } ?? true }

  /// Whether it asks for every record of a table, in any order.
  var isWholeTable: Bool {
    predicate == nil && order.isEmpty && limit == 0 && offset == 0 && !layout.isPolymorphic
  }

  /// The part of an ordered result that offset and limit leave.
  func page<Element>(_ all: [Element]) -> [Element] {
    let start = min(offset, all.count)
    let end = limit > 0 ? min(self.end(), all.count) : all.count
    return start == 0 && end == all.count ? all : Array(all[start..<end])
  }

  /// Whether an object satisfies the predicate with the values it has in memory.
  func matches(_ object: NSManagedObject, _ lists: ConstantLists? = nil) -> Bool {
    predicate.map { Evaluation(object, lists: lists).holds($0) } ?? true
  }

  /// The number of results up to the end of the page, and some more; 0 means all.
  func end(after more: Int = 0) -> Int {
    if limit <= 0 { return 0 }
    return [offset, limit, more].reduce(0) { $0 > .max - $1 ? .max : $0 + $1 }
  }

  /// Whether an object's entity is one that the plan asks for.
  func admits(_ layout: EntityLayout) -> Bool {
    layout === self.layout
      || (includesSubentities && self.layout.family.contains { $0.layout === layout })
  }
}
