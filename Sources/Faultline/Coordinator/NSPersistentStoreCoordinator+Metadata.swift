import Foundation

/// The facts that stores keep about themselves.
extension NSPersistentStoreCoordinator {
  /// The facts that a store keeps about itself.
  public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// Gives a store other facts to keep; they are written at the next save. What the engine itself
  /// notes about the store stays.
  public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata
  }

  /// Writes the facts that were set since the last save.
  func writeMetadata() throws {
    for store in persistentStores where store.database.hasNewMetadata && !store.isReadOnly {
      try store.database.write { _ in }
    }
  }

  /// The facts that the store in a file keeps about itself.
  ///
  /// - Throws: `CocoaError`: 260 if there is no file, 134010 if the store is of another type,
  ///   134070 if there is no store in it.
  public class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    let metadata = try StoreFile.metadata(url)
    if let found = metadata.list[NSStoreTypeKey] as? String, found != storeType {
      throw StoreError.otherType(url, found: found, asked: storeType)
    }
    return metadata.all
  }

  /// Gives the store in a file other facts to keep.
  ///
  /// - Throws: as `metadataForPersistentStore`, and 134180 if SQLite fails.
  public class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    _ = try metadataForPersistentStore(ofType: storeType, at: url, options: options)
    try StoreFile.change(url, ofType: storeType) { connection in
      var written = try StoreMetadata.read(connection, url: url)
      written.replace(metadata ?? [:])
      try written.write(connection)
    }
  }
}

extension NSPersistentStore {
  /// How and where a store keeps its records.
  public struct StoreType: Hashable, Sendable {
    /// The name of the type.
    public let rawValue: String
    /// A SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// A file that is read and written as a whole.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// Memory.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)

    /// Names a type.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

/// The same calls in their newer spelling.
extension NSPersistentStoreCoordinator {
  /// Opens a store and attaches it; as `addPersistentStore(ofType:configurationName:at:options:)`.
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: url, options: options)
  }

  /// Copies a store and goes on with the copy; as `migratePersistentStore(_:to:options:withType:)`.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
    type: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(store, to: url, options: options, withType: type.rawValue)
  }

  /// Puts in the place of one store's contents those of another.
  public func replacePersistentStore(
    at destination: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom source: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destination, destinationOptions: destinationOptions, withPersistentStoreFrom: source,
      sourceOptions: sourceOptions, ofType: type.rawValue)
  }

  /// Empties a store; as `destroyPersistentStore(at:ofType:options:)`.
  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }

  /// The facts that the store in a file keeps about itself.
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  /// Gives the store in a file other facts to keep.
  public class func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(
      metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }
}
