import Foundation

/// Makes the entities of a model file, and says what is wrong or unwise in it, as Xcode's model
/// compiler does.
///
/// 1. Entities are made, and 2. hung below their parents.
/// 3. They get their attributes, relationships and fetched properties.
/// 4. Relationships are tied to their destinations and inverses.
/// 5. Constraints and indexes name properties that there are by now (`ModelReader+Indexes.swift`).
/// 6. The model gets its entities, configurations and fetch-request templates.
package struct ModelReader {
  /// What is unwise but no mistake, such as a relationship without inverse.
  package private(set) var warnings: [ModelError] = []
  private let root: ModelElement
  private let composites: [String: ModelElement]
  private var entries: [Entry] = []
  private var byName: [String: Entry] = [:]

  /// An entity and the element that describes it.
  struct Entry {
    /// The element.
    let element: ModelElement
    /// The entity.
    let entity: NSEntityDescription
  }

  /// More entities than anybody ever hung below each other.
  private static let depthMax = 64

  private init(_ root: ModelElement) throws(ModelError) {
    self.root = root
    composites = try Self.named(root.all("composite"), "composite")
  }

  /// Fills a model from a file and answers the warnings.
  ///
  /// - Throws: `ModelError` that names the place of the first mistake.
  @discardableResult
  package static func fill(
    _ model: NSManagedObjectModel, from file: ModelFile
  ) throws(ModelError) -> [ModelError] {
    do throws(ModelError) {
      var reader = try ModelReader(file.root)
      try reader.makeEntities()
      try reader.linkParents()
      for entry in reader.entries.sorted(by: Self.isAbove) { try reader.addProperties(to: entry) }
      for entry in reader.entries { try reader.tie(entry) }
      for entry in reader.entries { try reader.addConstraints(to: entry) }
      for entry in reader.entries { try reader.addIndexes(to: entry) }
      try reader.finish(model)
      return reader.warnings.map { ModelError($0.text, line: $0.line, file: file.url.path) }
    } catch {
      throw ModelError(error.text, line: error.line, file: file.url.path)
    }
  }

  // MARK: 1. and 2.

  private mutating func makeEntities() throws(ModelError) {
    _ = try Self.named(root.all("entity"), "entity")
    for element in root.all("entity") {
      let entity = NSEntityDescription()
      entity.name = element["name"]
      entity.managedObjectClassName = try Self.className(element)
      entity.isAbstract = element.flag("isAbstract")
      entity.versionHashModifier = element["versionHashModifier"]
      entity.renamingIdentifier = element["elementID"]
      entity.userInfo = Self.userInfo(element)
      let entry = Entry(element: element, entity: entity)
      entries.append(entry)
      byName[entity.name ?? ""] = entry
    }
  }

  /// The name of an entity's class; `.Article` is one of the application's own module.
  private static func className(_ element: ModelElement) throws(ModelError) -> String {
    guard let text = element["representedClassName"], !text.isEmpty else {
      return "NSManagedObject"
    }
    let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.allSatisfy({ isWord($0.unicodeScalars) }) { return name }
    throw ModelError(
      "Entity \(element["name"] ?? "?") has the class name \"\(text)\", which no class has.",
      line: element.line)
  }

  private func linkParents() throws(ModelError) {
    for entry in entries {
      var above = entry.element
      for _ in 0..<Self.depthMax {
        guard let name = above["parentEntity"] else { break }
        above = try found(name, as: "parent", of: entry.element).element
      }
      if above["parentEntity"] != nil {
        throw ModelError(
          "Entity \(entry.entity.name ?? "?") inherits from itself, or through more than "
            + "\(Self.depthMax) others.", line: entry.element.line)
      }
    }
    for entry in entries {
      guard let name = entry.element["parentEntity"], let parent = byName[name] else { continue }
      parent.entity.subentities.append(entry.entity)
    }
  }

  private static func isAbove(_ one: Entry, _ other: Entry) -> Bool {
    depth(one.entity) < depth(other.entity)
  }

  private static func depth(_ entity: NSEntityDescription) -> Int {
    entity.superentity.map { depth($0) + 1 } ?? 0
  }

  // MARK: 3.

  private mutating func addProperties(to entry: Entry) throws(ModelError) {
    var inherited = entry.entity.superentity?.propertiesByName ?? [:]
    var added: [NSPropertyDescription] = []
    for element in entry.element.children {
      guard let property = try property(element) else { continue }
      try Self.check(element, isProperty: true)
      if inherited.updateValue(property, forKey: property.name) != nil {
        throw ModelError(
          "Entity \(entry.entity.name ?? "?") has two properties named \(property.name).",
          line: element.line)
      }
      property.name = element["name"] ?? ""
      property.isOptional = element.flag("optional")
      property.isTransient = element.flag("transient")
      property.versionHashModifier = element["versionHashModifier"]
      property.renamingIdentifier = element["elementID"]
      property.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
      property.userInfo = Self.userInfo(element)
      added.append(property)
    }
    entry.entity.properties += added
  }

  /// The property that an element describes; nil if it describes none.
  private mutating func property(
    _ element: ModelElement
  ) throws(ModelError) -> NSPropertyDescription? {
    let property: NSPropertyDescription
    switch element.name {
    case "attribute":
      var reader = AttributeReader(composites)
      property = try reader.attribute(element)
      warnings += reader.warnings
    case "relationship": property = try relationship(element)
    case "fetchedProperty":
      let fetched = NSFetchedPropertyDescription()
      guard let request = element.all("fetchRequest").first else {
        throw ModelError(
          "Fetched property \(element["name"] ?? "?") has no fetch request.", line: element.line)
      }
      fetched.source = try source(request)
      property = fetched
    default: return nil
    }
    property.name = element["name"] ?? ""
    return property
  }

  private func relationship(_ element: ModelElement) throws(ModelError) -> NSRelationshipDescription
  {
    let relationship = NSRelationshipDescription()
    let rules: [String: NSDeleteRule] = [
      "No Action": .noActionDeleteRule, "Nullify": .nullifyDeleteRule,
      "Cascade": .cascadeDeleteRule, "Deny": .denyDeleteRule,
    ]
    guard let rule = rules[element["deletionRule"] ?? "Nullify"] else {
      throw ModelError(
        "Relationship \(element["name"] ?? "?") has the unknown delete rule "
          + "\(element["deletionRule"] ?? "").", line: element.line)
    }
    relationship.deleteRule = rule
    let isToMany = element.flag("toMany")
    relationship.minCount = try Self.count(element, "minCount") ?? 0
    relationship.maxCount = try isToMany ? Self.count(element, "maxCount") ?? 0 : 1
    relationship.isOrdered = isToMany && element.flag("ordered")
    return relationship
  }

  private static func count(_ element: ModelElement, _ name: String) throws(ModelError) -> Int? {
    guard let text = element[name] else { return nil }
    if let count = Int(text), (0...Int(Int32.max)).contains(count) { return count }
    throw ModelError(
      "Relationship \(element["name"] ?? "?") has the \(name) \(text), which is no count.",
      line: element.line)
  }

  // MARK: 4.

  private mutating func tie(_ entry: Entry) throws(ModelError) {
    let own = entry.entity.relationshipsByName
    for element in entry.element.all("relationship") {
      guard let relationship = element["name"].flatMap({ own[$0] }) else { continue }
      let name = "\(entry.entity.name ?? "?").\(relationship.name)"
      guard let destination = element["destinationEntity"] else {
        throw ModelError("Relationship \(name) has no destination.", line: element.line)
      }
      let other = try found(destination, as: "destination", of: element).entity
      relationship.destinationEntity = other
      if relationship.deleteRule == .noActionDeleteRule {
        warnings.append(
          ModelError(
            "The delete rule No Action of relationship \(name) may leave it leading to deleted "
              + "objects.", line: element.line))
      }
      guard let inverse = element["inverseName"] else {
        warnings.append(
          ModelError("Relationship \(name) should have an inverse.", line: element.line))
        continue
      }
      let holder = try found(
        element["inverseEntity"] ?? destination, as: "inverse entity", of: element)
      guard let back = holder.entity.relationshipsByName[inverse],
        let backElement = holder.element.all("relationship").first(where: { $0["name"] == inverse }
        ),
        other.isKindOf(entity: holder.entity) || holder.entity.isKindOf(entity: other)
      else {
        throw ModelError(
          "The inverse of relationship \(name) is \(destination).\(inverse), which is not there.",
          line: element.line)
      }
      guard backElement["inverseName"] == relationship.name,
        backElement["inverseEntity"] ?? backElement["destinationEntity"] == entry.entity.name
      else {
        throw ModelError(
          "Relationship \(name) is not the inverse of its inverse "
            + "\(holder.entity.name ?? "?").\(inverse).", line: element.line)
      }
      relationship.inverseRelationship = back
    }
  }

  // MARK: 6.

  private func finish(_ model: NSManagedObjectModel) throws(ModelError) {
    model.entities = entries.map(\.entity)
    model.versionIdentifiers = [root["userDefinedModelVersionIdentifier"] ?? ""]
    for element in root.all("configuration") {
      guard let name = element["name"], !model.configurations.contains(name) else {
        throw ModelError(
          "A configuration has no name, or that of another one.", line: element.line)
      }
      let members = try element.all("memberEntity").map { member throws(ModelError) in
        try found(member["name"] ?? "", as: "member", of: element).entity
      }
      model.setEntities(members, forConfigurationName: name)
    }
    for element in root.all("fetchRequest") {
      guard let name = element["name"], model.templateSources[name] == nil else {
        throw ModelError(
          "A fetch request has no name, or that of another one.", line: element.line)
      }
      model.templateSources[name] = try source(element)
    }
  }

  private func source(_ element: ModelElement) throws(ModelError) -> FetchRequestSource {
    let entity = try found(element["entity"] ?? "", as: "entity", of: element).entity
    return FetchRequestSource(
      entity: entity.name ?? "", predicate: try predicate(element), settings: element.values)
  }

  private func predicate(_ element: ModelElement) throws(ModelError) -> NSPredicate? {
    guard let text = element["predicateString"], !text.isEmpty else { return nil }
    do throws(PredicateSyntaxError) {
      var parser = try PredicateParser(text, [])
      return try parser.wholePredicate()
    } catch {
      throw ModelError(
        "The predicate of fetch request \(element["name"] ?? "?") cannot be read at character "
          + "\(error.offset + 1): \(error.reason).", line: element.line)
    }
  }

  // MARK: What several steps need

  /// Notes what is unwise.
  mutating func warn(_ text: String, line: Int) { warnings.append(ModelError(text, line: line)) }

  private func found(
    _ name: String, as role: String, of element: ModelElement
  ) throws(ModelError) -> Entry {
    if let entry = byName[name] { return entry }
    throw ModelError(
      "The \(role) of \(element.name) \(element["name"] ?? "?") is \(name), and there is no such "
        + "entity.", line: element.line)
  }

  private static func userInfo(_ element: ModelElement) -> [AnyHashable: Any]? {
    let entries = element.all("userInfo").flatMap { $0.all("entry") }
    if entries.isEmpty { return nil }
    return Dictionary(
      entries.map { ($0["key"] ?? "", $0["value"] ?? "") }, uniquingKeysWith: { $1 })
  }

  private static func named(
    _ elements: [ModelElement], _ kind: String
  ) throws(ModelError) -> [String: ModelElement] {
    var found: [String: ModelElement] = [:]
    for element in elements {
      try check(element, isProperty: false)
      guard found.updateValue(element, forKey: element["name"] ?? "") == nil else {
        throw ModelError(
          "Two are called \(element["name"] ?? "?"): no \(kind) may have the name of another.",
          line: element.line)
      }
    }
    return found
  }

  /// Refuses names that cannot be names of tables, columns or Swift's own.
  static func check(_ element: ModelElement, isProperty: Bool) throws(ModelError) {
    let name = element["name"] ?? ""
    guard isWord(name.unicodeScalars[...]), name.utf8.count <= 255 else {
      throw ModelError(
        "An \(element.name) needs a name of letters, digits and underscores; \"\(name)\" is none.",
        line: element.line)
    }
    if isProperty, reserved.contains(name) {
      throw ModelError(
        "No property can be called \(name), because every object has a member of that name.",
        line: element.line)
    }
  }

  private static func isWord(_ letters: Substring.UnicodeScalarView) -> Bool {
    guard let first = letters.first, !isDigit(first) else { return false }
    return letters.allSatisfy { $0.properties.isAlphabetic || $0 == "_" || isDigit($0) }
  }

  private static func isDigit(_ letter: Unicode.Scalar) -> Bool { ("0"..."9").contains(letter) }

  private static let reserved: Set = [
    "description", "debugDescription", "hash", "entity", "objectID", "managedObjectContext",
    "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges", "faultingState",
    "hasPersistentChangedValues", "changedValues", "awakeFromFetch", "awakeFromInsert", "willSave",
    "didSave", "prepareForDeletion", "self", "superclass", "copy", "mutableCopy",
  ]
}
