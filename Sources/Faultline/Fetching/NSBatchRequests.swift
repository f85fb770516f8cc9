import Foundation

/// The forms in which a batch insertion's result comes.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
  /// Whether it worked.
  case statusOnly = 0
  /// The ids of the new records.
  case objectIDs = 1
  /// How many records there are more.
  case count = 2
}

/// The forms in which a batch update's result comes.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// Whether it worked.
  case statusOnlyResultType = 0
  /// The ids of the changed records.
  case updatedObjectIDsResultType = 1
  /// How many records were changed.
  case updatedObjectsCountResultType = 2
}

/// The forms in which a batch deletion's result comes.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// Whether it worked.
  case resultTypeStatusOnly = 0
  /// The ids of the deleted records.
  case resultTypeObjectIDs = 1
  /// How many records were deleted.
  case resultTypeCount = 2
}

/// Inserts records straight into the store: no objects, no validation, no callbacks.
///
/// Contexts hear nothing of it; hand the ids of the result to
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`. Relationships cannot be set.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
  /// The name of the entity.
  public let entityName: String
  /// The entity, if it was given as a description.
  public let entity: NSEntityDescription?
  /// The attributes of each record by name; what is missing takes its default value. A name or a
  /// value that the entity does not have fails the request.
  open var objectsToInsert: [[String: Any]]?
  /// Fills the attributes of the next record into an empty dictionary; true means there is none.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Sets the attributes of the next record on an object that nobody else sees; true means there is
  /// none.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?
  /// The form of the result.
  open var resultType = NSBatchInsertRequestResultType.statusOnly

  private init(_ name: String, _ entity: NSEntityDescription?) {
    entityName = name
    self.entity = entity
    super.init()
  }

  /// Makes a request for records given as dictionaries.
  public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
    self.init(entityName, nil)
    objectsToInsert = dictionaries
  }

  /// Makes a request for records given as dictionaries.
  public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    self.init(entity.name ?? "", entity)
    objectsToInsert = dictionaries
  }

  /// Makes a request for records that a block fills in one after the other, until it returns true.
  public convenience init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entityName, nil)
    dictionaryHandler = handler
  }

  /// Makes a request for records that a block fills in one after the other, until it returns true.
  public convenience init(
    entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entity.name ?? "", entity)
    dictionaryHandler = handler
  }

  /// Makes a request for records that a block fills in one after the other, until it returns true.
  public convenience init(
    entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entityName, nil)
    managedObjectHandler = handler
  }

  /// Makes a request for records that a block fills in one after the other, until it returns true.
  public convenience init(
    entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entity.name ?? "", entity)
    managedObjectHandler = handler
  }

  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }
}

/// Changes attributes of records straight in the store: no objects, no validation, no callbacks.
///
/// Contexts hear nothing of it; hand the ids of the result to
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  /// The name of the entity.
  public let entityName: String
  /// The entity, if it was given as a description.
  public let entity: NSEntityDescription?
  /// What the records must satisfy; nil admits all.
  open var predicate: NSPredicate?
  /// Whether records of sub-entities are included.
  open var includesSubentities = true
  /// The new values by attribute, given as its name or its description: constants, or an
  /// `NSExpression` of the record's own attributes.
  open var propertiesToUpdate: [AnyHashable: Any]?
  /// The form of the result.
  open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

  /// Makes a request for an entity by name.
  public init(entityName: String) {
    self.entityName = entityName
    entity = nil
    super.init()
  }

  /// Makes a request for an entity.
  public init(entity: NSEntityDescription) {
    entityName = entity.name ?? ""
    self.entity = entity
    super.init()
  }

  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }
}

/// Deletes records straight in the store: no objects, no validation, no callbacks.
///
/// Delete rules act between rows: nullify and cascade are applied, a rule that denies and a
/// mandatory inverse make the whole request fail. Contexts hear nothing of it; hand the ids of the
/// result to `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// What is deleted, order, limit and offset included, as a request for ids.
  public let fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  /// The form of the result.
  open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly
  /// Whether a list of ids was given and was empty.
  let isEmpty: Bool

  /// Makes a request for what a fetch would find in the store.
  public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
    fetchRequest = fetch.copy() as? NSFetchRequest<any NSFetchRequestResult> ?? fetch
    fetchRequest.resultType = .managedObjectIDResultType
    isEmpty = false
    super.init()
  }

  /// Makes a request for what a fetch of any type would find in the store.
  @_disfavoredOverload
  public convenience init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
    self.init(fetchRequest: fetch.retyped() as NSFetchRequest<any NSFetchRequestResult>)
  }

  /// Makes a request for records of one entity.
  public init(objectIDs: [NSManagedObjectID]) {
    let entities = Set(objectIDs.map(\.layout.name))
    if entities.count > 1 {
      ProgrammerError.stop(
        "NSInvalidArgumentException: mismatched objectIDs in batch delete initializer: they are of "
          + "\(entities.sorted().joined(separator: ", ")); make one request for each entity.")
    }
    fetchRequest = NSFetchRequest(entityName: entities.first ?? "")
    fetchRequest.predicate = NSPredicate(format: "SELF IN %@", objectIDs)
    fetchRequest.resultType = .managedObjectIDResultType
    isEmpty = objectIDs.isEmpty
    super.init()
  }

  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }
}

/// What a request that is no fetch resulted in.
open class NSPersistentStoreResult: NSObject {}

/// What a batch insertion resulted in.
open class NSBatchInsertResult: NSPersistentStoreResult {
  /// True, the ids or the count, as `resultType` says.
  public let result: Any?
  /// The form of the result.
  public let resultType: NSBatchInsertRequestResultType

  init(_ outcome: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
    resultType = type
    result =
      switch type {
      case .statusOnly: true
      case .objectIDs: outcome.ids
      case .count: outcome.count
      }
  }
}

/// What a batch update resulted in.
open class NSBatchUpdateResult: NSPersistentStoreResult {
  /// True, the ids or the count, as `resultType` says.
  public let result: Any?
  /// The form of the result.
  public let resultType: NSBatchUpdateRequestResultType

  init(_ outcome: BatchOutcome, _ type: NSBatchUpdateRequestResultType) {
    resultType = type
    result =
      switch type {
      case .statusOnlyResultType: true
      case .updatedObjectIDsResultType: outcome.ids
      case .updatedObjectsCountResultType: outcome.count
      }
  }
}

/// What a batch deletion resulted in.
open class NSBatchDeleteResult: NSPersistentStoreResult {
  /// True, the ids or the count, as `resultType` says.
  public let result: Any?
  /// The form of the result.
  public let resultType: NSBatchDeleteRequestResultType

  init(_ outcome: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
    resultType = type
    result =
      switch type {
      case .resultTypeStatusOnly: true
      case .resultTypeObjectIDs: outcome.ids
      case .resultTypeCount: outcome.count
      }
  }
}

/// The records that a batch request touched.
struct BatchOutcome {
  /// How many there are.
  var count = 0
  /// Their ids, if the request asked for them.
  var ids: [NSManagedObjectID] = []
}
