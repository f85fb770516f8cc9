// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// A validation failed.
public let NSManagedObjectValidationError = 1550
/// A uniqueness constraint failed.
public let NSManagedObjectConstraintValidationError = 1551
/// Several validations failed; the list is under `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A mandatory property is nil.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A to-many relationship has too few members.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A to-many relationship has too many members.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with the deny rule still has a destination.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is above its maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is below its minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is after its latest.
public let NSValidationDateTooLateError = 1630
/// A date is before its earliest.
public let NSValidationDateTooSoonError = 1640
/// A date is none.
public let NSValidationInvalidDateError = 1650
/// A text has too many characters.
public let NSValidationStringTooLongError = 1660
/// A text has too few characters.
public let NSValidationStringTooShortError = 1670
/// A text does not fit its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A URI is none.
public let NSValidationInvalidURIError = 1690
/// A context could not be locked; no error here has this code.
public let NSManagedObjectContextLockingError = 132_000
/// A coordinator could not be locked; no error here has this code.
public let NSPersistentStoreCoordinatorLockingError = 132_010
/// The row of an object is gone.
public let NSManagedObjectReferentialIntegrityError = 133_000
/// An object is related to one that lies in another store.
public let NSManagedObjectExternalRelationshipError = 133_010
/// Optimistic locking found a conflict.
public let NSManagedObjectMergeError = 133_020
/// A uniqueness constraint conflict could not be merged.
public let NSManagedObjectConstraintMergeError = 133_021
/// The type of store is not known.
public let NSPersistentStoreInvalidTypeError = 134_000
/// The file is not a store of the type it was opened as.
public let NSPersistentStoreTypeMismatchError = 134_010
/// The store does not fit the operation.
public let NSPersistentStoreIncompatibleSchemaError = 134_020
/// A save failed.
public let NSPersistentStoreSaveError = 134_030
/// Of several stores some were saved and some were not.
public let NSPersistentStoreIncompleteSaveError = 134_040
/// A store refused a save because of conflicts; no error here has this code, because the conflicts
/// of a save are error 133020 or 133021.
public let NSPersistentStoreSaveConflictsError = 134_050
/// A store operation failed.
public let NSPersistentStoreOperationError = 134_070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134_080
/// A store stayed busy for too long.
public let NSPersistentStoreTimeoutError = 134_090
/// The type of store cannot do what a request asks for.
public let NSPersistentStoreUnsupportedRequestTypeError = 134_091
/// The store was written with a model of other version hashes.
public let NSPersistentStoreIncompatibleVersionHashError = 134_100
/// An unspecified Core Data error.
public let NSCoreDataError = 134_060
/// A migration failed.
public let NSMigrationError = 134_110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134_111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134_120
/// The model that a store was written with was not found.
public let NSMigrationMissingSourceModelError = 134_130
/// There is no mapping model for a migration that must not be inferred.
public let NSMigrationMissingMappingModelError = 134_140
/// A migration cannot read the store it is to migrate.
public let NSMigrationManagerSourceStoreError = 134_150
/// A migration cannot write the store it is to make.
public let NSMigrationManagerDestinationStoreError = 134_160
/// A policy of a migration failed.
public let NSEntityMigrationPolicyError = 134_170
/// SQLite reported an error.
public let NSSQLiteError = 134_180
/// A mapping model could not be inferred.
public let NSInferredMappingModelError = 134_190
/// External records could not be imported; no error here has this code.
public let NSExternalRecordImportError = 134_200
/// A staged migration knows nothing of the version of a store or of its model.
public let NSManagedObjectModelReferenceNotFoundError = 134_504
/// A store's metadata do not allow a staged migration; no error here has this code.
public let NSStagedMigrationFrameworkVersionMismatchError = 134_505
/// A staged migration would lead back to an earlier version of the model.
public let NSStagedMigrationBackwardMigrationError = 134_506

/// What came after a history token is not there any more.
public let NSPersistentHistoryTokenExpiredError = 134_301

/// The key of the errors in an error that stands for several.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The key of the object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key of the property that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The key of the predicate that failed.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The key of the value that failed.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The key of the stores that an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The key of the objects that an error concerns.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The key, and domain, of SQLite's own result code.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
/// The key of the conflicts in an error 133020, an array of `NSMergeConflict`, and in an error
/// 133021, an array of `NSConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

extension CocoaError.Code {
  /// Optimistic locking found a conflict.
  public static let managedObjectMerge = CocoaError.Code(rawValue: NSManagedObjectMergeError)
  /// A uniqueness constraint conflict could not be merged.
  public static let managedObjectConstraintMerge = CocoaError.Code(
    rawValue: NSManagedObjectConstraintMergeError)
  /// A context could not be locked.
  public static let managedObjectContextLocking = CocoaError.Code(
    rawValue: NSManagedObjectContextLockingError)
  /// A coordinator could not be locked.
  public static let persistentStoreCoordinatorLocking = CocoaError.Code(
    rawValue: NSPersistentStoreCoordinatorLockingError)
  /// A store refused a save because of conflicts.
  public static let persistentStoreSaveConflicts = CocoaError.Code(
    rawValue: NSPersistentStoreSaveConflictsError)
  /// External records could not be imported.
  public static let externalRecordImport = CocoaError.Code(rawValue: NSExternalRecordImportError)
  /// A validation failed.
  public static let managedObjectValidation = CocoaError.Code(
    rawValue: NSManagedObjectValidationError)
  /// Several validations failed.
  public static let validationMultipleErrors = CocoaError.Code(
    rawValue: NSValidationMultipleErrorsError)
  /// A mandatory property is nil.
  public static let validationMissingMandatoryProperty = CocoaError.Code(
    rawValue: NSValidationMissingMandatoryPropertyError)
  /// A relationship with the deny rule still has a destination.
  public static let validationRelationshipDeniedDelete = CocoaError.Code(
    rawValue: NSValidationRelationshipDeniedDeleteError)
  /// A to-many relationship has too few members.
  public static let validationRelationshipLacksMinimumCount = CocoaError.Code(
    rawValue: NSValidationRelationshipLacksMinimumCountError)
  /// A to-many relationship has too many members.
  public static let validationRelationshipExceedsMaximumCount = CocoaError.Code(
    rawValue: NSValidationRelationshipExceedsMaximumCountError)
  /// A number is above its maximum.
  public static let validationNumberTooLarge = CocoaError.Code(
    rawValue: NSValidationNumberTooLargeError)
  /// A number is below its minimum.
  public static let validationNumberTooSmall = CocoaError.Code(
    rawValue: NSValidationNumberTooSmallError)
  /// A date is after its latest.
  public static let validationDateTooLate = CocoaError.Code(rawValue: NSValidationDateTooLateError)
  /// A date is before its earliest.
  public static let validationDateTooSoon = CocoaError.Code(rawValue: NSValidationDateTooSoonError)
  /// A date is none.
  public static let validationInvalidDate = CocoaError.Code(rawValue: NSValidationInvalidDateError)
  /// A text has too many characters.
  public static let validationStringTooLong = CocoaError.Code(
    rawValue: NSValidationStringTooLongError)
  /// A text has too few characters.
  public static let validationStringTooShort = CocoaError.Code(
    rawValue: NSValidationStringTooShortError)
  /// A text does not fit its pattern.
  public static let validationStringPatternMatching = CocoaError.Code(
    rawValue: NSValidationStringPatternMatchingError)
  /// A URI is none.
  public static let validationInvalidURI = CocoaError.Code(rawValue: NSValidationInvalidURIError)
  /// The row of an object is gone.
  public static let managedObjectReferentialIntegrity = CocoaError.Code(
    rawValue: NSManagedObjectReferentialIntegrityError)
  /// A store could not be opened.
  public static let persistentStoreOpen = CocoaError.Code(rawValue: NSPersistentStoreOpenError)
  /// The store was written with a model of other version hashes.
  public static let persistentStoreIncompatibleVersionHash = CocoaError.Code(
    rawValue: NSPersistentStoreIncompatibleVersionHashError)
  /// A store operation failed.
  public static let persistentStoreOperation = CocoaError.Code(
    rawValue: NSPersistentStoreOperationError)
  /// What came after a history token is not there any more.
  public static let persistentHistoryTokenExpired = CocoaError.Code(
    rawValue: NSPersistentHistoryTokenExpiredError)
  /// A save failed.
  public static let persistentStoreSave = CocoaError.Code(rawValue: NSPersistentStoreSaveError)
}
