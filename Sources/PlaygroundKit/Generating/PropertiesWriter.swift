/// Writes the extensions with the properties of a class.
struct PropertiesWriter {
  private let type: EntityClass

  init(_ type: EntityClass) { self.type = type }

  /// The extensions.
  var text: String {
    var parts = [main]
    parts += type.properties.compactMap(accessors)
    if type.parent == "NSManagedObject", !hidesID {
      parts.append("extension \(type.name): Identifiable {\n}\n")
    }
    return parts.joined(separator: "\n")
  }

  /// Whether the class has an `id` that nothing can be told apart by.
  private var hidesID: Bool {
    type.properties.contains { $0.name == "id" && ($0.access != .slot || $0.type.hasPrefix("[")) }
  }

  private var main: String {
    let slots = type.properties.filter { $0.access == .slot }
    var lines: [String] = []
    if !slots.isEmpty {
      lines.append("private enum Slots {")
      for slot in slots {
        lines.append(
          "  static let \(slot.slot) = ManagedSlot<\(slot.type)>(\"\(slot.name)\")")
      }
      lines += ["}", ""]
    }
    lines += block(
      "public class func fetchRequest() -> NSFetchRequest<\(type.name)>",
      "NSFetchRequest<\(type.name)>(entityName: \"\(type.entity)\")")
    for property in type.properties { lines += [""] + declaration(property) }
    return extended(lines)
  }

  private func declaration(_ property: GeneratedProperty) -> [String] {
    let (getter, setter) = access(property)
    if let setter {
      return [
        "public var \(property.declared): \(property.type) {", "  get { \(getter) }",
        "  set { \(setter) }", "}",
      ]
    }
    return ["public var \(property.declared): \(property.type) {", "  \(getter)", "}"]
  }

  private func access(_ property: GeneratedProperty) -> (getter: String, setter: String?) {
    let byKey =
      "value(forKey: \"\(property.name)\") as? \(property.type.dropLast())"
    switch property.access {
    case .fetched: return (byKey, nil)
    case .key: return (byKey, "setValue(newValue, forKey: \"\(property.name)\")")
    case .slot:
      return (
        "value(at: Slots.\(property.slot))", "setValue(newValue, at: Slots.\(property.slot))"
      )
    }
  }

  /// The accessors of a to-many relationship; nil for another property.
  private func accessors(_ property: GeneratedProperty) -> String? {
    guard let member = property.member else { return nil }
    let (name, slot) = (property.capitalised, "Slots.\(property.slot)")
    let set = property.isOrdered ? "NSOrderedSet" : "NSSet"
    var functions: [[String]] = []
    if property.isOrdered { functions += byIndex(name, property.name, member) }
    functions.append(
      block("public func addTo\(name)(_ value: \(member))", "add(value, to: \(slot))"))
    functions.append(
      block("public func removeFrom\(name)(_ value: \(member))", "remove(value, from: \(slot))"))
    for (verb, call) in [("addTo", "add(value, to:"), ("removeFrom", "remove(value, from:")] {
      functions.append([
        "public func \(verb)\(name)(_ values: \(set)) {",
        "  for case let value as \(member) in values { \(call) \(slot)) }", "}",
      ])
    }
    return "// MARK: Generated accessors for \(property.name)\n"
      + extended(Array(functions.joined(separator: [""])))
  }

  private func byIndex(_ name: String, _ key: String, _ member: String) -> [[String]] {
    let list = "mutableOrderedSetValue(forKey: \"\(key)\")"
    return [
      block(
        "public func insertInto\(name)(_ value: \(member), at idx: Int)",
        "\(list).insert(value, at: idx)"),
      block(
        "public func removeFrom\(name)(at idx: Int)", "\(list).removeObject(at: idx)"),
      block(
        "public func insertInto\(name)(_ values: [\(member)], at indexes: NSIndexSet)",
        "\(list).insert(values, at: IndexSet(indexes))"),
      block(
        "public func removeFrom\(name)(at indexes: NSIndexSet)",
        "\(list).removeObjects(at: IndexSet(indexes))"),
      block(
        "public func replace\(name)(at idx: Int, with value: \(member))",
        "\(list).replaceObject(at: idx, with: value)"),
      block(
        "public func replace\(name)(at indexes: NSIndexSet, with values: [\(member)])",
        "\(list).replaceObjects(at: IndexSet(indexes), with: values)"),
    ]
  }

  private func block(_ head: String, _ body: String) -> [String] {
    ["\(head) {", "  \(body)", "}"]
  }

  private func extended(_ lines: [String]) -> String {
    let body = lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
    return "extension \(type.name) {\n\(body)\n}\n"
  }
}
