import CoreData
import Foundation
import XCTest

/// Pairs of versions at random, of which one can be inferred from the other; every row survives
/// (C39). Each seed repeats one walk; the paper beside it says what must be there.
final class RandomMigrationSpecs: VersionsCase {
  func testC39_atRandomEveryRowSurvivesEveryStep() throws {
    for seed in 1...16 {
      var walk = VersionWalk(seed: seed)
      var context = try open(walk.version.model(), "Walk \(seed)")
      for step in 0..<4 {
        try walk.insertRows(into: context)
        let before = try contents(context)
        walk.note(before)
        try close(context)
        walk.change()
        context = try open(walk.version.model(), "Walk \(seed)")
        let after = try contents(context)
        for name in Set(after.keys).union(walk.paper.keys).sorted()
        where after[name] != walk.paper[name] {
          return XCTFail(
            "seed \(seed), step \(step), \(walk.log): \(name) is \(after[name] ?? [:]) and "
              + "should be \(walk.paper[name] ?? [:])")
        }
      }
      try close(context)
    }
  }
}

/// A version that changes at random, and on paper what becomes of the rows.
private struct VersionWalk {
  typealias Entity = ModelVersion.Entity
  typealias Attribute = ModelVersion.Attribute
  typealias Relationship = ModelVersion.Relationship

  var version: ModelVersion
  var paper: [String: [String: String]] = [:]
  var log: [String] = []
  private var random: SeededGenerator
  private var names = 0

  init(seed: Int) {
    random = SeededGenerator(seed: seed)
    version = ModelVersion(entities: [
      Entity(name: "A", attributes: [Attribute(name: "a")]),
      Entity(name: "B", parent: "A", attributes: [Attribute(name: "b")]),
      Entity(name: "C", attributes: [Attribute(name: "c")]),
    ])
    relate("A", "C")
    relate("C", "B")
  }

  private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
  private mutating func pick<Item>(_ items: [Item]) -> Item { items[number(below: items.count)] }
  private mutating func fresh(_ letter: String) -> String {
    names += 1
    return "\(letter)\(names)"
  }

  // MARK: Rows

  /// Inserts rows of every entity, relates them, and saves.
  mutating func insertRows(into context: NSManagedObjectContext) throws {
    let objects = version.entities.filter { !$0.isAbstract }.flatMap { entity in
      (0..<3).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
      }
    }
    for object in objects {
      for entity in version.lineage(object.entity.name ?? "") {
        for attribute in entity.attributes where number(below: 4) > 0 || !attribute.isOptional {
          object.setValue(value(attribute.type), forKey: attribute.name)
        }
        for relationship in entity.relationships {
          let family = version.family(relationship.destination)
          let others = objects.filter { family.contains($0.entity.name ?? "") }
          if others.isEmpty { continue }
          let some = (0..<(relationship.isToMany ? 2 : 1)).map { _ in pick(others) }
          let value: Any =
            !relationship.isToMany
            ? some[0] : relationship.isOrdered ? NSOrderedSet(array: some) : NSSet(array: some)
          object.setValue(value, forKey: relationship.name)
        }
      }
    }
    try context.save()
    context.reset()
  }

  private mutating func value(_ type: NSAttributeType) -> Any {
    switch type {
    case .integer64AttributeType: Int64(number(below: 1000))
    case .doubleAttributeType: Double(number(below: 1000)) / 8
    case .booleanAttributeType: number(below: 2) == 0
    default: "text '\(number(below: 1000))'"
    }
  }

  /// The paper begins with what is there.
  mutating func note(_ contents: [String: [String: String]]) { paper = contents }

  // MARK: Changes

  /// Makes the next version of this one.
  mutating func change() {
    for index in version.entities.indices {
      version.entities[index].former = nil
      for other in version.entities[index].attributes.indices {
        version.entities[index].attributes[other].former = nil
      }
      for other in version.entities[index].relationships.indices {
        version.entities[index].relationships[other].former = nil
      }
    }
    log = []
    let changes: [(String, (inout VersionWalk) -> Void)] = [
      ("add attribute", { $0.addAttribute() }), ("remove attribute", { $0.removeAttribute() }),
      ("rename attribute", { $0.renameAttribute() }), ("make mandatory", { $0.makeMandatory() }),
      ("rename entity", { $0.renameEntity() }), ("add entity", { $0.addEntity() }),
      ("remove entity", { $0.removeEntity() }), ("add parent", { $0.addParent() }),
      ("relate", { $0.relateSome() }), ("unrelate", { $0.unrelate() }),
      ("rename end", { $0.renameEnd() }), ("widen", { $0.widen() }),
      ("forget order", { $0.forgetOrder() }),
      ("move up", { $0.moveUp() }),
    ]
    for _ in 0...number(below: 4) {
      let change = pick(changes)
      log.append(change.0)
      change.1(&self)
    }
  }

  /// Changes the rows of an entity and of those that inherit from it.
  private mutating func rows(of entity: String, _ change: (inout [String: String]) -> Void) {
    let family = version.family(entity)
    for name in paper.keys where family.contains(String(name.split(separator: "/")[0])) {
      change(&paper[name]!)
    }
  }

  private mutating func addAttribute() {
    let entity = number(below: version.entities.count)
    let kinds: [(NSAttributeType, NSObject, String)] = [
      (.integer64AttributeType, 5 as NSNumber, "5"),
      (.stringAttributeType, "it's" as NSString, "it's"),
      (.doubleAttributeType, 0.5 as NSNumber, "0.5"),
      (.booleanAttributeType, true as NSNumber, "1"),
    ]
    let kind = pick(kinds)
    let name = fresh("n")
    let isMandatory = number(below: 2) == 0
    version.entities[entity].attributes.append(
      Attribute(
        name: name, type: kind.0, isOptional: !isMandatory, value: isMandatory ? kind.1 : nil))
    rows(of: version.entities[entity].name) { $0[name] = isMandatory ? kind.2 : "nil" }
  }

  private mutating func someAttribute(
    where fits: (Attribute) -> Bool = { _ in true }
  ) -> (entity: Int, attribute: Int)? {
    let all = version.entities.indices.flatMap { entity in
      version.entities[entity].attributes.indices
        .filter { fits(version.entities[entity].attributes[$0]) }.map { (entity, $0) }
    }
    return all.isEmpty ? nil : pick(all)
  }

  private mutating func removeAttribute() {
    guard let (entity, attribute) = someAttribute(where: { $0.former == nil }) else { return }
    let gone = version.entities[entity].attributes.remove(at: attribute)
    rows(of: version.entities[entity].name) { $0[gone.name] = nil }
  }

  private mutating func renameAttribute() {
    guard let (entity, attribute) = someAttribute(where: { $0.former == nil }) else { return }
    let old = version.entities[entity].attributes[attribute].name
    let new = fresh("r")
    // What came in this very version has no former name.
    version.entities[entity].attributes[attribute].former = old
    version.entities[entity].attributes[attribute].name = new
    rows(of: version.entities[entity].name) {
      $0[new] = $0[old]
      $0[old] = nil
    }
  }

  private mutating func makeMandatory() {
    let isText: (Attribute) -> Bool = { $0.isOptional && $0.type == .stringAttributeType }
    guard let (entity, attribute) = someAttribute(where: isText) else { return }
    version.entities[entity].attributes[attribute].isOptional = false
    version.entities[entity].attributes[attribute].value = "now" as NSString
    let name = version.entities[entity].attributes[attribute].name
    rows(of: version.entities[entity].name) { if $0[name] == "nil" { $0[name] = "now" } }
  }

  private mutating func renameEntity() {
    let index = number(below: version.entities.count)
    guard version.entities[index].former == nil, !isNew(version.entities[index].name) else {
      return
    }
    let old = version.entities[index].name
    let new = fresh("E")
    version.entities[index].name = new
    version.entities[index].former = old
    for other in version.entities.indices {
      if version.entities[other].parent == old { version.entities[other].parent = new }
      for end in version.entities[other].relationships.indices
      where version.entities[other].relationships[end].destination == old {
        version.entities[other].relationships[end].destination = new
      }
    }
    func renamed(_ text: String) -> String {
      text.split(separator: " ").map {
        $0.hasPrefix(old + "/") ? new + $0.dropFirst(old.count) : String($0)
      }.joined(separator: " ")
    }
    rewrite(renamed)
  }

  /// Changes the names of rows, everywhere they stand.
  private mutating func rewrite(_ renamed: (String) -> String) {
    let ends = Set(version.entities.flatMap(\.relationships).map(\.name))
    paper = Dictionary(
      uniqueKeysWithValues: paper.map { name, values in
        let values = values.map { key, text in
          guard ends.contains(key) else { return (key, text) }
          let new = renamed(text)
          let isOrdered = new.contains(" < ")
          return (key, isOrdered ? new : new.split(separator: " ").sorted().joined(separator: " "))
        }
        return (renamed(name), Dictionary(uniqueKeysWithValues: values))
      })
  }

  private func isNew(_ entity: String) -> Bool { entity.hasPrefix("N") || entity.hasPrefix("P") }

  private mutating func addEntity() {
    let parent = number(below: 2) == 0 ? pick(version.entities).name : nil
    version.entities.append(
      Entity(name: fresh("N"), parent: parent, attributes: [Attribute(name: fresh("a"))]))
  }

  private mutating func removeEntity() {
    let leaves = version.entities.filter { entity in
      !version.entities.contains { $0.parent == entity.name } && entity.former == nil
    }
    guard version.entities.count > 2, !leaves.isEmpty else { return }
    let name = pick(leaves).name
    // A relationship that leads to it goes with it; one to an entity above merely loses the rows.
    for end in version.entities[version.index(name)].relationships { removeEnd(name, end.name) }
    for entity in version.entities {
      for end in entity.relationships where end.destination == name {
        removeEnd(entity.name, end.name)
      }
    }
    version.entities.remove(at: version.index(name))
    let prefix = name + "/"
    paper = paper.filter { !$0.key.hasPrefix(prefix) }
    let ends = Set(version.entities.flatMap(\.relationships).map(\.name))
    for (row, values) in paper {
      for (key, text) in values where ends.contains(key) {
        let separator = text.contains(" < ") ? " < " : " "
        paper[row]?[key] = text.components(separatedBy: separator)
          .filter { !$0.hasPrefix(prefix) }.joined(separator: separator)
      }
    }
  }

  private mutating func addParent() {
    let roots = version.entities.indices.filter { version.entities[$0].parent == nil }
    let index = pick(roots)
    let name = fresh("P")
    version.entities[index].parent = name
    version.entities.append(
      Entity(name: name, isAbstract: true, attributes: [Attribute(name: fresh("a"))]))
    let added = version.entities.last!.attributes[0].name
    rows(of: name) { $0[added] = "nil" }
  }

  private mutating func moveUp() {
    guard let (entity, attribute) = someAttribute(where: { $0.isOptional && $0.former == nil }),
      let parent = version.entities[entity].parent
    else { return }
    let moved = version.entities[entity].attributes.remove(at: attribute)
    version.entities[version.index(parent)].attributes.append(moved)
    rows(of: parent) { if $0[moved.name] == nil { $0[moved.name] = "nil" } }
  }

  // MARK: Relationships

  private mutating func relate(_ one: String, _ other: String) {
    let (there, back) = (fresh("x"), fresh("y"))
    let isMany = (number(below: 2) == 0, number(below: 2) == 0)
    version.entities[version.index(one)].relationships.append(
      Relationship(
        name: there, destination: other, inverse: back, isToMany: isMany.0,
        isOrdered: isMany.0 && number(below: 3) == 0))
    version.entities[version.index(other)].relationships.append(
      Relationship(name: back, destination: one, inverse: there, isToMany: isMany.1))
  }

  private mutating func relateSome() {
    let (one, other) = (pick(version.entities).name, pick(version.entities).name)
    if one == other { return }
    relate(one, other)
    for name in [one, other] {
      let end = version.entities[version.index(name)].relationships.last!.name
      rows(of: name) { $0[end] = "" }
    }
  }

  private mutating func someEnd(
    where fits: (Relationship) -> Bool = { _ in true }
  ) -> (entity: Int, end: Int)? {
    let all = version.entities.indices.flatMap { entity in
      version.entities[entity].relationships.indices
        .filter { fits(version.entities[entity].relationships[$0]) }.map { (entity, $0) }
    }
    return all.isEmpty ? nil : pick(all)
  }

  private mutating func removeEnd(_ entity: String, _ name: String) {
    let ends = version.entities[version.index(entity)].relationships
    guard let end = ends.first(where: { $0.name == name }), let inverse = end.inverse else {
      return
    }
    for (place, gone) in [(entity, name), (end.destination, inverse)] {
      version.entities[version.index(place)].relationships.removeAll { $0.name == gone }
      rows(of: place) { $0[gone] = nil }
    }
  }

  private mutating func unrelate() {
    guard let (entity, end) = someEnd(where: { $0.former == nil }) else { return }
    removeEnd(
      version.entities[entity].name, version.entities[entity].relationships[end].name)
  }

  private mutating func renameEnd() {
    guard let (entity, end) = someEnd(where: { $0.former == nil }) else { return }
    let old = version.entities[entity].relationships[end]
    let new = fresh("z")
    version.entities[entity].relationships[end].name = new
    version.entities[entity].relationships[end].former = old.name
    let other = version.index(old.destination)
    for index in version.entities[other].relationships.indices
    where version.entities[other].relationships[index].inverse == old.name {
      version.entities[other].relationships[index].inverse = new
    }
    rows(of: version.entities[entity].name) {
      $0[new] = $0[old.name]
      $0[old.name] = nil
    }
  }

  private mutating func widen() {
    guard let (entity, end) = someEnd(where: { !$0.isToMany }) else { return }
    version.entities[entity].relationships[end].isToMany = true
  }

  private mutating func forgetOrder() {
    guard let (entity, end) = someEnd(where: { $0.isToMany && $0.isOrdered }) else { return }
    version.entities[entity].relationships[end].isOrdered = false
    let name = version.entities[entity].relationships[end].name
    rows(of: version.entities[entity].name) {
      $0[name] = $0[name]?.components(separatedBy: " < ").sorted().joined(separator: " ")
    }
  }
}
