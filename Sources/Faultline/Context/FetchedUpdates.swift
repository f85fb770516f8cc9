import Foundation

/// What a followed request finds, each time that it finds something else.
public struct FetchedUpdate: Sendable {
  /// The ids of what it finds now, in order.
  public let ids: [NSManagedObjectID]
  /// What leads here from the update before: a changed object is removed and inserted in one, and
  /// the first update inserts everything.
  public let difference: CollectionDifference<NSManagedObjectID>
}

extension NSManagedObjectContext {
  /// Follows what a request finds in this context, for as long as somebody loops over it.
  ///
  /// The first update comes at once, a further one whenever changes of the context are processed
  /// that concern the result, a save gives new objects their permanent ids, or the context was
  /// reset. It may be called on any thread. The objects of the ids are had with `object(with:)`, in
  /// the context's queue.
  ///
  /// The request needs a sort descriptor, as for a fetched results controller, which does the work.
  public func updates<T: NSManagedObject>(
    of request: NSFetchRequest<T>
  ) -> AsyncThrowingStream<FetchedUpdate, any Error> {
    let copy = UncheckedBox(request.retyped() as NSFetchRequest<T>)
    return AsyncThrowingStream { continuation in
      let follower = UncheckedBox(FetchFollower<T>(continuation))
      // Whoever gives it up before it was started waits in the queue behind the start.
      continuation.onTermination = { _ in self.perform { follower.value.stop() } }
      perform {
        follower.value.start(
          NSFetchedResultsController(
            fetchRequest: copy.value, managedObjectContext: self, sectionNameKeyPath: nil,
            cacheName: nil))
      }
    }
  }
}

/// Turns what a controller tells its delegate into updates; lives in the context's queue.
private final class FetchFollower<T: NSManagedObject>: NSFetchedResultsControllerDelegate {
  private var controller: NSFetchedResultsController<T>?
  private let continuation: AsyncThrowingStream<FetchedUpdate, any Error>.Continuation
  private var ids: [NSManagedObjectID] = []
  /// Whose ids these are or were; a new object's id changes.
  private var objects: [T] = []
  private var observer: (any NSObjectProtocol)?

  private struct Reference {
    weak var follower: FetchFollower?
  }

  init(_ continuation: AsyncThrowingStream<FetchedUpdate, any Error>.Continuation) {
    self.continuation = continuation
  }

  /// Fetches, and listens from then on.
  func start(_ controller: NSFetchedResultsController<T>) {
    self.controller = controller
    controller.delegate = self
    let reference = UncheckedBox(Reference(follower: self))
    observer = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification,
      object: controller.managedObjectContext, queue: nil
    ) { _ in reference.value.follower?.renew() }
    // Not an observer of its own, which might be called before the controller's.
    controller.results.didReset = { reference.value.follower?.fetch() }
    fetch()
  }

  /// Listens no more.
  func stop() {
    observer.map(NotificationCenter.default.removeObserver)
    observer = nil
    controller?.results.didReset = nil
    controller?.delegate = nil
    controller = nil
    objects = []
  }

  private func fetch() {
    do {
      try controller?.performFetch()
      let found = controller?.fetchedObjects ?? []
      publish(found, found.map(\.objectID).difference(from: ids))
    } catch {
      continuation.finish(throwing: error)
    }
  }

  /// New objects got permanent ids.
  private func renew() {
    guard ids.contains(where: \.isTemporaryID) else { return }
    let pairs = zip(ids, objects.map(\.objectID)).enumerated().filter { $1.0 != $1.1 }
    guard !pairs.isEmpty else { return }
    let steps = pairs.flatMap { offset, pair -> [CollectionDifference<NSManagedObjectID>.Change] in
      [
        .remove(offset: offset, element: pair.0, associatedWith: offset),
        .insert(offset: offset, element: pair.1, associatedWith: offset),
      ]
    }
    guard let difference = CollectionDifference(steps) else { return }
    publish(objects, difference)
  }

  private func publish(_ found: [T], _ difference: CollectionDifference<NSManagedObjectID>) {
    objects = found
    ids = found.map(\.objectID)
    continuation.yield(FetchedUpdate(ids: ids, difference: difference))
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<NSManagedObjectID>
  ) {
    renew()  // Ids may have been obtained without a save; the difference names those of now.
    publish(self.controller?.fetchedObjects ?? [], difference)
  }
}
