import CoreData
import Foundation
import XCTest

/// What becomes of every kind of relationship when two objects are united.
final class ConstraintRelationshipSpecs: SpecCase {
  private func open(_ policy: NSMergePolicy) throws -> NSManagedObjectContext {
    let container = try makeContainer(model: CrateModel.model, name: "Crates")
    keep(container)
    container.viewContext.mergePolicy = policy
    return container.viewContext
  }

  private func crate(_ key: String, _ parts: [String], _ context: NSManagedObjectContext)
    -> Crate
  {
    let crate = Crate(context: context)
    crate.key = key
    crate.parts = NSOrderedSet(array: parts.map { named($0, in: context) as CratePart })
    return crate
  }

  private func named<T: NSManagedObject>(_ name: String, in context: NSManagedObjectContext) -> T {
    let object = T(context: context)
    object.setValue(name, forKey: "name")
    return object
  }

  private func names(_ crate: Crate?) -> [String] {
    (crate?.parts.array as? [CratePart] ?? []).compactMap(\.name)
  }

  func testDeleteRulesOfTheLoserReachNothingThatMoved() throws {
    let context = try open(.mergeByPropertyObjectTrump)
    let row = crate("k", [], context)
    let lid: CrateLid = named("lid", in: context)
    let other = crate("other", [], context)
    other.lid = lid
    try context.save()
    let new = crate("k", ["part"], context)
    new.lid = lid
    new.labels = [named("label", in: context) as CrateLabel]
    new.leaflets = [named("leaflet", in: context) as CrateLeaflet]
    try context.save()
    XCTAssertIdentical(row.lid, lid)
    XCTAssertEqual(lid.crates, [row, other])
    let file = try open(.error)
    let stored = try XCTUnwrap(file.all(Crate.self, by: "key").first)
    XCTAssertEqual(stored.lid?.name, "lid")
    XCTAssertEqual(stored.labels.map(\.name), ["label"])
    XCTAssertEqual(stored.leaflets.map(\.name), ["leaflet"])
    XCTAssertEqual(names(stored), ["part"])
  }

  func testStoredRelativesOfAStoredLoserSurviveItsDeleteRules() throws {
    let context = try open(.mergeByPropertyStoreTrump)
    let row = crate("k", ["a"], context)
    let second = crate("o", ["b"], context)
    second.lid = named("lid", in: context)
    second.labels = [named("label", in: context) as CrateLabel]
    try context.save()
    context.refreshAllObjects()
    second.key = "k"
    try context.save()
    XCTAssertEqual(names(row), ["a", "b"])
    let stored = try open(.error).only(Crate.self)
    XCTAssertEqual(stored.lid?.name, "lid")
    XCTAssertEqual(stored.labels.map(\.name), ["label"])
    XCTAssertEqual(names(stored), ["a", "b"])
  }

  func testWhatTheLoserPointedToWithoutBeingKnownThereIsOneOfItsValues() throws {
    let context = try open(.mergeByPropertyStoreTrump)
    let row = crate("k", [], context)
    row.leaflets = [named("old", in: context) as CrateLeaflet]
    try context.save()
    for (policy, expected) in [
      (NSMergePolicy.mergeByPropertyStoreTrump, ["old"]),
      (.mergeByPropertyObjectTrump, ["new", "old"]), (.overwrite, ["newest"]),
    ] {
      context.mergePolicy = policy
      let new = crate("k", [], context)
      let name = policy === NSMergePolicy.overwrite ? "newest" : "new"
      new.leaflets = [named(name, in: context) as CrateLeaflet]
      new.next = new
      try context.save()
      XCTAssertEqual(row.leaflets.compactMap(\.name).sorted(), expected)
      let stored = try open(.error).only(Crate.self)
      XCTAssertEqual(stored.leaflets.compactMap(\.name).sorted(), expected)
      XCTAssertEqual(stored.next === stored, policy !== NSMergePolicy.mergeByPropertyStoreTrump)
    }
  }

  func testTheOrderOfMembersIsTheRowsFollowedByTheLosers() throws {
    let outcomes: [(NSMergePolicy, [String])] = [
      (.mergeByPropertyStoreTrump, ["a", "b", "c", "d", "e"]),
      (.mergeByPropertyObjectTrump, ["a", "b", "c", "d", "e"]), (.overwrite, ["c", "d", "e"]),
      (.rollback, ["a", "b"]),
    ]
    for (policy, expected) in outcomes {
      let context = try open(policy)
      for crate in try context.all(Crate.self) { context.delete(crate) }
      let row = crate("k", ["a", "b"], context)
      try context.save()
      _ = crate("k", ["c", "d", "e"], context)
      try context.save()
      XCTAssertEqual(names(row), expected)
      XCTAssertEqual(names(try open(.error).only(Crate.self)), expected)
    }
  }

  func testWhoListsTheLoserListsTheSurvivorInItsPlace() throws {
    let context = try open(.mergeByPropertyObjectTrump)
    let row = crate("k", [], context)
    try context.save()
    let others = [crate("1", [], context), crate("2", [], context)]
    let new = crate("k", [], context)
    let list = CrateList(context: context)
    list.crates = [others[0], new, others[1]]
    try context.save()
    XCTAssertEqual(list.crates.array as? [Crate], [others[0], row, others[1]])
    let stored = try open(.error).only(CrateList.self)
    XCTAssertEqual((stored.crates.array as? [Crate])?.map(\.key), ["1", "k", "2"])
  }
}

/// Something with a unique key and a relationship of every kind.
final class Crate: NSManagedObject {
  /// Unique.
  @Managed var key: String?
  /// Many to one; deleted with its crates.
  @Managed var lid: CrateLid?
  /// Many to many; deleted with the crate.
  @Managed var labels: Set<CrateLabel>
  /// One to many, in order; deleted with the crate.
  @Managed var parts: NSOrderedSet
  /// To many, without inverse.
  @Managed var leaflets: Set<CrateLeaflet>
  /// To one, without inverse.
  @Managed var next: Crate?
}

/// Covers several crates.
final class CrateLid: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// The crates.
  @Managed var crates: Set<Crate>
}

/// Sticks to several crates.
final class CrateLabel: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// The crates.
  @Managed var crates: Set<Crate>
}

/// Lies in one crate, in a place of its own.
final class CratePart: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// The crate.
  @Managed var crate: Crate?
}

/// Does not know its crate.
final class CrateLeaflet: NSManagedObject {
  /// A label.
  @Managed var name: String?
}

/// Lists crates, in order, that do not know it.
final class CrateList: NSManagedObject {
  /// The crates.
  @Managed var crates: NSOrderedSet
}

private enum CrateModel {
  static var model: NSManagedObjectModel { holder.model }

  private struct Holder: @unchecked Sendable { let model: NSManagedObjectModel }

  private static let holder = Holder(model: make())

  private static func make() -> NSManagedObjectModel {
    typealias Spec = SpecModel
    let crate = Spec.entity("Crate", Crate.self, [Spec.text("key")])
    let lid = Spec.entity("CrateLid", CrateLid.self, [Spec.text("name")])
    let label = Spec.entity("CrateLabel", CrateLabel.self, [Spec.text("name")])
    let part = Spec.entity("CratePart", CratePart.self, [Spec.text("name")])
    let leaflet = Spec.entity("CrateLeaflet", CrateLeaflet.self, [Spec.text("name")])
    let list = Spec.entity("CrateList", CrateList.self, [])

    Spec.relate(
      Spec.toOne("lid", crate, rule: .cascadeDeleteRule),
      Spec.toMany("crates", lid, .nullifyDeleteRule))
    Spec.relate(
      Spec.toMany("labels", crate, .cascadeDeleteRule),
      Spec.toMany("crates", label, .nullifyDeleteRule))
    let parts = Spec.toMany("parts", crate, .cascadeDeleteRule)
    parts.relationship.isOrdered = true
    Spec.relate(parts, Spec.toOne("crate", part))
    let crates = Spec.toMany("crates", list, .nullifyDeleteRule)
    crates.relationship.isOrdered = true
    for (end, destination) in [
      (Spec.toMany("leaflets", crate, .cascadeDeleteRule), leaflet),
      (Spec.toOne("next", crate), crate), (crates, crate),
    ] {
      end.relationship.destinationEntity = destination
      end.source.properties.append(end.relationship)
    }
    crate.uniquenessConstraints = [["key"]]
    let model = NSManagedObjectModel()
    model.entities = [crate, lid, label, part, leaflet, list]
    return model
  }
}
