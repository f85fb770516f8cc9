import Foundation

extension NSManagedObjectID: PredicateValue {
  /// The record that the id names.
  var operand: Operand { .record(self, nil) }
}

extension NSManagedObject: PredicateValue, PredicateSubject {
  /// The record that the object stands for.
  var operand: Operand { .record(objectID, self) }

  func operand(forKey key: String, before rest: ArraySlice<String>) -> Operand {
    guard let slot = layout.index[key] else {
      switch key {
      case "objectID": return .record(objectID, nil)
      case "entity": return layout.entity.operand
      default: _ = self.slot(named: key)
      }
      return .null
    }
    switch layout.slots[slot].kind {
    case .attribute(.transformableAttributeType), .attribute(.compositeAttributeType):
      return Operand(transformedValue(slot))
    case .attribute: return Operand(read(slot))
    case .toOne:
      if let destination = destination(slot) { return destination.operand }
      return layout.slots[slot].destination.leadsToMany(rest) ? .list([]) : .null
    case .toMany:
      if layout.slots[slot].isOrdered { return .list(orderedMembers(slot).map(\.operand)) }
      return .list(members(slot).map(\.operand))
    }
  }
}

extension EntityLayout {
  /// Whether a path of names from here leads through a to-many relationship.
  func leadsToMany(_ names: ArraySlice<String>) -> Bool {
    guard let name = names.first, let slot = index[name], slots[slot].isRelationship else {
      return false
    }
    return slots[slot].kind == .toMany || slots[slot].destination.leadsToMany(names.dropFirst())
  }
}

extension NSEntityDescription: PredicateValue, PredicateSubject {
  /// The entity, which only equals itself.
  var operand: Operand { .record(self, self) }

  func operand(forKey key: String, before rest: ArraySlice<String>) -> Operand {
    guard key == "name" else {
      ProgrammerError.stop(
        "NSUnknownKeyException: predicates read the name of an entity, not its \(key).")
    }
    return Operand(name)
  }
}

extension NSPropertyDescription: PredicateValue, PredicateSubject {
  /// The property, which only equals itself.
  var operand: Operand { .record(self, self) }

  func operand(forKey key: String, before rest: ArraySlice<String>) -> Operand {
    switch key {
    case "name": return Operand(name)
    case "userInfo": return Operand(userInfo.map { NSDictionary(dictionary: $0) })
    default:
      ProgrammerError.stop(
        "NSUnknownKeyException: predicates read the name and the userInfo of a property, not its "
          + "\(key).")
    }
  }
}

extension Operand {
  /// The value of an attribute.
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .text(text)
    case .data(let data): self = .data(data)
    case .boxed(let box):
      switch box.content {
      case .uuid(let uuid): self = Operand(uuid)
      case .url(let url): self = .text(url.absoluteString)
      case .decimal(let decimal): self = Operand(decimal)
      case .opaque(let opaque): self = Operand(opaque.object)
      }
    case .key, .id, .object, .toMany: self = .null
    }
  }
}

extension NSPredicate {
  /// The predicate with ids in place of objects, so that any thread may read it.
  func namingRecords() -> NSPredicate { Substitution([:], constant: Self.named).predicate(self) }

  private static func named(_ constant: Any?) -> Any? {
    let members: [Any]
    switch constant {
    case let object as NSManagedObject: return object.objectID
    case let set as NSSet: members = set.allObjects
    case let set as NSOrderedSet: members = set.array
    case let set as Set<NSManagedObject>: members = Array(set)
    case let list as [Any]: members = list
    default: return constant
    }
    return members.contains { $0 is NSManagedObject }
      ? members.map { ($0 as? NSManagedObject)?.objectID ?? $0 } : constant
  }
}
