import Foundation

/// Migrates a copy of a store, from one version of the model to another.
open class NSMigrationManager: NSObject {
  /// The version that the store was written with.
  public let sourceModel: NSManagedObjectModel
  /// The version that the copy is to have.
  public let destinationModel: NSManagedObjectModel
  /// What leads from one to the other, as long as a migration runs.
  open private(set) var mappingModel: NSMappingModel?
  /// How much is done, from 0 to 1.
  open private(set) var migrationProgress: Float = 0
  /// Whether a store may be migrated where it lies; here only a copy ever is.
  open var usesStoreSpecificMigrationManager = true
  private let cancellation = Lock<(any Error)?>(nil)
  /// Facts of the application's own.
  open var userInfo: [AnyHashable: Any]?

  /// Makes a manager for stores of one version.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
    super.init()
  }

  /// Copies a store to another place, with all that its log holds, and migrates the copy: beside
  /// that place, so that what fails leaves there what was there.
  ///
  /// - Throws: `CocoaError`: 134140 without a mapping model, 134150 if the source is no store of
  ///   the source model, 134160 if the copy cannot be written, and what a migration throws;
  ///   the error with which it was cancelled.
  open func migrateStore(
    from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
    options: [AnyHashable: Any]? = nil, mapping: NSMappingModel?, to destinationURL: URL,
    type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    for type in [sourceType, destinationType] where type != .sqlite {
      throw StoreError.notAFile(type.rawValue)
    }
    guard let mapping else {
      throw MigrationError.make(
        NSMigrationMissingMappingModelError,
        "The store at \(sourceURL.path) cannot be migrated without a mapping model; infer one.",
        url: sourceURL)
    }
    let metadata = try? StoreFile.metadata(sourceURL)
    guard let metadata, metadata.hashes == sourceModel.entityVersionHashesByName else {
      throw MigrationError.make(
        NSMigrationManagerSourceStoreError,
        "The file \(sourceURL.path) is no store of the source model.", url: sourceURL)
    }
    let side = destinationURL.appendingPathExtension("migrating")
    defer { StoreFile.remove(side) }
    try copy(sourceURL, to: side)
    mappingModel = mapping
    reset()
    defer { mappingModel = nil }
    destinationModel.freeze()
    try StoreMigration(
      url: side, settings: .init(),
      schema: Schema(destinationModel, destinationModel.entities), mapping: mapping,
      sourceModel: sourceModel
    ).run()
    if let error = cancellation.withLock({ $0 }) { throw error }
    try copy(side, to: destinationURL)
    migrationProgress = 1
  }

  /// Makes the migration that is running, on this thread or another, leave its destination alone
  /// and throw the error, if it has not written there yet.
  open func cancelMigrationWithError(_ error: any Error) {
    cancellation.withLock { $0 = error }
  }

  /// Forgets what a migration left behind, as each does when it begins.
  open func reset() {
    cancellation.withLock { $0 = nil }
    migrationProgress = 0
  }

  /// Migrates a copy; as `migrateStore(from:type:options:mapping:to:type:options:)`.
  open func migrateStore(
    from sourceURL: URL, sourceType: String, options: [AnyHashable: Any]? = nil,
    with mapping: NSMappingModel?, toDestinationURL destinationURL: URL, destinationType: String,
    destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrateStore(
      from: sourceURL, type: NSPersistentStore.StoreType(rawValue: sourceType), options: options,
      mapping: mapping, to: destinationURL,
      type: NSPersistentStore.StoreType(rawValue: destinationType), options: destinationOptions)
  }

  private func copy(_ source: URL, to destination: URL) throws {
    do { try StoreFile.replace(destination, with: source) } catch {
      throw MigrationError.make(
        NSMigrationManagerDestinationStoreError,
        "The store cannot be copied to \(destination.path).", url: destination, underlying: error)
    }
  }
}
