import Foundation

/// A step between two versions, before and after which the application does something itself.
open class NSCustomMigrationStage: NSMigrationStage {
  /// The version before.
  public let currentModel: NSManagedObjectModelReference
  /// The version afterwards.
  public let nextModel: NSManagedObjectModelReference
  /// Called before the step, while the manager's container has the store in the version before.
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called after the step, while the manager's container has the store in the next version.
  ///
  /// The step is committed by then: if this throws or the process ends, it is not called again.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// Makes a step between two versions.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
    super.init()
  }

  override var checksums: [String] { [currentModel.versionChecksum, nextModel.versionChecksum] }
}

/// Leads a store from version to version, in the order of its stages, to that of the model it is
/// opened with.
///
/// 1. The stage is looked for that begins with, or leads through, the store's version.
/// 2. From there each stage is done in turn; a lightweight one in one step, inferred from its
///    first version that the store has to its last. What lies between two stages is inferred too.
/// 3. It ends with the stage that reaches the version of the model.
open class NSStagedMigrationManager: NSObject {
  /// The stages, in order.
  public let stages: [NSMigrationStage]
  /// The store as the handlers of a custom stage may change it; nil outside of them.
  open private(set) var container: NSPersistentContainer?
  /// The stage that is being done.
  open private(set) var currentStage: NSMigrationStage?

  /// Makes a manager of stages in order.
  public init(_ stages: [NSMigrationStage]) {
    self.stages = stages
    super.init()
  }
}

extension NSStagedMigrationManager: StagedMigrating {
  func migrate(_ migration: StoreMigration, from version: String) throws {
    let target = migration.schema.model.versionChecksum
    var version = version
    defer { currentStage = nil }
    for stage in try path(from: version, to: target, migration.url) {  // 2
      currentStage = stage
      let custom = stage as? NSCustomMigrationStage
      let end = custom?.nextModel.versionChecksum
      guard
        let last = end ?? (stage.checksums.contains(target) ? target : stage.checksums.last),
        last != version
      else { continue }
      if let custom {
        try run(custom, from: version, migration)
      } else {
        try step(to: last, migration)
      }
      version = last
      if version == target { return }  // 3
    }
  }

  /// The stages between two versions.
  private func path(
    from version: String, to target: String, _ url: URL
  ) throws -> ArraySlice<NSMigrationStage> {
    // A version that ends one stage and begins the next belongs to the latter.
    guard
      let start = stages.lastIndex(where: { $0.checksums.dropLast().contains(version) })
        ?? stages.lastIndex(where: { $0.checksums.contains(version) })
    else {
      throw Self.unknown("no stage has the version of the store", url)
    }
    guard let end = stages.lastIndex(where: { $0.checksums.contains(target) }) else {
      throw Self.unknown("no stage has the version of the model", url)
    }
    let isBackward =
      end < start
      || start == end
        && stages[start].checksums.firstIndex(of: version) ?? 0
          > stages[start].checksums.firstIndex(of: target) ?? 0
    if isBackward {
      throw Self.refusal(
        NSStagedMigrationBackwardMigrationError, "the model's version comes before the store's",
        url)
    }
    return stages[start...end]
  }

  private static func unknown(_ what: String, _ url: URL) -> CocoaError {
    refusal(
      NSManagedObjectModelReferenceNotFoundError,
      "Cannot use staged migration with an unknown model version: \(what)", url)
  }

  private static func refusal(_ code: Int, _ reason: String, _ url: URL) -> CocoaError {
    MigrationError.make(
      code, "The store at \(url.path) was not migrated in stages: \(reason).", reason: reason,
      url: url)
  }

  private func run(
    _ stage: NSCustomMigrationStage, from version: String, _ migration: StoreMigration
  ) throws {
    let current = stage.currentModel.versionChecksum
    // The stage before may end with a version that this one does not begin with.
    if version != current { try step(to: current, migration) }
    if let handler = stage.willMigrateHandler {
      try lend(stage.currentModel.resolvedModel, migration) { try handler(self, stage) }
    }
    try step(to: stage.nextModel.versionChecksum, migration)
    if let handler = stage.didMigrateHandler {
      try lend(stage.nextModel.resolvedModel, migration) { try handler(self, stage) }
    }
  }

  private func step(to version: String, _ migration: StoreMigration) throws {
    var step = migration
    if version != migration.schema.model.versionChecksum {
      let model = try model(version, migration.url)
      model.freeze()
      guard let entities = model.entities(forConfigurationName: migration.configuration) else {
        throw Self.refusal(
          NSMigrationError, "a version has no configuration \(migration.configuration ?? "")",
          migration.url)
      }
      step.schema = Schema(model, entities)
    }
    try step.run()
  }

  private func model(_ version: String, _ url: URL) throws -> NSManagedObjectModel {
    let references = stages.compactMap { $0 as? NSCustomMigrationStage }
      .flatMap { [$0.currentModel, $0.nextModel] }
    if let found = references.first(where: { $0.versionChecksum == version }) {
      return found.resolvedModel
    }
    throw MigrationError.make(
      NSMigrationMissingSourceModelError,
      "The store at \(url.path) was not migrated in stages: a lightweight stage ends with the "
        + "version \(version), whose model no custom stage refers to.", url: url)
  }

  /// Opens the store with a version of the model while a handler works on it.
  private func lend(
    _ model: NSManagedObjectModel, _ migration: StoreMigration, _ body: () throws -> Void
  ) throws {
    let lent = NSPersistentContainer(name: "migration", managedObjectModel: model)
    let coordinator = lent.persistentStoreCoordinator
    let store = try coordinator.addPersistentStore(
      ofType: migration.settings.storeType, configurationName: migration.configuration,
      at: migration.url, options: migration.options)
    container = lent
    defer { container = nil }
    do { try body() } catch {
      try? coordinator.remove(store)
      throw error
    }
    try coordinator.remove(store)
  }
}
