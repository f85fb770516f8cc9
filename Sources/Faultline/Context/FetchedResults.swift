import Foundation

/// The objects of a fetched results controller, kept up with the changes of its context.
///
///     unfetched ──show──▶ fetched ──changes of the context──▶ fetched
///         ▲                  │
///         └─── reset ────────┘
///
/// - unfetched: `list` is nil.
/// - fetched: `list` is what the last fetch found, with every later change if there was a delegate
///   to be told of it; `plan` says who belongs to it and in which order.
///
/// It belongs to the queue of its context, which posts on it what it listens to.
final class FetchedResults {
  /// The context whose changes count.
  let context: NSManagedObjectContext
  /// What names the sections; nil puts everything into one.
  let sectionNameKeyPath: String?
  /// Who is told of changes.
  weak var delegate: (any NSFetchedResultsControllerDelegate)?
  /// The controller that the application made; it may override how sections are abbreviated.
  weak var face: (any FetchedResultsFace)?
  /// Whether the delegate was found to want single changes rather than one difference.
  var wantsSingleChanges = false
  /// The objects; nil before the first fetch and after a reset.
  var list: SectionedList<FetchedObject>? { former ?? current }
  private var current: SectionedList<FetchedObject>?
  /// The objects before changes of which the delegate is just being told that they come.
  private var former: SectionedList<FetchedObject>?
  private var plan: FetchPlan?
  /// Hears that a reset has emptied the list.
  var didReset: (() -> Void)?
  private var observer: (any NSObjectProtocol)?

  private struct Reference {
    weak var results: FetchedResults?
  }

  init(_ context: NSManagedObjectContext, sectionNameKeyPath: String?) {
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    let reference = UncheckedBox(Reference(results: self))
    observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { reference.value.results?.contextChanged($0.userInfo ?? [:]) }
  }

  deinit { observer.map(NotificationCenter.default.removeObserver) }

  /// Takes what a fetch found, and the names of the sections if it found them too.
  ///
  /// - Throws: `CocoaError` 134060 if the order does not keep the objects of a section together.
  func show(_ objects: [NSManagedObject], names: [String]? = nil, _ plan: FetchPlan) throws {
    do {
      current = try SectionedList(
        objects.enumerated().map { index, object in
          (names?[index] ?? sectionName(object), FetchedObject(object: object))
        },
        isSectioned: sectionNameKeyPath != nil)
      self.plan = plan
    } catch let error as SectionedList<FetchedObject>.OutOfOrder {
      current = nil
      throw CocoaError(
        CocoaError.Code(rawValue: NSCoreDataError),
        userInfo: [NSLocalizedDescriptionKey: sentence(error)])
    }
  }

  private func sentence(_ error: SectionedList<FetchedObject>.OutOfOrder) -> String {
    "The fetched object at index \(error.index) has an out of order section name '\(error.name)'. "
      + "Objects must be sorted by section name: make \(sectionNameKeyPath ?? "it") the first sort "
      + "descriptor."
  }

  /// The name of an object's section; a value that is no text is written as one.
  private func sectionName(_ object: NSManagedObject) -> String {
    guard let sectionNameKeyPath else { return "" }
    return Self.sectionName(object.value(forKeyPath: sectionNameKeyPath))
  }

  /// A value as the name of a section: a whole number has no fraction, whatever its type.
  static func sectionName(_ value: Any?) -> String {
    guard let value else { return "" }
    guard let number = value as? NSNumber, number.isReal else {
      return "\(value)"
    }
    let digits = String(cString: number.objCType) == "f" ? 7 : 16
    return String(format: "%.\(digits)g", number.doubleValue)
  }

  // MARK: Changes of the context

  /// 1. After a reset there is nothing until the next fetch; nobody is told.
  /// 2. Changed objects that belong to the result, or did, are taken out; those that still do are
  ///    put where they belong now.
  /// 3. The delegate is told what leads from the old list to the new one.
  private func contextChanged(_ info: [AnyHashable: Any]) {
    if info[NSInvalidatedAllObjectsKey] != nil {  // 1
      current = nil
      plan = nil
      didReset?()
      return
    }
    guard let delegate, let old = current, let plan else { return }
    var touched: Set<FetchedObject> = []  // 2
    var arrivals: [(name: String, element: FetchedObject)] = []
    for object in changed(info, [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey])
    where context.isAsked(object, by: plan) {
      let element = FetchedObject(object: object)
      let isMatch = matches(object, plan)
      if isMatch { arrivals.append((sectionName(object), element)) }
      if isMatch || old.places[element] != nil { touched.insert(element) }
    }
    for object in changed(info, [NSDeletedObjectsKey, NSInvalidatedObjectsKey]) {
      let element = FetchedObject(object: object)
      if old.places[element] != nil { touched.insert(element) }
    }
    if touched.isEmpty { return }
    func order(_ left: FetchedObject, _ right: FetchedObject) -> Bool? {
      plan.order.precedes(left.object, right.object)
    }
    if let updates = old.updates(touched, with: arrivals, by: order) {
      return tell(delegate, updates, since: old)
    }
    do {
      let new = try old.replacing(touched, with: arrivals, by: order)
      current = new
      tell(delegate, new.changes(from: old, touched: touched), since: old)  // 3
    } catch let error as SectionedList<FetchedObject>.OutOfOrder {
      StandardError.write("CoreData: error: (NSFetchedResultsController) \(sentence(error))")
    } catch {
      ProgrammerError.impossible("a list of fetched results failed with \(error)")
    }
  }

  /// The objects under some keys of a notification, each once; stored ones in order of their keys,
  /// then new ones in order of their insertion.
  private func changed(_ info: [AnyHashable: Any], _ keys: [String]) -> [NSManagedObject] {
    var all: Set<NSManagedObject> = []
    for key in keys { all.formUnion(info[key] as? Set<NSManagedObject> ?? []) }
    return all.sorted {
      $0.key > 0 ? $1.key < 0 || $0.key < $1.key : $1.key < 0 && $0.key > $1.key
    }
  }

  private func matches(_ object: NSManagedObject, _ plan: FetchPlan) -> Bool {
    if object.isDeleted || object.registry == nil { return false }
    object.fulfill(triggeredBy: nil)
    return !object.isDeleted && plan.matches(object)
  }

  // MARK: Telling the delegate

  /// One difference if the delegate takes it and there are no sections; else section changes, then
  /// object changes, between two other calls, the first of which still sees the old list.
  private func tell(
    _ delegate: any NSFetchedResultsControllerDelegate,
    _ changes: SectionedList<FetchedObject>.Changes, since old: SectionedList<FetchedObject>
  ) {
    let controller = NSFetchedResultsController<any NSFetchRequestResult>.erased(self)
    if sectionNameKeyPath == nil {
      wantsSingleChanges = false
      delegate.controller(controller, didChangeContentWith: difference(changes))
      if !wantsSingleChanges { return }
    }
    former = old
    delegate.controllerWillChangeContent(controller)
    former = nil
    for change in changes.sections {
      let isGone = change.kind == .delete
      let section = FetchedSection(isGone ? .init(name: change.section.name) : change.section, self)
      delegate.controller(
        controller, didChange: section, atSectionIndex: change.index, for: type(change.kind))
    }
    for change in changes.elements {
      delegate.controller(
        controller, didChange: change.element.object, at: change.old.map(path),
        for: type(change.kind),
        newIndexPath: change.new.map(path))
    }
    delegate.controllerDidChangeContent(controller)
  }

  private func type(_ kind: SectionedList<FetchedObject>.Kind) -> NSFetchedResultsChangeType {
    switch kind {
    case .insert: .insert
    case .delete: .delete
    case .move: .move
    case .update: .update
    }
  }

  private func path(_ place: SectionedList<FetchedObject>.Place) -> IndexPath {
    IndexPath(indexes: [place.section, place.item])
  }

  /// The changes of a list without sections by id; moves and updates are a removal and an insertion
  /// that belong together.
  private func difference(
    _ changes: SectionedList<FetchedObject>.Changes
  ) -> CollectionDifference<NSManagedObjectID> {
    let steps = changes.elements.flatMap {
      change -> [CollectionDifference<NSManagedObjectID>.Change] in
      let id = change.element.object.objectID
      var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
      if let old = change.old {
        steps.append(.remove(offset: old.item, element: id, associatedWith: change.new?.item))
      }
      if let new = change.new {
        steps.append(.insert(offset: new.item, element: id, associatedWith: change.old?.item))
      }
      return steps
    }
    guard let difference = CollectionDifference(steps) else {
      ProgrammerError.impossible("changes of fetched results that contradict each other")
    }
    return difference
  }
}

/// An object as an element of a list; found by its address, several times faster than by `isEqual`.
struct FetchedObject: Hashable {
  /// The object.
  let object: NSManagedObject

  static func == (left: FetchedObject, right: FetchedObject) -> Bool {
    left.object === right.object
  }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

/// What the results ask of the controller that the application made.
protocol FetchedResultsFace: AnyObject {
  /// The results themselves.
  var results: FetchedResults { get }
  /// The request under the type that stands for all results.
  var erasedRequest: NSFetchRequest<any NSFetchRequestResult> { get }
  /// The abbreviation of a section's name.
  func sectionIndexTitle(forSectionName sectionName: String) -> String?
}

/// One section as a controller hands it out.
final class FetchedSection: NSFetchedResultsSectionInfo {
  private let section: SectionedList<FetchedObject>.Section
  private let results: FetchedResults

  init(_ section: SectionedList<FetchedObject>.Section, _ results: FetchedResults) {
    self.section = section
    self.results = results
  }

  var name: String { section.name }
  var indexTitle: String? { results.face?.sectionIndexTitle(forSectionName: section.name) }
  var numberOfObjects: Int { section.elements.count }
  var objects: [Any]? { section.elements.map(\.object) }
}
