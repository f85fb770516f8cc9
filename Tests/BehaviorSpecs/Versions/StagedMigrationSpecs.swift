import CoreData
import Foundation
import XCTest

/// Migrations in stages, those that leave something for later, and those of a copy (section C.4).
final class StagedMigrationSpecs: VersionsCase {
  private typealias Entity = ModelVersion.Entity
  private typealias Attribute = ModelVersion.Attribute

  /// Guests with a full name; then with two names beside it; then with the two names only.
  private let versions: [ModelVersion] = [
    ["fullName"], ["fullName", "first", "last"], ["first", "last"],
  ].map { names in
    ModelVersion(entities: [
      Entity(name: "Guest", attributes: names.map { Attribute(name: $0) })
    ])
  }

  private func fill() throws {
    let context = try open(versions[0].model())
    for name in ["Ada Lovelace", "Alan Turing"] {
      NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context)
        .setValue(name, forKey: "fullName")
    }
    try context.save()
    try close(context)
  }

  private func open(_ version: Int, _ manager: NSStagedMigrationManager) throws
    -> NSManagedObjectContext
  {
    try open(versions[version].model()) {
      $0.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    }
  }

  /// The stage that fills in the two names between the first version and the second.
  private func splitting(_ heard: Box<[String]>) -> NSCustomMigrationStage {
    let models = versions.map { $0.model() }
    let stage = NSCustomMigrationStage(
      migratingFrom: NSManagedObjectModelReference(
        model: models[0], versionChecksum: models[0].versionChecksum),
      to: NSManagedObjectModelReference(
        model: models[1], versionChecksum: models[1].versionChecksum))
    stage.label = "split"
    stage.willMigrateHandler = { manager, stage in
      let context = try XCTUnwrap(manager.container).newBackgroundContext()
      let count = try context.performAndWait {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Guest"))
      }
      heard.update { $0.append("will \(stage.label ?? "") \(count)") }
    }
    stage.didMigrateHandler = { manager, stage in
      XCTAssertIdentical(manager.currentStage, stage)
      let context = try XCTUnwrap(manager.container).newBackgroundContext()
      try context.performAndWait {
        for guest in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Guest")) {
          let names = (guest.value(forKey: "fullName") as? String ?? "").split(separator: " ")
          guest.setValue(String(names[0]), forKey: "first")
          guest.setValue(String(names[1]), forKey: "last")
        }
        try context.save()
      }
      heard.update { $0.append("did \(stage.label ?? "")") }
    }
    return stage
  }

  private var forgetting: NSLightweightMigrationStage {
    NSLightweightMigrationStage(versions.suffix(2).map { $0.model().versionChecksum })
  }

  func testC43_customAndLightweightStagesAreDoneInTheirOrder() throws {
    try fill()
    let heard = Box<[String]>([])
    let manager = NSStagedMigrationManager([splitting(heard), forgetting])
    let guests = try contents(open(2, manager))
    XCTAssertEqual(
      guests,
      [
        "Guest/p1": ["first": "Ada", "last": "Lovelace"],
        "Guest/p2": ["first": "Alan", "last": "Turing"],
      ])
    XCTAssertEqual(heard.value, ["will split 2", "did split"])
    XCTAssertNil(manager.container)
    XCTAssertNil(manager.currentStage)
  }

  func testC43_aStoreInTheMiddleBeginsInTheMiddleAndOneAtTheEndWithNothing() throws {
    try fill()
    let heard = Box<[String]>([])
    let manager = NSStagedMigrationManager([splitting(heard), forgetting])
    try close(open(1, manager))
    XCTAssertEqual(heard.value.count, 2)
    for _ in 0..<2 { try close(open(2, manager)) }
    XCTAssertEqual(heard.value.count, 2)
    cocoaError(134506) { _ = try open(0, manager) }
  }

  func testC43_everyVersionOnTheWayNeedsAStage() throws {
    try fill()
    let reason =
      cocoaError(134504) {
        _ = try open(2, NSStagedMigrationManager([forgetting]))
      }?.userInfo["reason"] as? String
    XCTAssertEqual(
      reason,
      "Cannot use staged migration with an unknown model version: "
        + "no stage has the version of the store")
    cocoaError(134504) {
      _ = try open(2, NSStagedMigrationManager([splitting(Box<[String]>([]))]))
    }
    XCTAssertEqual(try contents(open(versions[0].model())).count, 2)
  }

  func testC43_aHandlerThatThrowsEndsTheMigrationThere() throws {
    try fill()
    let stage = splitting(Box<[String]>([]))
    stage.willMigrateHandler = { _, _ in throw CocoaError(.userCancelled) }
    cocoaError(CocoaError.Code.userCancelled.rawValue) {
      _ = try open(2, NSStagedMigrationManager([stage, forgetting]))
    }
    XCTAssertEqual(try contents(open(versions[0].model())).count, 2)
  }

  func testC43_aHandlerThatDidNotEndAfterTheStepIsNotCalledAgain() throws {
    try fill()
    let heard = Box<[String]>([])
    let stage = splitting(heard)
    let split = stage.didMigrateHandler
    stage.didMigrateHandler = { _, _ in throw CocoaError(.userCancelled) }
    cocoaError(CocoaError.Code.userCancelled.rawValue) {
      _ = try open(1, NSStagedMigrationManager([stage]))
    }
    stage.didMigrateHandler = split
    let guests = try contents(open(1, NSStagedMigrationManager([stage])))
    XCTAssertEqual(heard.value, ["will split 2"])
    XCTAssertEqual(
      guests["Guest/p1"], ["fullName": "Ada Lovelace", "first": "nil", "last": "nil"])
  }

  /// Notes, and others, whose one attribute has another name in each version.
  private func renamed(
    _ name: String, from former: String? = nil, _ configurations: [String: [String]]
  ) -> NSManagedObjectModel {
    ModelVersion(entities: [
      Entity(name: "Note", attributes: [Attribute(name: name, former: former)]),
      Entity(name: "Other", attributes: [Attribute(name: name, former: former)]),
    ]).model(configurations: configurations)
  }

  /// A lightweight stage of the first version only, then a custom one from the second to the third.
  private func stages(
    _ models: [NSManagedObjectModel], _ heard: Box<[String]>
  ) -> NSStagedMigrationManager {
    let references = models.map {
      NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
    }
    let custom = NSCustomMigrationStage(migratingFrom: references[1], to: references[2])
    func hear(_ key: String) -> (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void {
      { manager, _ in
        let context = try XCTUnwrap(manager.container).newBackgroundContext()
        let found = try context.performAndWait {
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            .compactMap { $0.value(forKey: key) as? String }
        }
        heard.update { $0.append("\(key) \(found)") }
      }
    }
    custom.willMigrateHandler = hear("title")
    custom.didMigrateHandler = hear("headline")
    return NSStagedMigrationManager([
      NSLightweightMigrationStage([models[0].versionChecksum]), custom,
    ])
  }

  /// Writes a note with the first of three versions and opens the store with the last, in stages.
  private func openInStages(_ configuration: String?) throws -> [String] {
    let parts = ["Notes": ["Note"], "Others": ["Other"]]
    let models = [
      renamed("name", parts), renamed("title", from: "name", parts),
      renamed("headline", from: "title", parts),
    ]
    let heard = Box<[String]>([])
    let before = try open(models[0]) { $0.configuration = configuration }
    before.new("Note", ["name": "Ada"])
    try before.save()
    try close(before)
    let manager = stages(models.map { $0.copy() as? NSManagedObjectModel ?? $0 }, heard)
    let context = try open(models[2]) {
      $0.configuration = configuration
      $0.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let names = try context.fetch(request).compactMap { $0.value(forKey: "headline") as? String }
    XCTAssertEqual(names, ["Ada"])
    return heard.value
  }

  func testC43_whatLiesBetweenTwoStagesIsInferred() throws {
    XCTAssertEqual(try openInStages(nil), ["title [\"Ada\"]", "headline [\"Ada\"]"])
  }

  func testC43_aStoreOfAConfigurationIsMigratedInStages() throws {
    XCTAssertEqual(try openInStages("Notes"), ["title [\"Ada\"]", "headline [\"Ada\"]"])
  }

  func testC43_aStageThatTheStoreHasBehindItIsLeftOut() throws {
    try fill()
    let heard = Box<[String]>([])
    let split = splitting(heard)
    try close(open(1, NSStagedMigrationManager([split])))
    XCTAssertEqual(heard.value.count, 2)
    let last = NSLightweightMigrationStage([versions[2].model().versionChecksum])
    XCTAssertEqual(try contents(open(2, NSStagedMigrationManager([split, last]))).count, 2)
    XCTAssertEqual(heard.value.count, 2)
  }

  func testC44_whatTakesTimeIsLeftUntilItIsAskedFor() throws {
    try fill()
    let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
    let context = try open(versions[1].model()) { $0.setOption(true as NSNumber, forKey: key) }
    let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
    let store = try XCTUnwrap(coordinator.persistentStores.first)
    XCTAssertEqual(coordinator.metadata(for: store)[key] as? Bool, true)
    XCTAssertEqual(try contents(context).count, 2, "the store can be used at once")
    try coordinator.finishDeferredLightweightMigration()
    XCTAssertNil(coordinator.metadata(for: store)[key])
    try coordinator.finishDeferredLightweightMigrationTask()
    try close(context)
    XCTAssertEqual(try contents(open(versions[1].model())).count, 2)
    XCTAssertNil(
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: storeURL("Versions"))[key])
  }

  func testC39_aManagerMigratesACopy() throws {
    try fill()
    let (old, new) = (versions[0].model(), versions[1].model())
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    XCTAssertEqual(mapping.entityMappings.map(\.name), ["IEM_Transform_Guest"])
    func migrate(_ from: String, _ mapping: NSMappingModel?, to: String) throws {
      try manager.migrateStore(
        from: storeURL(from), type: .sqlite, mapping: mapping, to: storeURL(to), type: .sqlite)
    }
    cocoaError(134140) { try migrate("Versions", nil, to: "Copy") }
    cocoaError(134150) { try migrate("Nowhere", mapping, to: "Copy") }
    cocoaError(134160) { try migrate("Versions", mapping, to: "no/such/folder") }
    try migrate("Versions", mapping, to: "Copy")
    XCTAssertEqual(manager.migrationProgress, 1)
    XCTAssertEqual(try contents(open(new, "Copy")).count, 2)
    XCTAssertEqual(try contents(open(old)).count, 2, "the original is what it was")
    try manager.migrateStore(
      from: storeURL("Versions"), sourceType: NSSQLiteStoreType, options: nil, with: mapping,
      toDestinationURL: storeURL("Old spelling"), destinationType: NSSQLiteStoreType)
    XCTAssertEqual(try contents(open(new, "Old spelling")).count, 2)
  }

  func testC39_aCancelledMigrationLeavesItsDestinationAlone() throws {
    try fill()
    let (old, new) = (versions[0].model(), versions[1].model())
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    let mapping = CancellingMapping()
    mapping.entityMappings = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new
    ).entityMappings
    mapping.cancel = { manager.cancelMigrationWithError(CocoaError(.userCancelled)) }
    func migrate() throws {
      try manager.migrateStore(
        from: storeURL("Versions"), type: .sqlite, mapping: mapping, to: storeURL("Copy"),
        type: .sqlite)
    }
    cocoaError(CocoaError.Code.userCancelled.rawValue) { try migrate() }
    XCTAssertFalse(FileManager.default.fileExists(atPath: storeURL("Copy").path))
    XCTAssertEqual(manager.migrationProgress, 0)
    mapping.cancel = {}
    try migrate()
    XCTAssertEqual(try contents(open(new, "Copy")).count, 2)
    manager.reset()
    XCTAssertEqual(manager.migrationProgress, 0)
    XCTAssertNil(NSMappingModel(contentsOf: storeURL("Copy")))
  }

  func testC41_aCopyThatCannotBeMigratedLeavesWhatWasThere() throws {
    try fill()
    let new = ModelVersion(entities: [
      Entity(
        name: "Guest",
        attributes: [
          Attribute(name: "fullName"), Attribute(name: "email", isOptional: false),
        ])
    ]).model()
    let manager = NSMigrationManager(sourceModel: versions[0].model(), destinationModel: new)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: versions[0].model(), destinationModel: new)
    func migrate(to name: String) throws {
      try manager.migrateStore(
        from: storeURL("Versions"), type: .sqlite, mapping: mapping, to: storeURL(name),
        type: .sqlite)
    }
    cocoaError(134110) { try migrate(to: "Copy") }
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: directory.path)
        .filter { $0.hasPrefix("Copy") }, [])
    cocoaError(134110) { try migrate(to: "Versions") }
    XCTAssertEqual(try contents(open(versions[0].model())).count, 2)
  }

  func testC39_C50_theHistoryIsToldInTheWordsOfTheNewVersion() throws {
    var version = ModelVersion(entities: [
      Entity(name: "B", attributes: [Attribute(name: "m"), Attribute(name: "x")]),
      Entity(name: "C", attributes: [Attribute(name: "c")]),
    ])
    func keep(_ description: NSPersistentStoreDescription) {
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    }
    func preserving(_ version: ModelVersion) -> NSManagedObjectModel {
      let model = version.model()
      for attribute in model.entities.flatMap(\.attributesByName.values) {
        attribute.preservesValueInHistoryOnDeletion = true
      }
      return model
    }
    let before = try open(preserving(version), change: keep)
    let b = NSEntityDescription.insertNewObject(forEntityName: "B", into: before)
    _ = NSEntityDescription.insertNewObject(forEntityName: "C", into: before)
    try before.save()
    b.setValue("changed", forKey: "x")
    try before.save()
    before.delete(b)
    try before.save()
    try close(before)
    version.entities = [
      Entity(name: "A"),
      Entity(
        name: "B",
        attributes: [
          Attribute(name: "a"), Attribute(name: "m"), Attribute(name: "y", former: "x"),
        ]),
    ]
    let context = try open(preserving(version), change: keep)
    let request = NSPersistentHistoryChangeRequest.fetchHistory(
      after: nil as NSPersistentHistoryToken?)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let changes = (result?.result as? [NSPersistentHistoryTransaction] ?? [])
      .flatMap { $0.changes ?? [] }
    XCTAssertEqual(changes.map(\.changedObjectID.entity.name), ["B", "B", "B"])
    XCTAssertEqual(changes[1].updatedProperties?.map(\.name), ["y"])
    XCTAssertEqual(changes[2].tombstone?["y"] as? String, "changed")
    XCTAssertNil(changes[2].tombstone?["a"])
  }
}

extension VersionsCase {
  /// The same with the change named.
  fileprivate func open(
    _ model: NSManagedObjectModel, change: (NSPersistentStoreDescription) -> Void
  ) throws -> NSManagedObjectContext {
    try open(model, "Versions", change)
  }
}

/// A mapping model that cancels the migration which looks at it.
private final class CancellingMapping: NSMappingModel {
  /// What cancels it.
  var cancel: () -> Void = {}

  override var entityMappings: [NSEntityMapping]! {
    get {
      cancel()
      return super.entityMappings
    }
    set { super.entityMappings = newValue }
  }
}
