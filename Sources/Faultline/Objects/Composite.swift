import Foundation

/// Composite attributes.
///
/// Their elements are slots of their own, named `seat.city`, with a column each. The composite has
/// a slot too, which holds nothing and has no column: its value is made of those of its elements.
extension EntityLayout {
  /// The slot that a name leads to, or the element of a composite that the names behind it lead to,
  /// which are taken away.
  func slot(_ name: String, _ rest: inout ArraySlice<String>) -> Int? {
    guard var slot = index[name] else { return nil }
    while let elements = composites[slot], let next = rest.first,
      let element = elements.first(where: { slots[$0].property.name == next })
    {
      slot = element
      rest = rest.dropFirst()
    }
    return slot
  }

  /// The outermost composite that has a slot among its elements.
  func composite(holding slot: Int) -> Int? {
    if composites.isEmpty { return nil }
    let name = slots[slot].name.prefix { $0 != "." }
    return name.utf8.count == slots[slot].name.utf8.count ? nil : index[String(name)]
  }

  /// The values of a composite's elements by name; nil if none has one. `value` has those of all
  /// slots.
  func compositeValue(_ slot: Int, _ value: (Int) -> Any?) -> [String: Any]? {
    var result: [String: Any] = [:]
    for element in composites[slot] ?? [] {
      result[slots[element].property.name] =
        composites[element] == nil ? value(element) : compositeValue(element, value)
    }
    return result.isEmpty ? nil : result
  }
}

extension NSManagedObject {
  /// Sets all elements of a composite; those that a dictionary lacks become nil.
  func setComposite(_ value: Any?, _ slot: Int) {
    let elements = layout.composites[slot] ?? []
    let names = Set(elements.map { layout.slots[$0].property.name })
    let flat = value.flattened is NSNull ? nil : value.flattened
    let given = flat == nil ? [:] : flat as? [String: Any]
    guard let given, names.isSuperset(of: given.keys) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Unacceptable type of value for composite attribute: property "
          + "= \"\(layout.slots[slot].name)\"; desired type = a dictionary of "
          + "\(names.sorted().joined(separator: ", ")); given value = \(flat ?? "nil").")
    }
    for element in elements {
      setValue(given[layout.slots[element].property.name], forKey: layout.slots[element].name)
    }
  }
}
