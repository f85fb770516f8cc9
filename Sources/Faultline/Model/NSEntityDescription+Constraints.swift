extension NSEntityDescription {
  /// The combinations of values that no two records of the entity, or of an entity that inherits
  /// from it, may have in common.
  ///
  /// Each combination is an array of names or descriptions of attributes and to-one relationships,
  /// and is read back as names. Stores of type SQLite check them when a context saves.
  public var uniquenessConstraints: [[Any]] {
    get { constraintNames }
    set {
      refuseIfFrozen()
      constraintNames = newValue.map { $0.map(constrainedName) }
    }
  }

  private func constrainedName(_ element: Any) -> String {
    if let property = element as? NSPropertyDescription { return property.name }
    if let name = element as? String { return name }
    ProgrammerError.stop(
      "NSInvalidArgumentException: a uniqueness constraint of entity \(name ?? "?") holds a "
        + "\(type(of: element)); name a property of the entity, or give its description.")
  }

  /// The constraints' part of the entity's hash; nothing if there are none.
  var constraintFacts: [String] {
    if constraintNames.isEmpty { return [] }
    return [constraintNames.map { $0.joined(separator: ",") }.sorted().joined(separator: ";")]
  }
}
