extension Schema {
  /// The statements that make the indexes of the model, as Core Data names them.
  var fetchIndexes: [String] {
    layouts.values.filter(holds).sorted { $0.number < $1.number }.flatMap { layout in
      layout.entity.indexes.compactMap { index -> String? in
        let terms = index.elements.compactMap { term($0, layout) }
        if terms.isEmpty { return nil }
        let name = "Z_\(layout.name)_\(index.name)".replacing("\"", with: "\"\"")
        return "CREATE INDEX \"\(name)\" ON \(table(layout).name) "
          + "(\(terms.joined(separator: ", ")))"
      }
    }
  }

  /// One column of an index; nil for a property that has none.
  private func term(_ element: NSFetchIndexElementDescription, _ layout: EntityLayout) -> String? {
    let table = table(layout)
    guard let slot = layout.slots.firstIndex(where: { $0.property === element.property }),
      let column = table.columnOfSlot[layout.number]?[slot], column >= 0
    else { return nil }
    return "\(table.columns[column].name) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
  }
}
