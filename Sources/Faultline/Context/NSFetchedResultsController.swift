import Foundation

/// What happened to an object or a section.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  case insert = 1
  case delete = 2
  /// The object stands somewhere else; its values may have changed too.
  case move = 3
  /// The object's values changed and it stands where it stood.
  case update = 4
}

/// One section of a controller's objects.
public protocol NSFetchedResultsSectionInfo {
  /// What the section name key path reads from each of its objects.
  var name: String { get }
  /// The name's abbreviation.
  var indexTitle: String? { get }
  /// How many objects there are.
  var numberOfObjects: Int { get }
  /// The objects in order.
  var objects: [Any]? { get }
}

/// Who is told how the objects of a controller change.
///
/// Every method may be left out. Old index paths count in the list before all changes of one
/// processing, new ones in the list after them.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// The objects are about to change.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// A section has come or is gone.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)
  /// An object has come, is gone, has moved or was changed.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
  /// The objects have changed.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// All changes of a controller without sections; a delegate that has this method is told nothing
  /// else.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
  /// The abbreviation of a section's name.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

extension NSFetchedResultsControllerDelegate {
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {}
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}
  /// Notes that the delegate does not have the method, so that it is told everything singly.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.results.wantsSingleChanges = true
  }
  /// The first letter as a capital.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    sectionName.first.map { $0.uppercased() } ?? ""
  }
}

/// Keeps the result of a fetch up to date, in sections, and tells a delegate what changes.
///
/// It follows the processed changes of its context and is used in that context's queue. Its
/// delegate gets it under the type that stands for all results; the two are equal (`==`).
///
/// The parameter has no constraint, for the reason that `NSFetchRequest` has none.
open class NSFetchedResultsController<ResultType>: NSObject, FetchedResultsFace {
  /// What is fetched; after a change of it call `performFetch` again.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The name under which it is remembered what is fetched and how it is divided, so that a request
  /// is not changed unnoticed; nil remembers nothing.
  public let cacheName: String?
  let results: FetchedResults

  /// Makes a controller, which shows nothing until `performFetch`.
  ///
  /// The request must have a list of sort descriptors, of which the first must keep together what
  /// the key path puts into one section. An empty list leaves the order to the store, and what is
  /// new comes last.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {
    if fetchRequest.sortDescriptors == nil {
      ProgrammerError.stop(
        "NSInvalidArgumentException: An instance of NSFetchedResultsController requires a fetch "
          + "request with sort descriptors.")
    }
    self.fetchRequest = fetchRequest
    cacheName = name
    results = FetchedResults(context, sectionNameKeyPath: sectionNameKeyPath)
    super.init()
    results.face = self
  }

  private init(_ results: FetchedResults, _ request: NSFetchRequest<ResultType>) {
    self.results = results
    fetchRequest = request
    cacheName = nil
    super.init()
  }

  /// The controller of some results under the type that stands for all results.
  static func erased(
    _ results: FetchedResults
  ) -> NSFetchedResultsController<any NSFetchRequestResult> {
    if let face = results.face as? NSFetchedResultsController<any NSFetchRequestResult> {
      return face
    }
    let request: NSFetchRequest<any NSFetchRequestResult> = results.face?.erasedRequest ?? .init()
    return NSFetchedResultsController<any NSFetchRequestResult>(results, request)
  }

  /// The request under the type that stands for all results.
  var erasedRequest: NSFetchRequest<any NSFetchRequestResult> { fetchRequest.retyped() }

  /// The context.
  public var managedObjectContext: NSManagedObjectContext { results.context }

  /// What names the sections.
  public var sectionNameKeyPath: String? { results.sectionNameKeyPath }

  /// Who is told of changes; without a delegate changes are not followed.
  open var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { results.delegate }
    set { results.delegate = newValue }
  }

  /// Forgets what stands under a name, or under all of them; called before a controller with a
  /// `cacheName` fetches with a changed request.
  open class func deleteCache(withName name: String?) { FetchedCaches.delete(name) }

  // MARK: Objects

  /// Fetches, after the context has processed its pending changes: what is fetched can be deleted
  /// in a later event only, of which the controller hears.
  ///
  /// A request that was changed under a `cacheName` which was not deleted stops.
  ///
  /// - Throws: `CocoaError`: that of the fetch, or 134060 if the order does not keep the objects of
  ///   a section together.
  open func performFetch() throws {
    results.context.processPendingChanges()
    let plan = results.context.plan(fetchRequest)
    if let cacheName { FetchedCaches.enter(cacheName, plan, fetchRequest, sectionNameKeyPath) }
    if let sectionNameKeyPath,
      let found = try results.context.faults(
        of: results.context.question(fetchRequest), namedBy: sectionNameKeyPath)
    {
      return try results.show(found.objects, names: found.names, plan)
    }
    let found = try results.context.fetch(fetchRequest)
    try results.show(
      found.map {
        guard let object = $0 as? NSManagedObject else {
          ProgrammerError.stop(
            "NSInvalidArgumentException: a fetched results controller shows objects, not "
              + "\(Swift.type(of: $0)); set the request's resultType.")
        }
        return object
      }, plan)
  }

  /// The objects in order; nil before the first fetch and after a reset.
  open var fetchedObjects: [ResultType]? {
    results.list.map { results.context.cast($0.elements.map(\.object)) }
  }

  /// The object at an index path; one that does not exist stops.
  open func object(at indexPath: IndexPath) -> ResultType {
    guard indexPath.count == 2, let list = results.list,
      list.sections.indices.contains(indexPath[0]),
      list.sections[indexPath[0]].elements.indices.contains(indexPath[1]),
      let object = list.sections[indexPath[0]].elements[indexPath[1]].object as? ResultType
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: no object at index path \(Array(indexPath)); look at "
          + "sections, after performFetch.")
    }
    return object
  }

  /// The index path of an object; nil if it is not among the results.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    (object as? NSManagedObject).flatMap { results.list?.places[FetchedObject(object: $0)] }
      .map { IndexPath(indexes: [$0.section, $0.item]) }
  }

  // MARK: Sections

  /// The sections in order; one without a name if nothing names them.
  open var sections: [any NSFetchedResultsSectionInfo]? {
    results.list?.sections.map { FetchedSection($0, results) }
  }

  /// The abbreviations of all sections' names.
  open var sectionIndexTitles: [String] {
    results.list?.sections.compactMap {
      results.face?.sectionIndexTitle(forSectionName: $0.name)
    } ?? []
  }

  /// The abbreviation of a section's name: the delegate's, or the first letter as a capital.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    if let delegate {
      return delegate.controller(
        Self.erased(results), sectionIndexTitleForSectionName: sectionName)
    }
    return sectionName.first.map { $0.uppercased() } ?? ""
  }

  /// The number of the section that stands behind an entry of `sectionIndexTitles`.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    guard sectionIndexTitles.indices.contains(sectionIndex),
      sectionIndexTitles[sectionIndex] == title
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Index title at \(sectionIndex) is not equal to '\(title)'.")
    }
    return sectionIndex
  }

  // MARK: Identity

  /// Controllers of the same results are equal, whatever their type.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? any FetchedResultsFace)?.results === results
  }

  /// The hash that goes with `isEqual`.
  open override var hash: Int { ObjectIdentifier(results).hashValue }
}
