import Foundation

/// The columns of a fetch whose results are dictionaries.
struct FetchProjection {
  /// One column.
  struct Column {
    /// The key in the dictionaries.
    let name: String
    /// What is computed.
    let expression: NSExpression
    /// The type of the value; undefined means as the store has it, and an object id a record.
    let type: NSAttributeType
    /// Where the value lies, if it is that of a property.
    var slot: Slot?
  }

  /// The columns.
  let columns: [Column]
  /// Whether equal rows count as one.
  var isDistinct = false
  /// What the rows of one group have in common.
  var groups: [NSExpression] = []
  /// What a group must satisfy.
  var having: NSPredicate?

  /// Rows of these columns.
  init(_ columns: [Column]) { self.columns = columns }

  /// The projection of a request; one that a store cannot answer stops.
  ///
  /// - Parameter properties: names, key paths over to-one relationships, property descriptions; nil
  ///   means all stored attributes, and so do none.
  init(_ properties: [Any]?, groups: [Any]?, having: NSPredicate?, _ layout: EntityLayout) {
    let attributes = layout.slots.filter { $0.isColumn && !$0.isRelationship }.map(\.name)
    let listed = properties.flatMap { $0.isEmpty ? nil : $0 }
    columns = (listed ?? attributes).map { Column($0, layout, "propertiesToFetch") }
    let groups = (groups ?? []).map { Column($0, layout, "propertiesToGroupBy") }
    self.groups = groups.map(\.expression)
    // There a variable stands for the column of its name.
    self.having = having?.withSubstitutionVariables(
      Dictionary(columns.map { ($0.name, $0.expression) }) { first, _ in first })
    if groups.isEmpty {
      if having == nil { return }
      ProgrammerError.stop(
        "NSInvalidArgumentException: Invalid fetch request: HAVING clause specified without GROUP "
          + "BY; set propertiesToGroupBy too.")
    }
    let names = Set(groups.map(\.name))
    for column in columns {
      guard case .keyPath(nil, _) = column.expression.node, !names.contains(column.name) else {
        continue
      }
      ProgrammerError.stop(
        "NSInvalidArgumentException: SELECT clauses in queries with GROUP BY components can only "
          + "contain properties named in the GROUP BY or aggregate functions: \(column.name).")
    }
  }
}

extension FetchProjection.Column {
  /// The column of a property, of a path, or of an expression description.
  init(_ property: Any, _ layout: EntityLayout, _ setting: String) {
    if let description = property as? NSExpressionDescription {
      guard let expression = description.expression else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: the expression description \(description.name) in "
            + "\(setting) has no expression.")
      }
      self.init(
        name: description.name, expression: expression, type: description.expressionResultType)
      return
    }
    let path = (property as? NSPropertyDescription)?.name ?? "\(property)"
    if path == "objectID", layout.index[path] == nil {
      self.init(
        name: path, expression: .expressionForEvaluatedObject(), type: .objectIDAttributeType)
      return
    }
    guard let slot = layout.storedSlot(at: path) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Invalid keypath \(path) passed to \(setting): it leads over "
          + "to-one relationships of \(layout.name) to a stored attribute, or to the last of them.")
    }
    var type = NSAttributeType.objectIDAttributeType
    if case .attribute(let attribute) = slot.kind { type = attribute }
    self.init(name: path, expression: NSExpression(forKeyPath: path), type: type, slot: slot)
  }
}

extension EntityLayout {
  /// The last slot of a path over to-one relationships; nil if the path does not lead to something
  /// that a row has.
  func storedSlot(at path: String) -> Slot? {
    var layout: EntityLayout? = self
    var found: Slot?
    var names = path.split(separator: ".").map(String.init)[...]
    while let name = names.popFirst() {
      guard let here = layout, let slot = here.slot(name, &names), here.slots[slot].isColumn else {
        return nil
      }
      found = here.slots[slot]
      switch here.slots[slot].kind {
      case .attribute: layout = nil
      case .toOne: layout = here.slots[slot].destination
      case .toMany: return nil
      }
    }
    return found
  }
}
