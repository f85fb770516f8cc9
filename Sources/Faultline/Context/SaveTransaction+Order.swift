extension SaveTransaction {
  /// Writes the order of one ordered relationship, if this context changed it.
  ///
  /// It is a matter of the owner, whose version counts it; the members' versions stay.
  func writeOrder(_ object: NSManagedObject, _ slot: Int, _ transaction: Transaction) throws {
    guard case .toMany(let storage as OrderedStorage)? = object.own?[slot], storage.isChanged
    else { return }
    let column = OrderColumn(object.layout, slot: slot, transaction.schema)
    if storage.isAppended {
      let members = try storage.mine.filter { member in
        if storage.moved.contains(member) { return true }
        return try !isPlaced(member, object, slot, column, transaction)
      }
      try transaction.append(members.map(\.storedKey), of: object.storedKey, column)
    } else {
      let fresh = Set(storage.added.map(\.storedKey))
      let members = object.orderedMembers(slot)
      try transaction.write(
        members.map(\.storedKey), fresh: fresh, of: object.storedKey, column)
    }
  }

  /// Whether the store had the member before this save, at a place that it keeps.
  private func isPlaced(
    _ member: NSManagedObject, _ object: NSManagedObject, _ slot: Int, _ column: OrderColumn,
    _ transaction: Transaction
  ) throws -> Bool {
    if member.isInserted { return false }
    if let inverse = object.layout.slots[slot].inverse,
      member.layout.slots[inverse].kind == .toOne
    {
      return member.snapshot?[inverse].referenceKey == object.key
    }
    return try transaction.isPlaced(member.storedKey, of: object.storedKey, column)
  }
}
