/// What an object asks of the context that owns it; the context implements it, so that objects
/// need not know contexts.
protocol ObjectOwner: AnyObject {
  /// The name of the context in reports.
  var ownerName: String { get }
  /// Whether the event that just ended is being announced to observers.
  var isProcessing: Bool { get }
  /// The permanent id of a record.
  func permanentID(layout: EntityLayout, key: Int64) -> NSManagedObjectID
  /// Installs the row of a fault, or deals with its absence.
  func fulfill(_ object: NSManagedObject, triggeredBy slot: Int?)
  /// Hears of the first change to an object in this event.
  func noteChange(of object: NSManagedObject)
  /// The registered object, or a new fault, that a to-one value names.
  func destination(_ reference: Value, slot: Slot) -> NSManagedObject
  /// The members that the parent store has for a to-many relationship, in order if they have one.
  func loadMembers(of object: NSManagedObject, slot: Int) -> [NSManagedObject]
  /// What the request of a fetched property finds for an object.
  func fetch(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [Any]
}

/// The objects of one context by id, and the way back from an object to its context.
///
/// A reset gives the context a new registry; objects of the old one find no owner any more.
final class Registry: @unchecked Sendable {
  /// The queue inside which the objects may be used.
  let queue: SerialQueue
  /// The objects by key.
  let objects = WeakTable<NSManagedObject>()
  private weak var ownerStorage: (any ObjectOwner)?

  init(queue: SerialQueue, owner: any ObjectOwner) {
    self.queue = queue
    ownerStorage = owner
  }

  /// The context, unless it is gone or has been reset.
  var owner: (any ObjectOwner)? { ownerStorage }

  /// Cuts the objects off from their context.
  func disown() { ownerStorage = nil }
}

// Safe to share: `objects` has its own lock; `ownerStorage` is written inside the queue only, and a
// weak reference may be read while its object goes away.
