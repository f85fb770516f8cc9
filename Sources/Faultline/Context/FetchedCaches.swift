/// What the controllers of this process fetch under the names of their caches.
///
/// There are no files: sections are found along with the objects, so there is nothing that would be
/// quicker to read than to find again. What is left of a cache is its promise that the request does
/// not change behind its back.
enum FetchedCaches {
  private static let requests = Lock<[String: String]>([:])

  /// Remembers a request under a name; stops if another one stands there.
  static func enter<T>(
    _ name: String, _ plan: FetchPlan, _ request: NSFetchRequest<T>, _ sectionNameKeyPath: String?
  ) {
    let predicate = request.predicate.map(PredicateText.text)
    let text =
      "\(plan.layout.name) where \(predicate ?? "TRUEPREDICATE") by \(plan.order) in sections by "
      + "\(sectionNameKeyPath ?? "nothing"), \(plan.offset) to \(plan.limit)"
    let known = requests.withLock { requests in
      defer { requests[name] = text }
      return requests[name]
    }
    if let known, known != text {
      ProgrammerError.stop(
        "NSInternalInconsistencyException: FATAL ERROR: The persistent cache of section "
          + "information does not match the current configuration. You have illegally mutated the "
          + "NSFetchedResultsController's fetch request, its predicate, or its sort descriptor "
          + "without either disabling caching or using +deleteCacheWithName: (cache \(name)).")
    }
  }

  /// Forgets one request, or all.
  static func delete(_ name: String?) {
    requests.withLock { requests in
      if let name { requests[name] = nil } else { requests = [:] }
    }
  }
}

extension NSManagedObjectContext {
  /// Forgets what the process keeps for all its contexts, for a controlled run that follows others
  /// in it.
  package static func forgetEarlierRuns() {
    FetchedCaches.delete(nil)
    ReadTimes.end()
    NSManagedObjectID.restartTemporaryKeys()
  }
}
