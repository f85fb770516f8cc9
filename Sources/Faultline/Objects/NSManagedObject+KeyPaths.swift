import Foundation

extension NSManagedObject {
  /// The value of a property along a path of names through relationships and composites.
  ///
  /// Behind a to-many relationship the rest of the path is followed from each member, and what is
  /// found is a set, in order if the members have one, without what has no value. A name with `@`
  /// makes one value of many; a sum or an average takes no value for 0, other than in predicates.
  public func value(forKeyPath path: String) -> Any? {
    if layout.index[path] != nil { return value(forKey: path) }
    let (name, rest) = Self.divide(path)
    return Self.follow(rest, from: value(forKey: name))
  }

  /// Sets the property at the end of a path; behind a to-many relationship that of each member, and
  /// where there is no object on the way nothing happens.
  public func setValue(_ value: Any?, forKeyPath path: String) {
    let (name, rest) = Self.divide(path)
    guard let rest, layout.index[path] == nil else { return setValue(value, forKey: path) }
    let next = self.value(forKey: name)
    switch next {
    case nil: break
    case let object as NSManagedObject: object.setValue(value, forKeyPath: rest)
    case is NSSet, is NSOrderedSet:
      for object in memberList(slot(named: name)) { object.setValue(value, forKeyPath: rest) }
    default: _ = slot(named: path)
    }
  }

  /// A set whose changes are changes of the relationship at the end of a path.
  public func mutableSetValue(forKeyPath path: String) -> NSMutableSet {
    let (name, rest) = Self.divide(path)
    guard let rest else { return mutableSetValue(forKey: path) }
    guard let object = value(forKey: name) as? NSManagedObject else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: mutableSetValue(forKeyPath: \"\(path)\") finds no object at "
          + "\(layout.name).\(name).")
    }
    return object.mutableSetValue(forKeyPath: rest)
  }

  /// The values of several properties under their names, with `NSNull` for nil.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
  }

  /// Sets several properties by their names; `NSNull` stands for nil.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
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
      return follow(path, from: set.array) {
        isHashable($0) ? NSOrderedSet(array: $0) as Any : distinct($0)
      }
    case let set as NSSet:
      return follow(path, from: set.allObjects) {
        isHashable($0) ? NSSet(array: $0) as Any : distinct($0)
      }
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
    case "@distinctUnionOfObjects": return distinct(values)
    case "@min", "@max":
      let found = NSExpression(forKeyPath: name).expressionValue(with: values, context: nil)
      return values.first { isSame($0, found) }
    case "@sum": return total(values, dividedBy: 1)
    case "@avg": return members.isEmpty ? nil : total(values, dividedBy: members.count)
    default: return NSExpression(forKeyPath: name).expressionValue(with: values, context: nil)
    }
  }

  /// The sum of numbers, or a part of it: a decimal one of decimals.
  private static func total(_ values: [Any], dividedBy count: Int) -> NSNumber {
    let numbers = values.compactMap { $0 as? NSNumber }
    if numbers.contains(where: { $0 is NSDecimalNumber }) {
      let sum = numbers.map(\.exactDecimal).reduce(0, +)
      return NSDecimalNumber(decimal: sum / Decimal(count))
    }
    return NSNumber(value: numbers.map(\.doubleValue).reduce(0, +) / Double(count))
  }

  private static func distinct(_ values: [Any]) -> [Any] {
    values.reduce(into: []) { distinct, value in
      if !distinct.contains(where: { isSame($0, value) }) { distinct.append(value) }
    }
  }

  /// Whether a set can hold the values: to hash a decimal number is an endless recursion in
  /// Foundation on Linux.
  private static func isHashable(_ values: [Any]) -> Bool {
    !values.contains { $0 is NSDecimalNumber }
  }

  private static func isSame(_ one: Any?, _ other: Any?) -> Bool {
    Operand.isSame(Operand(one), Operand(other))
  }
}
