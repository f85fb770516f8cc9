import Foundation
import Synchronization

/// Who a store is: what ids keep of it.
final class StoreIdentity: Sendable {
  /// The store's UUID, the host of its ids' URIs.
  let uuid: String
  private let number: StoreNumber
  private let storeLink = Lock<WeakLink?>(nil)

  init(uuid: String) {
    self.uuid = uuid
    number = StoreNumber.of(uuid)
  }

  /// What the keys of the store's records have above the keys of their rows.
  var keyBase: Int64 { number.value << RecordKey.rowBits }

  /// The store itself, while it lives.
  var store: AnyObject? { storeLink.withLock { $0 }?.object }

  /// From now on the store is what a link leads to.
  func lead(by link: WeakLink) { storeLink.withLock { $0 = link } }
}

/// The identity of a record, the same in every context, thread and process.
///
/// An inserted object has a temporary id until it is saved or `obtainPermanentIDs` runs. Ids are
/// immutable and may be sent anywhere; compare them with `==`.
public final class NSManagedObjectID: NSObject, NSCopying, Sendable {
  private static let temporaryKeys = Atomic<Int64>(-1)

  /// The entity of the record, compiled.
  let layout: EntityLayout
  /// The store of the record; nil for a temporary id.
  let store: StoreIdentity?
  /// The record's key (`RecordKey`), or a negative number that no other id of the process has.
  let key: Int64

  init(layout: EntityLayout, store: StoreIdentity, key: Int64) {
    self.layout = layout
    self.store = store
    self.key = key
  }

  init(temporaryFor layout: EntityLayout) {
    self.layout = layout
    store = nil
    key = Self.newTemporaryKey()
  }

  /// A key that no other temporary id of the process has.
  static func newTemporaryKey() -> Int64 {
    temporaryKeys.wrappingSubtract(1, ordering: .relaxed).oldValue
  }

  /// Hands out the same keys as at the beginning of the process, when no object of it lives.
  static func restartTemporaryKeys() {
    temporaryKeys.store(-1, ordering: .relaxed)
    // Drawn later, it would be missing in the sequence of one run and in no other's.
    _ = processToken
  }

  /// The temporary id with a key that was handed out before.
  init(temporaryFor layout: EntityLayout, key: Int64) {
    self.layout = layout
    store = nil
    self.key = key
  }

  /// The entity of the record.
  public var entity: NSEntityDescription { layout.entity }

  /// Whether the record has no place in a store yet.
  public var isTemporaryID: Bool { key < 0 }

  /// The id as a URI: `x-coredata://STORE/Entity/p1`, or `x-coredata:///Entity/t…` if temporary.
  public func uriRepresentation() -> URL {
    guard isTemporaryID else {
      return RecordURI(store: store?.uuid ?? "", entity: layout.name, row: RecordKey.row(key)).url
    }
    let text = "x-coredata:///\(RecordURI.word(layout.name))/t\(Self.processToken)\(-key)"
    guard let url = URL(string: text) else {
      ProgrammerError.impossible("the URI \(text) is not a URL")
    }
    return url
  }

  private static let processToken = Scheduling.uuid().uuidString

  /// The id itself, because it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other id names the same record.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    if self === other { return true }
    guard key == other.key else { return false }
    if key < 0 { return true }
    return (store === other.store || store?.uuid == other.store?.uuid)
      && (layout === other.layout || layout.rootName == other.layout.rootName)
  }

  /// The hash that goes with `isEqual`.
  public override var hash: Int { Int(truncatingIfNeeded: key &* 0x9E37_79B9) }

  /// The URI, with the id's address.
  public override var description: String { "\(uriRepresentation().absoluteString)" }
}
