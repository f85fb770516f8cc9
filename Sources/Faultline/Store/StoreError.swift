import Foundation
import SQLiteConnection

/// Errors of the store layer, as the `CocoaError`s that callers of Core Data expect.
enum StoreError {
  /// The database could not be opened or made.
  static func opening(_ error: SQLiteError, url: URL?) -> CocoaError {
    let path = url?.path ?? "memory"
    if error.isNoDatabase {
      return make(
        CocoaError.Code.fileReadCorruptFile.rawValue, "The file \(path) is not a database.", error,
        url)
    }
    return make(
      NSPersistentStoreOpenError, "The store at \(path) could not be opened: \(error.message).",
      error, url)
  }

  /// `SQLITE_CONSTRAINT_UNIQUE`: a unique index has the values of a row already.
  private static let uniquenessViolated: Int32 = 2067

  /// A statement failed.
  static func operation(_ error: SQLiteError, url: URL?) -> CocoaError {
    let code: Int
    switch (error.code, error.extendedCode) {
    case (5, _): code = NSPersistentStoreTimeoutError
    case (_, uniquenessViolated): code = NSManagedObjectConstraintValidationError
    default: code = NSSQLiteError
    }
    let path = url?.path ?? "memory"
    let sentence =
      error.code == 13
      ? "The disk is full: the store at \(path) could not be written."
      : "The store at \(path) could not be used: \(error.message)."
    return make(code, sentence, error, url)
  }

  /// A file that is to be read is not there, and reading makes none.
  static func missingReadOnly(_ url: URL) -> CocoaError {
    CocoaError(
      .fileReadNoSuchFile,
      userInfo: [
        "reason": "Attempt to open missing file read only", NSURLErrorKey: url,
        NSLocalizedDescriptionKey: "There is no store at \(url.path) to read.",
      ])
  }

  /// A file is to be made in a folder that is not there.
  static func missingFolder(_ url: URL) -> CocoaError {
    CocoaError(
      .fileWriteUnknown,
      userInfo: [
        "reason": "Failed to create file; code = 2", NSURLErrorKey: url,
        NSLocalizedDescriptionKey:
          "The store at \(url.path) cannot be made, because there is no folder for it; make one.",
      ])
  }

  /// A file without a store cannot be opened for reading.
  static func emptyReadOnly(_ url: URL?) -> CocoaError {
    make(
      NSPersistentStoreOpenError, "There is no store at \(url?.path ?? "memory") to read.", nil, url
    )
  }

  /// A database without the row that says which store it is.
  static func noMetadata(_ url: URL?) -> CocoaError {
    make(
      NSPersistentStoreOperationError,
      "The database at \(url?.path ?? "memory") has no store metadata.",
      nil, url)
  }

  /// A pragma that is not two words.
  static func pragma(_ name: String, _ value: String) -> CocoaError {
    make(
      NSPersistentStoreOpenError,
      "The pragma \(name) = \(value) was refused; a name and a value of letters, digits, _ and - "
        + "are allowed.",
      nil, nil)
  }

  /// A read-only store was to be written.
  static func readOnly(_ url: URL?) -> CocoaError {
    make(
      CocoaError.Code.fileWriteNoPermission.rawValue,
      "The store at \(url?.path ?? "memory") was opened for reading only and cannot be saved.", nil,
      url)
  }

  /// The transaction that held a query generation ended by an error.
  static func lostGeneration(_ url: URL?) -> CocoaError {
    make(
      NSPersistentStoreOperationError,
      "The query generation of the store at \(url?.path ?? "memory") was lost to an earlier error; "
        + "pin the context to another one.", nil, url)
  }

  /// The file holds another store than when it was opened.
  static func otherStore(_ url: URL?) -> CocoaError {
    make(
      NSPersistentStoreSaveError,
      "The store at \(url?.path ?? "memory") was replaced by another one since it was opened, and "
        + "nothing was saved; remove it from its coordinator and add it again.", nil, url)
  }

  /// The files that are open are not those at the store's URL.
  static func lostFiles(_ url: URL) -> CocoaError {
    make(
      NSSQLiteError,
      "The files of the store at \(url.path) were deleted, moved or replaced while it was open, "
        + "and nothing was saved; remove it from its coordinator and add it again.", nil, url)
  }

  /// A log, or its index, is missing that connections have open.
  static func incompleteFiles(_ url: URL) -> CocoaError {
    make(
      NSPersistentStoreOpenError,
      "The store at \(url.path) is open already, under another name or without the write-ahead "
        + "log that was deleted beside it; remove it from all coordinators, then add it again.",
      nil, url)
  }

  /// The file of a store that is written as a whole was written by others.
  static func changedFile(_ url: URL) -> CocoaError {
    make(
      NSPersistentStoreSaveError,
      "The file at \(url.path) was written by another coordinator or process since the store read "
        + "it, and nothing was saved; remove the store from its coordinator and add it again.", nil,
      url)
  }

  /// There is no such type of store.
  static func unknownType(_ type: String) -> CocoaError {
    let reason =
      type == "XML"
      ? "XML stores exist on macOS only" : "store type \(type) is not known"
    return make(
      NSPersistentStoreInvalidTypeError,
      "The store cannot be added: \(reason); use NSSQLiteStoreType, NSBinaryStoreType or "
        + "NSInMemoryStoreType.", nil, nil)
  }

  /// Only SQLite stores execute batch requests.
  static func unsupportedRequest(_ type: String) -> CocoaError {
    make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "A store of type \(type) executes no batch requests; use a SQLite store, or objects.", nil,
      nil)
  }

  /// A store's history was asked for that has none, or was opened without it.
  static func noHistory(_ url: URL?) -> CocoaError {
    make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "No history tracking option detected on the store at \(url?.path ?? "memory"); open a SQLite "
        + "store with NSPersistentHistoryTrackingKey.", nil, url)
  }

  /// What came after a token was deleted since, or the token is of another file.
  static func expiredToken(_ url: URL?) -> CocoaError {
    make(
      NSPersistentHistoryTokenExpiredError,
      "The history of the store at \(url?.path ?? "memory") does not reach back to the token any "
        + "more; read the store anew and go on with currentPersistentHistoryToken(fromStores:).",
      nil, url)
  }

  /// The store was written with other entities than the model has.
  static func otherModel(
    _ url: URL?, _ metadata: StoreMetadata, schema: Schema
  ) -> CocoaError {
    let (written, now) = (metadata.hashes, schema.hashes)
    var differing = Set(written.keys).union(now.keys).filter { written[$0] != now[$0] }.sorted()
    let all = schema.model.entityVersionHashesByName
    let lacking = schema.lacking(of: written)
    if !lacking.isEmpty { differing = lacking }
    if !lacking.isEmpty
      || now.count < all.count
        && differing.allSatisfy({ written[$0] == nil || written[$0] == all[$0] })
    {
      return make(
        NSPersistentStoreIncompatibleSchemaError,
        "The store at \(url?.path ?? "memory") was made with another configuration of the model "
          + "(they differ in \(differing.joined(separator: ", "))); open it with that one.",
        nil, url)
    }
    var info: [String: Any] = [
      "metadata": metadata.all,
      "reason":
        "The model used to open the store is incompatible with the one used to create the store",
      NSLocalizedDescriptionKey:
        "The store at \(url?.path ?? "memory") was written with another version of the model (it "
        + "differs in "
        + "\(differing.joined(separator: ", "))); open it with that version, or remove the file.",
    ]
    info[NSURLErrorKey] = url
    return CocoaError(
      CocoaError.Code(rawValue: NSPersistentStoreIncompatibleVersionHashError), userInfo: info)
  }

  /// The file of an atomic store could not be written.
  static func unwritable(_ url: URL, _ error: CocoaError) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: NSPersistentStoreSaveError),
      userInfo: [
        NSLocalizedDescriptionKey: "The store at \(url.path) could not be written.",
        NSURLErrorKey: url, NSUnderlyingErrorKey: error,
      ])
  }

  /// A file holds a store of another type.
  static func otherType(_ url: URL?, found: String, asked: String) -> CocoaError {
    make(
      NSPersistentStoreTypeMismatchError,
      "The store at \(url?.path ?? "memory") is of type \(found) and cannot be opened as "
        + "\(asked).", nil, url)
  }

  /// There is no file where one was to be read.
  static func noFile(_ url: URL) -> CocoaError {
    make(
      CocoaError.Code.fileReadNoSuchFile.rawValue, "There is no file at \(url.path).", nil, url)
  }

  /// The code of Core Data's that has no name in its headers.
  private static let alreadyAttached = 134_081

  /// A file was to be attached to one coordinator twice.
  static func attached(_ url: URL) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: alreadyAttached),
      userInfo: [
        "NSUnderlyingException": "Can't add the same store twice", NSURLErrorKey: url,
        NSLocalizedDescriptionKey:
          "The store at \(url.path) is attached already; a coordinator cannot have it twice.",
      ])
  }

  /// A changed object's store was removed.
  static func removed(_ id: NSManagedObjectID) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: NSPersistentStoreSaveError),
      userInfo: [
        NSAffectedObjectsErrorKey: [id],
        NSLocalizedDescriptionKey:
          "The store of \(id.description) is not attached any more; the object cannot be saved.",
      ])
  }

  /// A relationship leads from one store into another.
  static func foreignStore(_ id: NSManagedObjectID, _ name: String) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError),
      userInfo: [
        NSAffectedObjectsErrorKey: [id], NSValidationKeyErrorKey: name,
        NSLocalizedDescriptionKey:
          "The relationship \(name) of \(id.description) leads to an object of another store; "
          + "keep the other object's URI in an attribute, or both in one store.",
      ])
  }

  /// Only SQLite files can be copied, replaced and emptied.
  static func notAFile(_ type: String) -> CocoaError {
    make(
      NSPersistentStoreInvalidTypeError,
      "A store of type \(type), or in memory, cannot be copied, replaced or destroyed as a file.",
      nil, nil)
  }

  /// No store takes an object's entity.
  static func noStore(for entity: String) -> CocoaError {
    make(
      NSPersistentStoreIncompatibleSchemaError,
      "No store of the coordinator holds objects of entity \(entity); add one whose configuration "
        + "names it.", nil, nil)
  }

  private static func make(_ code: Int, _ sentence: String, _ error: SQLiteError?, _ url: URL?)
    -> CocoaError
  {
    var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
    info[NSURLErrorKey] = url
    if let error {
      info[NSSQLiteErrorDomain] = Int(error.code)
      info[NSUnderlyingErrorKey] = error
    }
    return CocoaError(CocoaError.Code(rawValue: code), userInfo: info)
  }
}
