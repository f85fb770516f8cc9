import CoreData
import Foundation

/// Two engines that did not come out alike.
struct Difference: Error, CustomStringConvertible {
  /// What was expected and what was found.
  let description: String
}

/// A context that says nothing about rows that are gone: programs meet them all the time.
private final class QuietContext: NSManagedObjectContext, @unchecked Sendable {
  override func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool { true }
}

/// Runs one program on the engine and on paper, and compares after every move.
///
/// All contexts belong to the main queue, and no turn of the main loop ends while a program runs.
final class ProgramRunner {
  let program: Program
  let contexts: [NSManagedObjectContext]
  let papers: [PaperContext]
  let store = PaperStore()
  private let container: NSPersistentContainer
  private let readers: NSPersistentContainer
  /// The engine's ids of the paper's, and back.
  var ids: [PaperID: NSManagedObjectID] = [:]
  var names: [NSManagedObjectID: PaperID] = [:]
  private var entities: [Int: String] = [:]
  private var lastSaved: [Int: (paper: PaperSaved, note: Notification)] = [:]

  /// Opens a store in the directory, twice: once to work in and once to read.
  init(_ program: Program, in directory: URL) throws {
    self.program = program
    let url = directory.appendingPathComponent("\(UUID().uuidString).sqlite")
    container = try openContainer(model: SpecModel.library, at: url)
    readers = try openContainer(model: SpecModel.library, at: url)
    var contexts: [NSManagedObjectContext] = []
    var papers: [PaperContext] = []
    for number in 0..<5 {
      let context = QuietContext(concurrencyType: .mainQueueConcurrencyType)
      context.retainsRegisteredObjects = true
      if let parent = program.parent(of: number) {
        context.parent = contexts[parent]
        papers.append(PaperContext(papers[parent]))
      } else {
        context.persistentStoreCoordinator = container.persistentStoreCoordinator
        papers.append(PaperContext(store))
      }
      contexts.append(context)
    }
    (self.contexts, self.papers) = (contexts, papers)
  }

  /// Runs everything; throws the first difference, after the number of the move that showed it.
  func run(tracing: Bool = false) throws {
    for (number, move) in program.moves.enumerated() {
      if tracing { FileHandle.standardError.write(Data("\(number + 1). \(move)\n".utf8)) }
      do {
        try perform(move)
      } catch let difference as Difference {
        throw Difference(description: "move \(number + 1), \(move): \(difference.description)")
      }
    }
    for context in (0..<5).reversed() { try readEverything(context) }
  }

  private func perform(_ move: Move) throws {
    let number = move.context
    var others: [Int] = []
    switch move.step {
    case .insert(let entity, let record): insert(entity, record, number)
    case .save(let policy, let other):
      let merging = other.flatMap { program.mayMerge(number, into: $0) ? $0 : nil }
      try save(number, policy, tells: merging)
      if let merging { others.append(merging) }
    case .merge(let saver):
      guard program.mayMerge(saver, into: number), let last = lastSaved[saver] else { return }
      contexts[number].mergeChanges(fromContextDidSave: last.note)
      papers[number].merge(last.paper)
    case .refreshAll:
      contexts[number].refreshAllObjects()
      papers[number].refreshAll()
    case .rollback:
      contexts[number].rollback()
      papers[number].rollback()
    case .reset:
      contexts[number].reset()
      papers[number].reset()
    case .process:
      contexts[number].processPendingChanges()
      papers[number].process()
    case .fetch(let entity, let name, let asFaults):
      try fetch(entity, name, asFaults, number)
    case .find(let record): try find(record, number)
    case .look:
      try (0..<5).forEach(look)
      others = Array(0..<5)
    case .set(let record, _, _), .link(let record, _, _), .unlink(let record, _, _),
      .delete(let record), .refresh(let record, _), .fire(let record), .load(let record, _),
      .obtain(let record):
      guard let target = target(record, number) else { return }
      try perform(move.step, target, number)
    }
    try bind(number)
    for context in [number] + others { try compareUpwards(context) }
  }

  /// A context's state and that of its ancestors, which what it does may change.
  private func compareUpwards(_ context: Int) throws {
    if program.looksAlways { try look(context) }
    try compare(context)
    if let parent = program.parent(of: context) { try compareUpwards(parent) }
  }

  // MARK: Objects

  /// A record as an object in both engines.
  struct Target {
    let paper: PaperObject
    let object: NSManagedObject
  }

  private func insert(_ entity: String, _ record: Int, _ number: Int) {
    entities[record] = entity
    let id = PaperID(entity: entity, record: record, isTemporary: true)
    let paper = papers[number].insert(id)
    let description = contexts[number].persistentStoreCoordinator!.managedObjectModel
      .entitiesByName[entity]!
    let type = NSClassFromString(description.managedObjectClassName) as! NSManagedObject.Type
    paper.counterpart = type.init(entity: description, insertInto: contexts[number])
  }

  /// The object of a record in a context; nil where the context cannot know of it.
  private func target(_ record: Int, _ number: Int) -> Target? {
    guard let entity = entities[record] else { return nil }
    let temporary = PaperID(entity: entity, record: record, isTemporary: true)
    let known = [temporary, temporary.permanent].first { papers[number].objects[$0] != nil }
    let stored = ids[temporary.permanent] == nil ? nil : temporary.permanent
    var above: PaperID?
    var parent = program.parent(of: number)
    while let next = parent {
      if papers[next].objects[temporary] != nil { above = temporary }
      parent = program.parent(of: next)
    }
    guard let id = known ?? stored ?? above, let engineID = ids[id] else { return nil }
    let paper = papers[number].object(id)
    let object = contexts[number].object(with: engineID)
    paper.counterpart = object
    return Target(paper: paper, object: object)
  }

  private func perform(_ step: Step, _ target: Target, _ number: Int) throws {
    let (paper, object, context) = (target.paper, target.object, papers[number])
    switch step {
    case .set(_, let name, let value):
      guard fire(target, number) else { return }
      context.write(value, paper, name)
      object.setValue(value.plain, forKey: name)
    case .link(_, let name, let record), .unlink(_, let name, let record):
      let relation = paper.entity.relation(name)
      guard let other = self.target(record, number), fire(target, number), fire(other, number),
        !paper.isDeleted
      else { return }
      var isLinking = false
      if case .link = step { isLinking = true }
      if isLinking {
        context.link(paper, relation, other.paper)
      } else {
        context.unlink(paper, relation, other.paper)
      }
      if relation.isToMany {
        let set = object.mutableSetValue(forKey: name)
        isLinking ? set.add(other.object) : set.remove(other.object)
      } else {
        object.setValue(isLinking ? other.object : nil, forKey: name)
      }
    case .delete:
      context.delete(paper)
      contexts[number].delete(object)
    case .refresh(_, let merges):
      context.refresh(paper, mergeChanges: merges)
      contexts[number].refresh(object, mergeChanges: merges)
    case .fire: _ = fire(target, number)
    case .load(_, let name):
      guard fire(target, number) else { return }
      context.members(paper, name)
      _ = object.objectIDs(forRelationshipNamed: name)
    case .obtain:
      context.obtainPermanentID(paper)
      try contexts[number].obtainPermanentIDs(for: [object])
    default: break
    }
  }

  /// Loads an object in both engines; false if it cannot be changed any more.
  private func fire(_ target: Target, _ number: Int) -> Bool {
    papers[number].fire(target.paper)
    target.object.willAccessValue(forKey: nil)
    return !target.paper.isDeleted && !target.object.isDeleted
  }

  private func fetch(_ entity: String, _ name: String?, _ asFaults: Bool, _ number: Int) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    let label = PaperEntity.named(entity).label
    let name = label == "amount" ? nil : name
    if let name { request.predicate = NSPredicate(format: "%K == %@", label, name) }
    request.returnsObjectsAsFaults = asFaults
    let expected = papers[number].fetch(entity, named: name)
    for paper in expected where !asFaults && paper.isFault {
      if let row = paper.base { papers[number].realise(paper, row) }
      papers[number].fire(paper)
    }
    let found = try contexts[number].fetch(request)
    try expect(
      "found", Set(found.map { self.name(of: $0.objectID) }), Set(expected.map(\.id.description)))
    try expect("count", try contexts[number].count(for: request), found.count)
  }

  private func find(_ record: Int, _ number: Int) throws {
    guard let target = target(record, number) else { return }
    let expected = papers[number].existing(target.paper.id)?.id.description
    var found: String?
    let code = errorCode {
      found = name(of: try contexts[number].existingObject(with: target.object.objectID).objectID)
    }
    try expect("existing object", found, expected)
    try expect("error code", code, expected == nil ? 133000 : nil)
  }

  // MARK: Saving

  private func save(_ number: Int, _ policy: PaperPolicy, tells other: Int?) throws {
    let context = contexts[number]
    context.mergePolicy = policy.real
    let watch = SaveWatch(context, telling: other.map { contexts[$0] })
    var failure: NSError?
    do { try context.save() } catch { failure = error as NSError }
    let expected = papers[number].save(policy) { saved in
      if let other { papers[other].merge(saved) }
    }
    try bind(number)
    try expect("outcome", outcome(failure, watch.notes), expected)
    guard case .saved(let saved) = expected, let note = watch.notes.last else { return }
    lastSaved[number] = (saved, note)
    if program.parent(of: number) == nil { try compareStore() }
  }

  /// What the engine's save came to, in the words of the paper.
  private func outcome(_ failure: NSError?, _ notes: [Notification]) -> PaperOutcome {
    guard let failure else {
      guard notes.count == 2 else { return .nothing }
      let sets = notes.map { note in
        PaperSaved(
          inserted: savedIDs(note, NSInsertedObjectsKey, NSInsertedObjectIDsKey),
          updated: savedIDs(note, NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
          deleted: savedIDs(note, NSDeletedObjectsKey, NSDeletedObjectIDsKey))
      }
      // Both notifications of a save say the same.
      return sets[0] == sets[1] ? .saved(sets[0]) : .nothing
    }
    if let list = failure.userInfo["conflictList"] as? [NSMergeConflict] {
      return .conflicts(
        Set(
          list.map {
            PaperConflict(
              id: names[$0.sourceObject.objectID] ?? .unknown, old: $0.oldVersionNumber,
              new: $0.newVersionNumber)
          }))
    }
    let details = failure.userInfo[NSDetailedErrorsKey] as? [any Error]
    return .invalid(code: failure.code, count: details?.count ?? 1)
  }

  private func savedIDs(_ note: Notification, _ objects: String, _ ids: String) -> Set<PaperID> {
    if let set = note.userInfo?[objects] as? Set<NSManagedObject> {
      return Set(set.map { names[$0.objectID] ?? .unknown })
    }
    let set = note.userInfo?[ids] as? Set<NSManagedObjectID> ?? []
    return Set(set.map { names[$0] ?? .unknown })
  }

  /// What the file holds, read past everything that this program works with.
  private func compareStore() throws {
    let reader = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    reader.persistentStoreCoordinator = readers.persistentStoreCoordinator
    var found: Set<PaperID> = []
    var pairs: Set<[PaperID]> = []
    for entity in PaperEntity.names where entity != "Review" {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      for object in try reader.fetch(request) {
        let id = names[object.objectID] ?? .unknown
        found.insert(id)
        guard let row = store.rows[id] else { continue }
        for name in PaperEntity.named(id.entity).columns {
          try expect("stored \(id).\(name)", value(object, name), row[name])
        }
        guard object is Article else { continue }
        for tag in object.objectIDs(forRelationshipNamed: "tags") {
          pairs.insert([id, names[tag] ?? .unknown])
        }
      }
    }
    try expect("stored rows", found, Set(store.rows.keys))
    // A link to a row that was deleted meanwhile leads nowhere.
    let whole = store.pairs.filter { $0.allSatisfy { store.rows[$0] != nil } }
    try expect("stored pairs", pairs, whole)
  }
}

/// Hears the two notifications of a save, and lets another context merge the first of them.
private final class SaveWatch {
  private(set) var notes: [Notification] = []
  private var tokens: [any NSObjectProtocol] = []
  private let receiver: NSManagedObjectContext?

  init(_ context: NSManagedObjectContext, telling receiver: NSManagedObjectContext?) {
    self.receiver = receiver
    tokens = [
      NSManagedObjectContext.didSaveObjectsNotification,
      NSManagedObjectContext.didSaveObjectIDsNotification,
    ].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        [weak self] in self?.hear($0)
      }
    }
  }

  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

  private func hear(_ note: Notification) {
    if notes.isEmpty { receiver?.mergeChanges(fromContextDidSave: note) }
    notes.append(note)
  }
}

// Programs run on the main thread alone.
extension SaveWatch: @unchecked Sendable {}
