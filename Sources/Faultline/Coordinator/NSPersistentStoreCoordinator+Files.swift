import Foundation

/// Copying, replacing and emptying the files of SQLite stores, whoever has them open.
extension NSPersistentStoreCoordinator {
  /// Copies a store to another place and goes on with the copy instead of it.
  ///
  /// The copy is written under the pragmas of its options, so it has no log if they say so. It
  /// has the UUID of the original, so ids stay what they are. The former file stays too.
  ///
  /// - Throws: `CocoaError`: 134000 if either is no SQLite file, 134081 if a store of the other
  ///   place is attached, 134180 if SQLite fails, and what adding the copy throws; whatever it is,
  ///   the store stays attached and can be saved.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    guard let source = store.database.url, store.type == NSSQLiteStoreType, storeType == store.type
    else {
      throw StoreError.notAFile(store.type == NSSQLiteStoreType ? storeType : store.type)
    }
    let configuration =
      store.configurationName == NSManagedObjectModel.defaultConfiguration
      ? nil : store.configurationName
    try reserve(url)
    do {
      // What is saved goes into the copy, or stays unsaved: nothing is written in between.
      let copy = try store.database.leave {
        let settings = Database.Settings(options, type: storeType)
        try StoreFile.replace(url, with: source, settings.pragmas)
        return try open(storeType, url, configuration, options)
      }
      // Only now: a copy that cannot be opened leaves the store as it was.
      try remove(store)
      attach(copy)
      return copy
    } catch {
      release(url)
      throw error
    }
  }

  /// Puts in the place of one store's contents those of another; a store of the coordinator there
  /// is removed from it, and can be added again.
  ///
  /// - Throws: `CocoaError`: 134000 if the type is not SQLite, 260 if there is no source, 259 or
  ///   134070 if there is no store in it, 134010 if it is of another type, 134180 if SQLite fails.
  public func replacePersistentStore(
    at destination: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom source: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    guard storeType == NSSQLiteStoreType else { throw StoreError.notAFile(storeType) }
    if StoreFile.isSame(destination, source) { return }
    try StoreFile.replace(destination, with: source)
    try removeStore(at: destination)
  }

  private func removeStore(at url: URL) throws {
    if let store = persistentStore(for: url), store.database.url != nil { try remove(store) }
  }

  /// Empties a store; the file stays, and adding it again makes a new store in it. A store of the
  /// coordinator there is removed from it.
  ///
  /// Where there is no store in a file nothing happens: at `/dev/null` above all, and at a URL that
  /// a store in memory was said to be at. The coordinator keeps that store.
  ///
  /// - Throws: `CocoaError`: 134000 if it is no SQLite file, 134180 if SQLite fails.
  public func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    guard [NSSQLiteStoreType, NSBinaryStoreType].contains(storeType) else {
      throw StoreError.notAFile(storeType)
    }
    if url.path == Self.nowhere { return }
    let isForced = (options?[NSPersistentStoreForceDestroyOption] as? NSNumber)?.boolValue ?? false
    if isForced || storeType == NSBinaryStoreType {
      StoreFile.remove(url)
    } else {
      try StoreFile.empty(url)
    }
    try removeStore(at: url)
  }
}
