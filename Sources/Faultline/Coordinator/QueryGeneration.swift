import Foundation

/// Names the state of the stores that a pinned context reads.
///
/// `current` stands for whatever is newest when it is set. The token of a context may be set on
/// other contexts of its coordinator, as long as some context still reads that state.
open class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
  private let reference = Lock(Reference())

  private struct Reference {
    weak var generation: QueryGeneration?
  }

  /// Stands for the newest state.
  open class var current: NSQueryGenerationToken { currentToken }
  private static let currentToken = NSQueryGenerationToken()

  /// The state, unless no context reads it any more.
  fileprivate(set) var generation: QueryGeneration? {
    get { reference.withLock { $0.generation } }
    set { reference.withLock { $0.generation = newValue } }
  }

  /// The token itself, because it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

// Safe to share: `reference` is a lock.

/// The stores of a coordinator as they were at the first read, for as long as a context reads them.
///
///     asked for ──first read──▶ held ──last context lets go──▶ ended
///
/// - asked for: no transaction is open yet.
/// - held: one read transaction a store. A store added later is not held and is read at its last
///   commit, and so is one that cannot hold a transaction.
/// - ended: the transactions end with this object.
final class QueryGeneration: StoreReading, @unchecked Sendable {
  /// The coordinator whose stores are read.
  let coordinator: NSPersistentStoreCoordinator
  /// The name of this state.
  let token = NSQueryGenerationToken()
  private let held = Lock<[HeldRead]?>(nil)

  init(_ coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
    token.generation = self
  }

  func view(of store: NSPersistentStore) throws -> StoreView {
    let database = store.database
    return StoreView(
      store: store,
      held: try held.withLock { held in
        if let held { return held.first { $0.database === database } }
        // Every store that is attached at the first call.
        let all = try coordinator.persistentStores.compactMap { try $0.database.hold() }
        held = all
        return all.first { $0.database === database }
      })
  }
}

// Safe to share: `held` is a lock, the rest is constant.

/// One context's hold on a generation; a coordinator has a bounded number of them.
final class GenerationPin {
  /// The state that the context reads.
  var generation: QueryGeneration
  private let coordinator: NSPersistentStoreCoordinator
  /// How many contexts of a coordinator may be pinned, and so may keep connections to themselves.
  static let pinsMax = 64

  /// Pins a context; nil if too many are pinned already.
  init?(_ generation: QueryGeneration) {
    self.generation = generation
    coordinator = generation.coordinator
    let count = coordinator.pinCount.withLock { count in
      count += 1
      return count
    }
    if count > Self.pinsMax { return nil }
  }

  deinit { coordinator.pinCount.withLock { $0 -= 1 } }

  /// Lets go of the state, and takes the newest at the next read.
  func advance() { generation = QueryGeneration(coordinator) }
}
