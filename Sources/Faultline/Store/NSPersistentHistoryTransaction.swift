import Foundation

/// The kinds of changes in a history.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  case insert = 0
  case update = 1
  case delete = 2
}

/// One save, or one batch request, in the history of a store.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
  /// When it was committed, by the clock of the process that did.
  public let timestamp: Date
  /// What it changed, if the request asked for it.
  open private(set) var changes: [NSPersistentHistoryChange]?
  /// Its number in the store; later ones have greater numbers.
  public let transactionNumber: Int64
  /// The UUID of the store.
  public let storeID: String
  /// The bundle identifier of the application that wrote it, or its name if it has none.
  public let bundleID: String
  /// The name of the process that wrote it.
  public let processID: String
  /// The name of the context.
  public let contextName: String?
  /// The `transactionAuthor` of the context.
  public let author: String?

  init(
    number: Int64, timestamp: Date, storeID: String, author: String?, bundleID: String,
    contextName: String?, processID: String
  ) {
    transactionNumber = number
    self.timestamp = timestamp
    self.storeID = storeID
    self.author = author
    self.bundleID = bundleID
    self.contextName = contextName
    self.processID = processID
  }

  /// Takes its changes.
  func take(_ changes: [NSPersistentHistoryChange]) {
    self.changes = changes
    for change in changes { change.transaction = self }
  }

  /// The place after this transaction, in the history of its store.
  open var token: NSPersistentHistoryToken {
    NSPersistentHistoryToken(numbers: [storeID: transactionNumber])
  }

  /// The transaction itself, because it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryTransaction \(transactionNumber) of \(storeID), author: "
      + "\(author ?? "nil"), context: \(contextName ?? "nil"), changes: "
      + "\(changes.map { "\($0.count)" } ?? "not fetched")>"
  }
}

/// One record that a transaction inserted, updated or deleted.
open class NSPersistentHistoryChange: NSObject, NSCopying {
  /// The change's number in the store.
  public let changeID: Int64
  /// The id of the record.
  public let changedObjectID: NSManagedObjectID
  /// What was done to it.
  public let changeType: NSPersistentHistoryChangeType
  /// The properties that were written; nil unless the record was updated.
  public let updatedProperties: Set<NSPropertyDescription>?
  /// Of a deleted record, the values of the attributes that the model preserves, by name.
  public let tombstone: [AnyHashable: Any]?
  /// The transaction, as long as somebody holds it.
  open internal(set) weak var transaction: NSPersistentHistoryTransaction?

  init(
    changeID: Int64, changedObjectID: NSManagedObjectID, changeType: NSPersistentHistoryChangeType,
    updatedProperties: Set<NSPropertyDescription>?, tombstone: [AnyHashable: Any]?
  ) {
    self.changeID = changeID
    self.changedObjectID = changedObjectID
    self.changeType = changeType
    self.updatedProperties = updatedProperties
    self.tombstone = tombstone
  }

  /// The change itself, because it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryChange \(changeID): \(changeType) \(changedObjectID.description)>"
  }
}
