import Foundation

/// Fetches whose results are dictionaries: what the store has, without objects and without unsaved
/// changes.
extension NSManagedObjectContext {
  /// The columns of a request for dictionaries; of another request nil, after a look at its
  /// `propertiesToFetch`.
  func projection<T>(_ request: NSFetchRequest<T>, _ layout: EntityLayout) -> FetchProjection? {
    if request.resultType == .dictionaryResultType {
      var projection = FetchProjection(
        request.propertiesToFetch, groups: request.propertiesToGroupBy,
        having: request.havingPredicate, layout)
      projection.isDistinct = request.returnsDistinctResults
      return projection
    }
    if request.propertiesToGroupBy?.isEmpty == false || request.havingPredicate != nil {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Invalid fetch request: GROUP BY requires "
          + "NSDictionaryResultType; set resultType to .dictionaryResultType.")
    }
    for property in request.propertiesToFetch ?? [] {
      if property is NSExpressionDescription {
        ProgrammerError.stop(
          "NSInvalidArgumentException: propertiesToFetch can have an NSExpressionDescription only "
            + "with .dictionaryResultType.")
      }
      _ = FetchProjection.Column(property, layout, "propertiesToFetch")
    }
    return nil
  }

  /// The rows of a projection as dictionaries; null is no entry.
  func dictionaries(_ rows: [[Value]], _ question: FetchQuestion) -> [NSDictionary] {
    let columns = question.projection?.columns ?? []
    return rows.map { row in
      let dictionary = NSMutableDictionary()
      for (column, value) in zip(columns, row) {
        if let any = plain(value, column) { dictionary[column.name as NSString] = any }
      }
      return dictionary
    }
  }

  /// The objects of a question with a batch size, still without their rows, and for each what a key
  /// path leads to, as text; nil if the store alone cannot tell.
  func faults(
    of question: FetchQuestion, namedBy keyPath: String
  ) throws -> (objects: [NSManagedObject], names: [String])? {
    let plan = question.plan
    guard let parent = parentStore(for: "a fetch") as? any StoreReading, question.isPaged,
      let end = plan.layout.storedSlot(at: keyPath), !end.isRelationship,
      end.transformer == nil, pending(in: plan).isEmpty,
      parent.coordinator.stores(for: plan).count == 1
    else { return nil }
    let name = FetchProjection.Column(keyPath, plan.layout, "sectionNameKeyPath")
    let record = FetchProjection.Column(
      name: "", expression: .expressionForEvaluatedObject(), type: .objectIDAttributeType)
    let rows = try parent.table(plan, FetchProjection([record, name]))
    let records = rows.compactMap { row -> RecordName? in
      if case .id(let id) = row[0] { RecordName(id.layout, id.key) } else { nil }
    }
    return (
      try faults(records, question),
      rows.map { row in FetchedResults.sectionName(plain(row[1], name)) }
    )
  }

  /// A value of a projection as a dictionary has it.
  func plain(_ value: Value, _ column: FetchProjection.Column) -> Any? {
    switch (value, column.type) {
    case (.null, _): return nil
    case (.id(let id), _): return permanentID(layout: id.layout, key: id.key)
    case (.data(let data), .UUIDAttributeType): return UUID(bytes: data)
    case (.string(let text), .URIAttributeType): return URL(string: text)
    case (.string(let text), .decimalAttributeType): return NSDecimalNumber(string: text)
    case (.integer(let number), .decimalAttributeType): return NSDecimalNumber(value: number)
    case (.double(let number), .decimalAttributeType):
      return NSDecimalNumber(decimal: Decimal(real: number))
    case (.integer(let number), .dateAttributeType):
      return Date(timeIntervalSinceReferenceDate: Double(number))
    case (.double(let number), .integer16AttributeType),
      (.double(let number), .integer32AttributeType),
      (.double(let number), .integer64AttributeType):
      return NSNumber(value: Int64(exactly: number.rounded(.towardZero)) ?? 0)
    case (.integer(let number), .doubleAttributeType), (.integer(let number), .floatAttributeType):
      return NSNumber(value: Double(number))
    default: return column.slot?.any(value, column.type) ?? value.any(column.type)
    }
  }
}
