/// What a fetch asks the parent store of its context.
struct FetchQuestion {
  /// Which records, in which order.
  var plan: FetchPlan
  /// The form of the result.
  var resultType = NSFetchRequestResultType.managedObjectResultType
  /// What is loaded along.
  var loading = FetchLoading()
  /// The columns, if the results are dictionaries.
  var projection: FetchProjection?

  /// Whether it results in objects whose rows are loaded page by page.
  var isPaged: Bool {
    resultType == .managedObjectResultType && loading.batchSize > 0 && loading.values
      && !loading.realises
  }

  /// Asks, on any thread; the rows may come part by part if they are taken at once.
  func ask(_ parent: any ParentStore, inParts: Bool = false) throws -> FetchAnswer {
    if let projection { return .table(try parent.table(plan, projection)) }
    switch resultType {
    case .countResultType: return .count(try parent.count(plan))
    case .managedObjectIDResultType: return .names(try parent.names(plan))
    default: break
    }
    guard loading.values, !isPaged else { return .names(try parent.names(plan)) }
    return .rows(try inParts ? parent.rowsInParts(plan) : LoadedRows(parent.rows(plan)))
  }
}

/// What a parent store answers a question.
enum FetchAnswer {
  /// The number of records, before limit and offset.
  case count(Int)
  /// The records.
  case names([RecordName])
  /// The records with their rows.
  case rows(LoadedRows)
  /// The rows of a projection.
  case table([[Value]])
}
