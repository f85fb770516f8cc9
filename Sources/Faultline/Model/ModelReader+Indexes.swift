/// Step 5: constraints and indexes.
extension ModelReader {
  /// Gives an entity its uniqueness constraints.
  func addConstraints(to entry: Entry) throws(ModelError) {
    var constraints: [[String]] = []
    for element in entry.element.all("uniquenessConstraints").flatMap({
      $0.all("uniquenessConstraint")
    }) {
      let names = element.all("constraint").compactMap { $0["value"] }
      for name in names {
        let property = Self.property(name, of: entry)
        let isToMany = (property as? NSRelationshipDescription)?.isToMany ?? false
        guard let property, !isToMany, !property.isTransient,
          !(property is NSFetchedPropertyDescription)
        else {
          throw ModelError(
            "A uniqueness constraint of entity \(entry.entity.name ?? "?") names \(name), which "
              + "is no stored attribute or to-one relationship of it.", line: element.line)
        }
      }
      if !names.isEmpty { constraints.append(names) }
    }
    entry.entity.uniquenessConstraints = constraints
  }

  /// Gives an entity its indexes.
  mutating func addIndexes(to entry: Entry) throws(ModelError) {
    var indexes: [NSFetchIndexDescription] = []
    for element in entry.element.all("fetchIndex") {
      guard let name = element["name"], !name.isEmpty, !indexes.contains(where: { $0.name == name })
      else {
        throw ModelError(
          "An index of entity \(entry.entity.name ?? "?") has no name, or that of another one.",
          line: element.line)
      }
      let elements = try element.all("fetchIndexElement")
        .map { part throws(ModelError) in try indexElement(part, entry) }
      indexes.append(NSFetchIndexDescription(name: name, elements: elements.compactMap { $0 }))
    }
    // Xcode turns what older models have into these when it saves them.
    for element in entry.element.children where element.flag("indexed") {
      guard let name = element["name"], element.name == "attribute" else { continue }
      let part = try indexElement(named: name, entry, line: element.line)
      indexes.append(
        NSFetchIndexDescription(
          name: "by\(name.prefix(1).uppercased())\(name.dropFirst())Index",
          elements: part.map { [$0] }))
    }
    let compound = entry.element.all("compoundIndexes").flatMap { $0.all("compoundIndex") }
    for (number, element) in compound.enumerated() {
      let names = element.all("index").compactMap { $0["value"] }
      let parts = try names.map { name throws(ModelError) in
        try indexElement(named: name, entry, line: element.line)
      }
      indexes.append(
        NSFetchIndexDescription(
          name: "compoundIndex" + (number == 0 ? "" : "\(number)"),
          elements: parts.compactMap { $0 }))
    }
    entry.entity.indexes = indexes.filter { !$0.elements.isEmpty }
  }

  /// One property of an index; nil for an expression, of which no index is made.
  private mutating func indexElement(
    _ element: ModelElement, _ entry: Entry
  ) throws(ModelError) -> NSFetchIndexElementDescription? {
    guard let name = element["property"] else { return nil }
    let made = try indexElement(named: name, entry, line: element.line)
    made?.isAscending = element["order"] != "descending"
    if element["type"]?.lowercased() == "rtree" { made?.collationType = .rTree }
    return made
  }

  private mutating func indexElement(
    named name: String, _ entry: Entry, line: Int
  ) throws(ModelError) -> NSFetchIndexElementDescription? {
    guard let property = Self.property(name, of: entry), !(property is NSFetchedPropertyDescription)
    else {
      throw ModelError(
        "An index of entity \(entry.entity.name ?? "?") names \(name), which is no attribute or "
          + "relationship of it.", line: line)
    }
    let isToMany = (property as? NSRelationshipDescription)?.isToMany ?? false
    if isToMany || property.isTransient {
      warn(
        "An index of entity \(entry.entity.name ?? "?") names \(name), of which there is nothing "
          + "in its table.", line: line)
      return nil
    }
    return NSFetchIndexElementDescription(property: property, collationType: .binary)
  }

  /// The property of a name, or the element of a composite at the end of a path of names.
  private static func property(_ path: String, of entry: Entry) -> NSPropertyDescription? {
    let names = path.split(separator: ".").map(String.init)
    var found = names.first.flatMap { entry.entity.propertiesByName[$0] }
    for name in names.dropFirst() {
      found = (found as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
    }
    return found
  }
}
