import CoreData
import Foundation
import XCTest

/// What a history keeps of deleted records when the model keeps something else, which no version
/// hash tells (C36, C50).
final class PreservationSpecs: VersionsCase {
  private typealias Attribute = ModelVersion.Attribute

  /// A model of people that preserves some of their attributes.
  private func model(preserving names: Set<String>, _ more: [String] = []) -> NSManagedObjectModel {
    let version = ModelVersion(entities: [
      ModelVersion.Entity(
        name: "Person", attributes: (["address", "email"] + more).map { Attribute(name: $0) }),
      ModelVersion.Entity(name: "Pet", attributes: [Attribute(name: "email")]),
    ])
    let model = version.model()
    for (name, attribute) in model.entitiesByName["Person"]?.attributesByName ?? [:] {
      attribute.preservesValueInHistoryOnDeletion = names.contains(name)
    }
    model.entitiesByName["Pet"]?.attributesByName["email"]?.preservesValueInHistoryOnDeletion = true
    return model
  }

  private func open(
    _ model: NSManagedObjectModel, readOnly: Bool = false
  ) throws -> NSManagedObjectContext {
    try open(model, "Versions") {
      $0.isReadOnly = readOnly
      $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    }
  }

  /// Deletes a person and a pet.
  private func delete(_ context: NSManagedObjectContext) throws {
    let person = context.new("Person", ["address": "here", "email": "a@b"])
    let pet = context.new("Pet", ["email": "pet@b"])
    try context.save()
    context.delete(person)
    context.delete(pet)
    try context.save()
  }

  /// What was kept of the deleted people, each as pairs in order.
  private func kept(_ context: NSManagedObjectContext) throws -> [[String]] {
    let changes = try context.history().flatMap { $0.changes ?? [] }
      .filter { $0.changeType == .delete }
    for change in changes where change.changedObjectID.entity.name == "Pet" {
      XCTAssertEqual(change.tombstone?["email"] as? String, "pet@b")
    }
    return changes.filter { $0.changedObjectID.entity.name == "Person" }.map { change in
      (change.tombstone ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
    }
  }

  func testC36_C50_anAttributeThatIsPreservedTooTakesNothingFromAnother() throws {
    let before = try open(model(preserving: ["email"]))
    try delete(before)
    try close(before)
    for _ in 0..<2 {
      let context = try open(model(preserving: ["address", "email"]))
      XCTAssertEqual(try kept(context).first, ["email=a@b"])
      try delete(context)
      XCTAssertEqual(try kept(context).last, ["address=here", "email=a@b"])
      try close(context)
    }
    let migrated = try open(model(preserving: ["address"], ["phone"]))
    XCTAssertEqual(try kept(migrated), [[], ["address=here"], ["address=here"]])
  }

  func testC24_C50_whoOnlyReadsFindsWhatWasKeptWhateverTheModelPreserves() throws {
    let before = try open(model(preserving: ["email"]))
    try delete(before)
    try close(before)
    let cases: [(Set<String>, [String])] = [
      (["address", "email"], ["email=a@b"]), (["address"], []), ([], []),
      (["email"], ["email=a@b"]),
    ]
    for (names, expected) in cases {
      let context = try open(model(preserving: names), readOnly: true)
      XCTAssertEqual(try kept(context), [expected], "preserving \(names.sorted())")
      try close(context)
    }
  }

  func testC24_C50_whoOnlyReadsFindsAHistoryThatKeptNothing() throws {
    func bare(_ names: Set<String>) -> NSManagedObjectModel {
      let model = model(preserving: names)
      model.entitiesByName["Pet"]?.attributesByName["email"]?.preservesValueInHistoryOnDeletion =
        false
      return model
    }
    let before = try open(bare([]))
    let person = before.new("Person", ["email": "a@b"])
    try before.save()
    before.delete(person)
    try before.save()
    try close(before)
    XCTAssertEqual(try kept(open(bare(["email"]), readOnly: true)), [[]])
  }

  func testC36_C50_whatIsNoLongerPreservedIsForgotten() throws {
    for more in [[], ["phone"]] {
      let names: [Set<String>] = [["email"], [], ["address"]]
      var found: [[String]] = []
      for (step, names) in names.enumerated() {
        let context = try open(model(preserving: names, step == 0 ? [] : more))
        if step == 0 { try delete(context) }
        found = try kept(context)
        try close(context)
      }
      XCTAssertEqual(found, [[]])
      try FileManager.default.removeItem(at: storeURL("Versions"))
      for end in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: storeURL("Versions").path + end)
      }
    }
  }
}
