import Foundation

/// The forms in which the result of a request for history comes.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// Whether it worked.
  case statusOnly = 0
  /// The ids of the changed records.
  case objectIDs = 1
  /// How many transactions there are.
  case count = 2
  /// The transactions, without changes.
  case transactionsOnly = 3
  /// The changes, without transactions.
  case changesOnly = 4
  /// The transactions, with their changes.
  case transactionsAndChanges = 5
}

/// Fetches history of stores, or deletes what is old in it.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// What the request does.
  enum Purpose {
    case fetch
    case delete
  }

  /// Where what is fetched begins, or what is deleted ends.
  enum Place {
    case token(NSPersistentHistoryToken?)
    case date(Date)
  }

  /// What the request does.
  let purpose: Purpose
  /// Where it begins or ends.
  let place: Place
  /// The form of the result; a deletion tells its count or that it worked.
  open var resultType: NSPersistentHistoryResultType
  /// Which transactions or changes are wanted: a request for one of the two entities.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  init(_ purpose: Purpose, _ place: Place) {
    self.purpose = purpose
    self.place = place
    resultType = purpose == .fetch ? .transactionsAndChanges : .statusOnly
  }

  /// The token that the request was made with, if any.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = place { token } else { nil }
  }

  /// Asks for what was committed after a moment.
  open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.fetch, .date(date))
  }

  /// Asks for what comes after a token; nil means for everything, and so does a store that the
  /// token does not name.
  open class func fetchHistory(after token: NSPersistentHistoryToken?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.fetch, .token(token))
  }

  /// Asks for what comes after a transaction; nil means for everything.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.fetch, .token(transaction?.token))
  }

  /// Asks for the transactions, or changes, that a fetch request describes.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> NSPersistentHistoryChangeRequest {
    let request = NSPersistentHistoryChangeRequest(.fetch, .token(nil))
    request.fetchRequest = fetchRequest
    return request
  }

  /// Deletes what was committed before a moment.
  open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.delete, .date(date))
  }

  /// Deletes what comes before the last transaction that a token names, in the stores it names.
  open class func deleteHistory(before token: NSPersistentHistoryToken?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.delete, .token(token))
  }

  /// Deletes what comes before a transaction.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.delete, .token(transaction?.token))
  }

  /// Where the request begins or ends in one store; nil if it does not say that of the store.
  func start(in storeID: String) -> HistoryReader.Start? {
    switch place {
    case .date(let date): return .date(date)
    case .token(let token): return token?.numbers[storeID].map { .number($0) }
    }
  }
}

/// What a request for history resulted in.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
  /// True, the ids, the count, the transactions or the changes, as `resultType` says.
  public let result: Any?
  /// The form of the result.
  public let resultType: NSPersistentHistoryResultType

  init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
    self.result = result
    resultType = type
  }
}
