extension SaveTransaction {
  /// Writes the order of one ordered relationship, if this context changed it.
  ///
  /// It is a matter of the owner, whose version counts it; the members' versions stay.
  func writeOrder(_ object: NSManagedObject, _ slot: Int, _ transaction: Transaction) throws {
    guard case .toMany(let storage as OrderedStorage)? = object.own?[slot], storage.isChanged
    else { return }
    let column = OrderColumn(object.layout, slot: slot, transaction.schema)
    if storage.isAppended {
      try transaction.append(storage.mine.map(\.storedKey), of: object.storedKey, column)
    } else {
      let members = object.orderedMembers(slot)
      try transaction.write(
        members.map(\.storedKey), fresh: Set(storage.added.map(\.storedKey)),
        of: object.storedKey, column)
    }
  }
}
