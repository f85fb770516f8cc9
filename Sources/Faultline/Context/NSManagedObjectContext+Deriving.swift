/// Derived attributes: computed when a root context saves, after `willSave` and before validation.
extension NSManagedObjectContext {
  /// Computes what is derived for objects that are about to be written, and for those whose derived
  /// attributes look at them; these become changed too.
  func derive(_ objects: [NSManagedObject]) {
    for dependent in dependents(of: objects) {
      let value = dependent.derivation.value(of: dependent.object)
      let slot = dependent.derivation.slot
      if dependent.object.read(slot) != value { dependent.object.write(value, slot) }
    }
    for object in objects where object.isDirty && !object.isDeleted {
      if object.layout.derivations.isEmpty { continue }
      if !object.isInserted, object.storedChanges.isEmpty { continue }
      for derivation in object.layout.derivations {
        // Not announced: nobody assigned it, and the save is under way.
        object.ownValues()[derivation.slot] = derivation.value(of: object)
        object.changed.insert(derivation.slot)
      }
    }
  }

  /// What is derived of these objects at the other ends of their relationships, each once: a
  /// thousand new items make one new total.
  private func dependents(
    of objects: [NSManagedObject]
  ) -> [(object: NSManagedObject, derivation: Derivation)] {
    struct Place: Hashable {
      let object: NSManagedObject
      let slot: Int
    }
    var seen = Set<Place>()
    var found: [(object: NSManagedObject, derivation: Derivation)] = []
    for object in objects where object.isDirty && !object.isDeleted {
      for watch in object.layout.watches
      where object.isInserted || object.changed.contains(watch.slot) {
        for owner in object.related(watch.back) where owner.isLiving {
          let place = Place(object: owner, slot: watch.derivation.slot)
          if seen.insert(place).inserted { found.append((owner, watch.derivation)) }
        }
      }
    }
    return found
  }

  /// What the request of a fetched property finds for an object; nothing if it cannot be fetched.
  func fetch(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [Any] {
    check("get \(property.name)")
    guard let request = property.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
    else { return [] }
    request.predicate = request.predicate?.withSubstitutionVariables([
      "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
    ])
    return (try? fetch(request)) ?? []
  }
}

extension NSManagedObject {
  /// The objects at the other end of a relationship of either cardinality.
  fileprivate func related(_ slot: Int) -> [NSManagedObject] {
    if layout.slots[slot].kind == .toMany { return Array(members(slot)) }
    return destination(slot).map { [$0] } ?? []
  }
}
