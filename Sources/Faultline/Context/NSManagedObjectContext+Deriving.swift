/// Derived attributes: computed when a root context saves, after `willSave` and before validation.
extension NSManagedObjectContext {
  /// Computes what is derived for objects that are about to be written, and for those whose derived
  /// attributes look at them; these become changed too.
  func derive(_ objects: [NSManagedObject]) {
    for object in objects where object.isDirty && !object.isDeleted {
      let layout = object.layout
      for watch in layout.watches where object.isInserted || object.changed.contains(watch.slot) {
        for owner in object.related(watch.back) where !owner.isDirty && owner.isLiving {
          let value = watch.derivation.value(of: owner)
          if owner.read(watch.derivation.slot) != value {
            owner.write(value, watch.derivation.slot)
          }
        }
      }
      if layout.derivations.isEmpty { continue }
      if !object.isInserted, object.storedChanges.isEmpty { continue }
      for derivation in layout.derivations {
        // Not announced: nobody assigned it, and the save is under way.
        object.ownValues()[derivation.slot] = derivation.value(of: object)
        object.changed.insert(derivation.slot)
      }
    }
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
