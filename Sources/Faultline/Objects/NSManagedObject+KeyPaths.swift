import Foundation

extension NSManagedObject {
  /// The value of a property along a path of names through relationships and composites.
  ///
  /// Behind a to-many relationship the rest of the path is followed from each member, and what is
  /// found is a set, in order if the members have one, without what has no value. A name with `@`
  /// makes one value of many, as in predicates.
  public func value(forKeyPath path: String) -> Any? {
    if layout.index[path] != nil { return value(forKey: path) }
    let (name, rest) = Self.divide(path)
    return Self.follow(rest, from: value(forKey: name))
  }

  private static func divide(_ path: String) -> (name: String, rest: String?) {
    let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
    return (parts.first ?? path, parts.count == 2 ? parts[1] : nil)
  }

  private static func follow(_ path: String?, from start: Any?) -> Any? {
    guard let path, let start else { return start }
    switch start {
    case let object as NSManagedObject: return object.value(forKeyPath: path)
    case let dictionary as [String: Any]:
      let (name, rest) = divide(path)
      return follow(rest, from: dictionary[name])
    case let set as NSOrderedSet:
      return follow(path, from: set.array) { NSOrderedSet(array: $0) }
    case let set as NSSet: return follow(path, from: set.allObjects) { NSSet(array: $0) }
    case let list as [Any]: return follow(path, from: list) { $0 }
    default: return nil
    }
  }

  /// Follows a path from each of many, one name at a time.
  private static func follow(
    _ path: String, from members: [Any], gather: ([Any]) -> Any
  ) -> Any? {
    let (name, rest) = divide(path)
    guard name.hasPrefix("@") else {
      return follow(rest, from: gather(members.compactMap { follow(name, from: $0) }))
    }
    let values = rest.map { rest in members.compactMap { follow(rest, from: $0) } } ?? members
    // Predicates would make numbers of dates.
    switch name {
    case "@unionOfObjects": return values
    case "@distinctUnionOfObjects":
      return values.reduce(into: [Any]()) { distinct, value in
        if !distinct.contains(where: { isSame($0, value) }) { distinct.append(value) }
      }
    case "@min", "@max":
      let found = NSExpression(forKeyPath: name).expressionValue(with: values, context: nil)
      return values.first { isSame($0, found) }
    default: return NSExpression(forKeyPath: name).expressionValue(with: values, context: nil)
    }
  }

  private static func isSame(_ one: Any?, _ other: Any?) -> Bool {
    Operand.isSame(Operand(one), Operand(other))
  }
}
