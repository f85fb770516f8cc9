import Foundation

/// What a fetch request can result in.
public protocol NSFetchRequestResult {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The forms in which a fetch request's result comes.
public struct NSFetchRequestResultType: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Makes a type from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Managed objects.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// Ids of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// One dictionary a row, of what the store has.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// The number of results.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// The kinds of requests that a context or coordinator executes.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  case fetchRequestType = 1
  case saveRequestType = 2
  case batchInsertRequestType = 5
  case batchUpdateRequestType = 6
  case batchDeleteRequestType = 7
}

/// A request to a store.
open class NSPersistentStoreRequest: NSObject {
  /// What the request does.
  open var requestType: NSPersistentStoreRequestType { .fetchRequestType }
  /// The stores to ask, as the layer that knows stores reads them.
  var storesToAsk: [AnyObject]?
}

/// Which objects to fetch, and how.
///
/// The parameter has no constraint, because on Linux the existential `NSFetchRequestResult` does
/// not conform to itself, and `NSFetchRequest<NSFetchRequestResult>` must be writable.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest, NSCopying {
  /// The entity, if it was given as a description.
  open var entity: NSEntityDescription?
  private var entityNameStorage: String?
  /// The class whose entity is meant, if the request was made by the class.
  var objectClass: NSManagedObject.Type?
  /// What the objects must satisfy; nil admits all.
  open var predicate: NSPredicate?
  /// The order of the result; none means unspecified.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The most results; 0 means without limit.
  open var fetchLimit = 0
  /// How many results to leave out at the beginning.
  open var fetchOffset = 0
  /// How many rows to load at a time, when the first of them is needed; 0 means all, at once.
  open var fetchBatchSize = 0
  /// The form of the result.
  open var resultType: NSFetchRequestResultType = .managedObjectResultType
  /// Whether objects of sub-entities are included.
  open var includesSubentities = true
  /// Whether rows are loaded, and not only ids.
  open var includesPropertyValues = true
  /// Whether the context's unsaved changes count.
  open var includesPendingChanges = true
  /// Whether objects come as faults whose rows are loaded.
  open var returnsObjectsAsFaults = true
  /// Whether objects the context already has take the values that the fetch found.
  open var shouldRefreshRefetchedObjects = false
  /// Key paths over relationships whose destinations to load too, with one request for each.
  open var relationshipKeyPathsForPrefetching: [String]?

  /// The columns of a request for dictionaries: names, `objectID`, key paths over to-one
  /// relationships, property and expression descriptions; nil means all attributes. With objects it
  /// is only checked, and whole rows are loaded.
  open var propertiesToFetch: [Any]?
  /// Whether equal dictionaries count as one.
  open var returnsDistinctResults = false
  /// What the rows of one group have in common, given as in `propertiesToFetch`; there is a
  /// dictionary for each group.
  open var propertiesToGroupBy: [Any]?
  /// What a group must satisfy.
  open var havingPredicate: NSPredicate?

  /// Makes a request without an entity.
  public override init() { super.init() }

  /// Makes a request for an entity by name.
  public convenience init(entityName: String) {
    self.init()
    entityNameStorage = entityName
  }

  /// The name of the entity.
  open var entityName: String? { entity?.name ?? entityNameStorage }

  /// A request with the same settings.
  open func copy(with zone: NSZone? = nil) -> Any {
    retyped() as NSFetchRequest<ResultType>
  }

  /// A request with the same settings for results of another type.
  func retyped<Other>() -> NSFetchRequest<Other> {
    let copy = NSFetchRequest<Other>()
    copy.entity = entity
    copy.entityNameStorage = entityNameStorage
    copy.objectClass = objectClass
    copy.predicate = predicate
    copy.sortDescriptors = sortDescriptors
    copy.fetchLimit = fetchLimit
    copy.fetchOffset = fetchOffset
    copy.fetchBatchSize = fetchBatchSize
    copy.resultType = resultType
    copy.includesSubentities = includesSubentities
    copy.includesPropertyValues = includesPropertyValues
    copy.includesPendingChanges = includesPendingChanges
    copy.returnsObjectsAsFaults = returnsObjectsAsFaults
    copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
    copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
    copy.propertiesToFetch = propertiesToFetch
    copy.returnsDistinctResults = returnsDistinctResults
    copy.propertiesToGroupBy = propertiesToGroupBy
    copy.havingPredicate = havingPredicate
    copy.storesToAsk = storesToAsk
    return copy
  }
}
