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
  let includesPendingChanges: Bool
  /// Whether found values replace those of objects already registered.
  let refreshesRegistered: Bool
  /// The stores to ask; nil means all.
  var stores: [AnyObject]?

  /// Whether a store is one that the plan asks.
  func asks(_ store: AnyObject) -> Bool { stores?.contains { $0 === store } ?? true }

  /// The part of an ordered result that offset and limit leave.
  func page<Element>(_ all: [Element]) -> [Element] {
    let start = min(offset, all.count)
    let end = limit > 0 ? min(start + limit, all.count) : all.count
    return start == 0 && end == all.count ? all : Array(all[start..<end])
  }

  /// Whether an object satisfies the predicate with the values it has in memory.
  func matches(_ object: NSManagedObject) -> Bool {
    predicate.map { Evaluation(object).holds($0) } ?? true
  }

  /// Whether an object's entity is one that the plan asks for.
  func admits(_ layout: EntityLayout) -> Bool {
    layout === self.layout
      || (includesSubentities && self.layout.family.contains { $0.layout === layout })
  }
}

/// One criterion of an order.
struct SortTerm {
  /// The slot compared.
  let slot: Int
  /// Whether smaller values come first.
  let ascending: Bool

  /// Resolves sort descriptors; anything a store cannot sort by stops, as Core Data raises.
  static func terms(_ descriptors: [NSSortDescriptor]?, layout: EntityLayout) -> [SortTerm] {
    (descriptors ?? []).map { descriptor in
      let named = descriptor as? KeySortDescriptor
      let name =
        named?.keyName
        ?? KeyPathProbe.name(of: named?.modelKeyPath ?? descriptor.keyPath, layout: layout)
      guard let name, let slot = layout.index[name], layout.slots[slot].isColumn else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: unsupported sort descriptor for entity \(layout.name)"
            + "\(name.map { ": keypath \($0) not found" } ?? ""); sort by the name of a stored "
            + "attribute."
        )
      }
      return SortTerm(slot: slot, ascending: descriptor.ascending)
    }
  }

  /// Whether one value stands before another, as SQLite orders them: null, numbers, text by byte,
  /// bytes.
  static func compare(_ left: Value, _ right: Value) -> ComparisonResult {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return order(a, b)
    case (.double(let a), .double(let b)): return order(a, b)
    case (.string(let a), .string(let b)):
      if a == b { return .orderedSame }
      return a.utf8.lexicographicallyPrecedes(b.utf8) ? .orderedAscending : .orderedDescending
    case (.data(let a), .data(let b)):
      if a == b { return .orderedSame }
      return a.lexicographicallyPrecedes(b) ? .orderedAscending : .orderedDescending
    case (.boxed(let a), .boxed(let b)): return compare(a, b)
    case (.null, .null): return .orderedSame
    case (.null, _): return .orderedAscending
    case (_, .null): return .orderedDescending
    default: return order(left.referenceKey ?? 0, right.referenceKey ?? 0)
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
    a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
  }

  private static func compare(_ left: Boxed, _ right: Boxed) -> ComparisonResult {
    switch (left.content, right.content) {
    case (.decimal(let a), .decimal(let b)): return order(a, b)
    case (.uuid(let a), .uuid(let b)): return order(a.uuidString, b.uuidString)
    case (.url(let a), .url(let b)): return order(a.absoluteString, b.absoluteString)
    case (.uuid, _), (.url, _), (.decimal, _), (.opaque, _): return .orderedSame
    }
  }
}

/// A sort descriptor by name, or by a key path to any type, which Foundation on Linux cannot make.
final class KeySortDescriptor: NSSortDescriptor {
  /// The name of the property, if it was given.
  let keyName: String?
  /// The key path, if it was given.
  let modelKeyPath: AnyKeyPath?

  init(key: String?, keyPath: AnyKeyPath?, ascending: Bool) {
    keyName = key
    modelKeyPath = keyPath
    super.init(keyPath: \NSObject.hash, ascending: ascending)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }
}

/// Lets `NSSortDescriptor(key:ascending:)` make a `KeySortDescriptor`.
public protocol SortDescriptorByName {}

extension SortDescriptorByName where Self: NSSortDescriptor {
  /// Makes a descriptor that sorts by the named property.
  public init(key: String?, ascending: Bool) {
    self = unsafeDowncast(
      KeySortDescriptor(key: key, keyPath: nil, ascending: ascending), to: Self.self)
  }

  /// Makes a descriptor that sorts by the property a key path reads.
  public init<Root: NSManagedObject, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self = unsafeDowncast(
      KeySortDescriptor(key: nil, keyPath: keyPath, ascending: ascending), to: Self.self)
  }
}

extension NSSortDescriptor: SortDescriptorByName {}

/// Finds the name of a property from a key path to it.
enum KeyPathProbe {
  /// The name of the property that the key path reads, or nil if it reads none.
  static func name(of keyPath: AnyKeyPath, layout: EntityLayout) -> String? {
    let probe = layout.objectClass.init(entity: layout.entity, insertInto: nil)
    probe.dropValues()
    return PropertyRecorder.record { _ = probe[keyPath: keyPath] }
  }
}
