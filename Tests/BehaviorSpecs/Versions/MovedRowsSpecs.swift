import CoreData
import Foundation
import XCTest

/// Rows whose table, or whose destination's table, is another one in the next version (C39).
final class MovedRowsSpecs: VersionsCase {
  func testC37_C41_whoHasTheFormerVersionOpenWritesNothingIntoTheMigratedStore() throws {
    func model(_ names: [String]) -> NSManagedObjectModel {
      ModelVersion(
        entities: names.map {
          ModelVersion.Entity(name: $0, attributes: [ModelVersion.Attribute(name: "name")])
        }
      ).model()
    }
    let old = try open(model(["Person"]))
    _ = old.new("Person", ["name": "a"])
    try old.save()
    let new = try open(model(["Account", "Person"]))
    let late = old.new("Person", ["name": "late"])
    cocoaError(134100) { try old.save() }
    XCTAssertTrue(late.isInserted, "it stays pending")
    XCTAssertEqual(try contents(new).count, 1)
  }

  private typealias Entity = ModelVersion.Entity
  private typealias Attribute = ModelVersion.Attribute
  private typealias Relationship = ModelVersion.Relationship

  private let named = [Attribute(name: "name")]

  /// Saves objects of some entities in a store of a version.
  private func fill(
    _ version: ModelVersion, _ names: [String], _ relate: ([NSManagedObject]) -> Void = { _ in }
  ) throws {
    let context = try open(version.model())
    relate(
      names.map { NSEntityDescription.insertNewObject(forEntityName: $0, into: context) })
    try context.save()
    try close(context)
  }

  func testC39_whatLeavesAHierarchyLeavesItsTable() throws {
    let together = ModelVersion(entities: [
      Entity(name: "Animal", attributes: named), Entity(name: "Dog", parent: "Animal"),
    ])
    try fill(together, ["Animal", "Dog"])
    let apart = ModelVersion(entities: [
      Entity(name: "Animal", attributes: named), Entity(name: "Dog", attributes: named),
    ])
    let context = try open(apart.model())
    let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
    XCTAssertEqual(try context.count(for: request), 1)
    XCTAssertEqual(try contents(context).count, 2)
  }

  /// An owner of things that are tags or topics; nothing leads back.
  private func owner(of things: String, _ others: [String]) -> ModelVersion {
    ModelVersion(
      entities: [
        Entity(
          name: "Owner", attributes: named,
          relationships: [Relationship(name: "things", destination: things, isToMany: true)])
      ] + others.map { Entity(name: $0, attributes: named) })
  }

  private func own(_ objects: [NSManagedObject]) {
    objects[0].setValue(NSSet(object: objects[1]), forKey: "things")
  }

  func testC39_aRelationshipToANewEntityHasNothingOfTheFormerOne() throws {
    try fill(owner(of: "Tag", ["Tag"]), ["Owner", "Tag"], own)
    let context = try open(owner(of: "Topic", ["Topic"]).model())
    XCTAssertEqual(try contents(context)["Owner/p1"]?["things"], "")
    NSEntityDescription.insertNewObject(forEntityName: "Topic", into: context)
      .setValue("news", forKey: "name")
    try context.save()
    context.reset()
    XCTAssertEqual(try contents(context)["Topic/p1"]?["name"], "news")
    XCTAssertEqual(try contents(context)["Owner/p1"]?["things"], "")
  }

  func testC39_aRelationshipToAnotherEntityDoesNotTakeRecordsOfTheSameKeys() throws {
    try fill(owner(of: "Tag", ["Tag", "Topic"]), ["Owner", "Tag", "Topic"], own)
    let context = try open(owner(of: "Topic", ["Topic"]).model())
    XCTAssertEqual(
      try contents(context),
      ["Owner/p1": ["name": "nil", "things": ""], "Topic/p1": ["name": "nil"]])
  }

  func testC39_aRelationshipIntoAHierarchyThatStaysTakesNothingOverEither() throws {
    try fill(owner(of: "Tag", ["Base", "Tag"]), ["Owner", "Tag", "Base"], own)
    var version = owner(of: "Topic", ["Base"])
    version.entities.append(Entity(name: "Topic", parent: "Base"))
    let context = try open(version.model())
    XCTAssertEqual(
      try contents(context),
      ["Owner/p1": ["name": "nil", "things": ""], "Base/p1": ["name": "nil"]])
  }
}
