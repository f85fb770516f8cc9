import Foundation

/// The set of objects, or of ids, in a save's notification, made only when somebody looks.
///
/// Most saves have no observer, and hashing every object of a large one would cost more than writing
/// it. `userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject>` works as with any set.
final class LazySet: NSSet {
  private let content: Lock<Content>

  private enum Content: @unchecked Sendable {
    case objects([NSManagedObject])
    case names([RecordName], StoreIdentity?)
    case made(NSSet)
  }

  /// The set of objects; nil if there are none.
  init?(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return nil }
    content = Lock(.objects(objects))
    super.init(objects: nil, count: 0)
  }

  /// The set of the objects' ids, which outlives the objects; nil if there are none.
  init?(idsOf objects: [NSManagedObject], _ context: NSManagedObjectContext) {
    if objects.isEmpty { return nil }
    let store = context.persistentStoreCoordinator?.persistentStores.first
    content = Lock(.names(objects.map { ($0.layout, $0.key) }, store?.identityRecord))
    super.init(objects: nil, count: 0)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  private var made: NSSet {
    content.withLock { content in
      let set: NSSet
      switch content {
      case .made(let known): return UncheckedBox(known)
      case .objects(let objects): set = NSSet(array: objects)
      case .names(let names, let store):
        set = NSSet(
          array: names.map { name in
            name.key < 0 || store == nil
              ? NSManagedObjectID(temporaryFor: name.layout, key: name.key)
              : NSManagedObjectID(layout: name.layout, store: store!, key: name.key)
          })
      }
      content = .made(set)
      return UncheckedBox(set)
    }.value
  }

  override var count: Int { made.count }
  override var allObjects: [Any] { made.allObjects }
  override func member(_ object: Any) -> Any? { made.member(object) }
  override func contains(_ object: Any) -> Bool { made.contains(object) }
  override func objectEnumerator() -> NSEnumerator { made.objectEnumerator() }
}
