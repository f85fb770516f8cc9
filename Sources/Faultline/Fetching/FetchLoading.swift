/// How much of what a fetch finds is loaded with it.
struct FetchLoading {
  /// Whether rows are loaded, and not only ids.
  var values = true
  /// Whether the objects take their values at once.
  var realises = false
  /// How many rows are loaded at a time, once one of them is needed; 0 means all, and at once.
  var batchSize = 0
  /// The relationships whose destinations are loaded too.
  var branches: [RelationshipBranch] = []
}

/// One relationship of those that lead from what a fetch finds, and those that go on from there.
struct RelationshipBranch {
  /// The slot of the relationship.
  let slot: Int
  /// Where it goes on.
  var branches: [RelationshipBranch] = []

  /// Puts key paths together by their beginnings; one that leads over anything but stored
  /// relationships stops.
  static func tree(_ paths: [String], of layout: EntityLayout) -> [RelationshipBranch] {
    if paths.isEmpty { return [] }
    var names: [String] = []
    var rests: [String: [String]] = [:]
    for path in paths {
      let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
      let name = parts.first ?? ""
      if rests[name] == nil { names.append(name) }
      rests[name, default: []] += parts.dropFirst()
    }
    return names.map { name in
      guard let slot = layout.index[name], layout.slots[slot].isRelationship,
        !layout.slots[slot].isTransient
      else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: invalid relationship key path for prefetching: "
            + "\(layout.name) has no stored relationship named \"\(name)\".")
      }
      return RelationshipBranch(
        slot: slot, branches: tree(rests[name] ?? [], of: layout.slots[slot].destination))
    }
  }
}
