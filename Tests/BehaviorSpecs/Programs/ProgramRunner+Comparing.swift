import CoreData
import Foundation

extension PaperPolicy {
  /// The policy that Core Data has under this name.
  var real: NSMergePolicy {
    switch self {
    case .error: .error
    case .storeTrump: .mergeByPropertyStoreTrump
    case .objectTrump: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}

extension PaperValue {
  /// The value as `setValue(_:forKey:)` takes it.
  var plain: Any? {
    switch self {
    case .nothing, .record: nil
    case .text(let text): text
    case .number(let number): number
    }
  }
}

extension ProgramRunner {
  /// Throws unless both are equal.
  func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
    if found == expected { return }
    throw Difference(description: "\(what) is \(found), and should be \(expected)")
  }

  /// The paper's name for an id of the engine.
  func name(of id: NSManagedObjectID) -> String { names[id].map { "\($0)" } ?? "unknown" }

  /// A value of the engine in the words of the paper.
  func value(_ object: NSManagedObject, _ name: String) throws -> PaperValue {
    switch object.value(forKey: name) {
    case nil: return .nothing
    case let text as String: return .text(text)
    case let number as NSNumber: return .number(number.intValue)
    case let other as NSManagedObject: return .record(names[other.objectID] ?? .unknown)
    case let other: throw Difference(description: "\(name) holds \(other ?? "nothing")")
    }
  }

  /// Learns the ids that the last move made (A3, A7): none of them may have been seen before.
  func bind(_ number: Int) throws {
    var context: Int? = number
    while let next = context {
      for paper in papers[next].objects.values where ids[paper.id] == nil {
        guard let object = paper.counterpart as? NSManagedObject else {
          throw Difference(description: "nobody knows \(paper.id)")
        }
        let id = object.objectID
        if let known = names[id] {
          throw Difference(description: "\(paper.id) has the id of \(known)")
        }
        ids[paper.id] = id
        names[id] = paper.id
      }
      context = program.parent(of: next)
    }
  }

  // MARK: After every move

  /// What can be asked without loading anything: who is registered, and in what state.
  func compare(_ number: Int) throws {
    let (context, paper) = (contexts[number], papers[number])
    for object in context.registeredObjects {
      guard let id = names[object.objectID] else {
        throw Difference(description: "context \(number) has an object nobody made")
      }
      if paper.objects[id] != nil { continue }
      // Which neighbours are met as faults on the way is no rule's business.
      guard object.isFault, !object.hasChanges else {
        throw Difference(description: "context \(number) should not have loaded \(id)")
      }
      paper.object(id)
    }
    for object in paper.objects.values {
      do { try compare(object, context) } catch let difference as Difference {
        throw Difference(
          description: "in context \(number), \(object.id): \(difference.description)")
      }
    }
    func sorted(_ set: Set<NSManagedObject>) -> Set<String> {
      Set(set.map { name(of: $0.objectID) })
    }
    func sorted(_ list: [PaperObject]) -> Set<String> { Set(list.map(\.id.description)) }
    let who = "in context \(number), "
    try expect(who + "insertedObjects", sorted(context.insertedObjects), sorted(paper.inserted))
    try expect(who + "updatedObjects", sorted(context.updatedObjects), sorted(paper.updated))
    try expect(who + "deletedObjects", sorted(context.deletedObjects), sorted(paper.deleted))
    try expect(who + "hasChanges", context.hasChanges, paper.hasChanges)
  }

  private func compare(_ paper: PaperObject, _ context: NSManagedObjectContext) throws {
    guard let id = ids[paper.id], let object = context.registeredObject(for: id) else {
      throw Difference(description: "should be registered")
    }
    paper.counterpart = object
    try expect("objectID", name(of: object.objectID), "\(paper.id)")
    try expect("isTemporaryID", object.objectID.isTemporaryID, paper.id.isTemporary)
    try expect("isFault", object.isFault, paper.isFault)
    try expect("isInserted", object.isInserted, paper.isInserted)
    try expect("isUpdated", object.isUpdated, paper.isUpdated && !paper.isInserted)
    try expect("isDeleted", object.isDeleted, paper.isDeleted)
    try expect("hasChanges", object.hasChanges, paper.hasChanges)
    if paper.isFault { return }
    for name in paper.entity.texts + paper.entity.numbers {
      try expect(name, value(object, name), paper.value(name))
    }
    if paper.isGone { return }
    for relation in paper.entity.relations where relation.isToMany {
      try expect(
        "the fault of \(relation.name)", object.hasFault(forRelationshipNamed: relation.name),
        !isLoaded(paper, relation.name))
    }
  }

  private func isLoaded(_ paper: PaperObject, _ name: String) -> Bool {
    paper.sets[name].map { $0.members != nil } ?? paper.isInserted
  }

  // MARK: Now and then

  /// Reads the relationships of whatever is loaded; that may register neighbours as faults.
  func look(_ number: Int) throws {
    for paper in papers[number].objects.values where !paper.isFault && !paper.isGone {
      guard let id = ids[paper.id], let object = contexts[number].registeredObject(for: id) else {
        continue
      }
      for relation in paper.entity.relations {
        let who = "in context \(number), \(paper.id).\(relation.name)"
        if !relation.isToMany {
          try expect(who, value(object, relation.name), paper.value(relation.name))
        } else if isLoaded(paper, relation.name) {
          let members = object.objectIDs(forRelationshipNamed: relation.name)
          try expect(
            who, Set(members.map(name(of:))),
            Set(papers[number].members(paper, relation.name).map(\.description)))
        }
      }
    }
  }

  /// Loads everything that is registered and reads it.
  func readEverything(_ number: Int) throws {
    let context = papers[number]
    for paper in Array(context.objects.values) {
      guard let id = ids[paper.id], context.objects[paper.id] === paper else { continue }
      let object = contexts[number].object(with: id)
      context.fire(paper)
      object.willAccessValue(forKey: nil)
      for relation in paper.entity.relations where relation.isToMany {
        context.members(paper, relation.name)
        _ = object.objectIDs(forRelationshipNamed: relation.name)
      }
    }
    try look(number)
    var next: Int? = number
    while let number = next {
      try compare(number)
      next = program.parent(of: number)
    }
  }
}
