import Foundation

/// One criterion of an order, resolved against an entity.
struct SortTerm {
  /// The to-one relationships to follow, and the slot compared.
  let slots: [Int]
  /// Whether smaller values come first.
  let ascending: Bool
  /// How texts are compared.
  let comparison: SortComparison

  /// Resolves sort descriptors; anything a store cannot sort by stops, as Core Data raises.
  static func terms(_ descriptors: [NSSortDescriptor]?, layout: EntityLayout) -> [SortTerm] {
    (descriptors ?? []).map { descriptor in
      let own = descriptor as? KeySortDescriptor
      let names =
        own?.block != nil
        ? []
        : own?.names ?? KeyPathProbe.names(of: own?.path ?? descriptor.keyPath, layout: layout)
      guard let slots = slots(names, layout) else {
        let path = names.joined(separator: ".")
        ProgrammerError.stop(
          "NSInvalidArgumentException: unsupported sort descriptor for entity \(layout.name)"
            + (path.isEmpty
              ? "; a store sorts by the name or key path of a stored attribute, not by a block."
              : ": keypath \(path) not found; sort by a stored attribute, reached through to-one "
                + "relationships."))
      }
      return SortTerm(
        slots: slots, ascending: descriptor.ascending, comparison: own?.comparison ?? .plain)
    }
  }

  private static func slots(_ names: [String], _ layout: EntityLayout) -> [Int]? {
    var layout = layout
    var slots: [Int] = []
    var rest = names[...]
    while let name = rest.popFirst() {
      guard let slot = layout.slot(name, &rest), layout.slots[slot].isColumn else { return nil }
      slots.append(slot)
      if rest.isEmpty { return slots }
      guard layout.slots[slot].kind == .toOne, let next = layout.slots[slot].destination else {
        return nil
      }
      layout = next
    }
    return nil
  }

  /// How one value stands to another in this order, whichever way it goes; nil if it makes no
  /// difference.
  func precedes(_ left: Value, _ right: Value) -> Bool? {
    switch comparison.order(left, right) {
    case .orderedSame: nil
    case .orderedAscending: ascending
    case .orderedDescending: !ascending
    }
  }
}

extension [SortTerm] {
  /// Whether one object stands before another; nil if the order makes no difference.
  func precedes(_ left: NSManagedObject, _ right: NSManagedObject) -> Bool? {
    for term in self {
      if let answer = term.precedes(left.peek(term.slots[...]), right.peek(term.slots[...])) {
        return answer
      }
    }
    return nil
  }
}

extension NSManagedObject {
  /// A value for sorting: from the object, or from the row of a fault, without fulfilling it unless
  /// its row is still to be loaded or the value is another object's.
  fileprivate func peek(_ slots: ArraySlice<Int>) -> Value {
    guard let slot = slots.first else { return .null }
    if slots.count > 1 { return destination(slot)?.peek(slots.dropFirst()) ?? .null }
    if !isRealised, snapshot == nil { fulfill(triggeredBy: slot) }
    return isRealised ? current(slot) : snapshot?[slot] ?? .null
  }
}

extension SortComparison {
  /// How one value stands to another, as SQLite orders them: null, numbers, text, bytes.
  func order(_ left: Value, _ right: Value) -> ComparisonResult {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return Self.order(a, b)
    case (.double(let a), .double(let b)): return Self.order(a, b)
    case (.string(let a), .string(let b)): return compare(a, b)
    case (.data(let a), .data(let b)):
      if a == b { return .orderedSame }
      return a.lexicographicallyPrecedes(b) ? .orderedAscending : .orderedDescending
    case (.boxed(let a), .boxed(let b)): return order(a, b)
    case (.null, .null): return .orderedSame
    case (.null, _): return .orderedAscending
    case (_, .null): return .orderedDescending
    default: return Self.order(left.referenceKey ?? 0, right.referenceKey ?? 0)
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
    a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
  }

  private func order(_ left: Boxed, _ right: Boxed) -> ComparisonResult {
    switch (left.content, right.content) {
    case (.decimal(let a), .decimal(let b)): return Self.order(a, b)
    case (.uuid(let a), .uuid(let b)): return Self.order(a.uuidString, b.uuidString)
    case (.url(let a), .url(let b)): return compare(a.absoluteString, b.absoluteString)
    case (.uuid, _), (.url, _), (.decimal, _), (.opaque, _): return .orderedSame
    }
  }
}
