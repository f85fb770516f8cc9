import Foundation

/// A version of a model that a staged migration passes through.
open class NSManagedObjectModelReference: NSObject {
  /// The checksum of the version.
  public let versionChecksum: String
  private let load: () -> NSManagedObjectModel?

  /// The version.
  open lazy var resolvedModel: NSManagedObjectModel = {
    guard let model = load(), model.versionChecksum == versionChecksum else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: the model of a migration stage is not found, or has another "
          + "version checksum than \(versionChecksum).")
    }
    return model
  }()

  /// Refers to a model at hand.
  public init(model: NSManagedObjectModel, versionChecksum: String) {
    self.versionChecksum = versionChecksum
    load = { model }
    super.init()
  }

  /// Refers to a model in a file.
  public init(fileURL: URL, versionChecksum: String) {
    self.versionChecksum = versionChecksum
    load = { NSManagedObjectModel(contentsOf: fileURL) }
    super.init()
  }
}

/// A step of a staged migration.
open class NSMigrationStage: NSObject {
  /// What the step is called in reports.
  open var label: String?

  /// The checksums of the versions that the step leads through, in order.
  var checksums: [String] { [] }
}

/// A step through versions of which each can be inferred from the one before.
open class NSLightweightMigrationStage: NSMigrationStage {
  /// The checksums of the versions, in order.
  public let versionChecksums: [String]

  /// Makes a step of the checksums of its versions.
  public init(_ versionChecksums: [String]) {
    self.versionChecksums = versionChecksums
    super.init()
  }

  override var checksums: [String] { versionChecksums }
}
