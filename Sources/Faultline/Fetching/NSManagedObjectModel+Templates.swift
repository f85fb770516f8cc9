import Foundation

/// Fetch requests that belong to a model under a name.
extension NSManagedObjectModel {
  /// The request of a name, which may have variables in its predicate; one that a file told is made
  /// anew each time.
  public func fetchRequestTemplate(
    forName name: String
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    if let made = templates[name] as? NSFetchRequest<any NSFetchRequestResult> { return made }
    guard let made = templateSources[name]?.request(in: self) else { return nil }
    return made
  }

  /// All requests, by name.
  public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    Dictionary(
      uniqueKeysWithValues: Set(templates.keys).union(templateSources.keys).compactMap { name in
        fetchRequestTemplate(forName: name).map { (name, $0) }
      })
  }

  /// Gives the model a request under a name, or takes it away.
  public func setFetchRequestTemplate(
    _ template: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
  ) {
    refuseIfFrozen("the template \(name)")
    templateSources[name] = nil
    templates[name] = template
  }

  /// A copy of the request of a name, with values for the variables of its predicate.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    guard let template = fetchRequestTemplate(forName: name),
      let copy = template.copy() as? NSFetchRequest<any NSFetchRequestResult>
    else { return nil }
    copy.predicate = copy.predicate?.withSubstitutionVariables(variables)
    return copy
  }
}

extension NSFetchedPropertyDescription {
  /// What to fetch; `$FETCH_SOURCE` stands for the object, `$FETCHED_PROPERTY` for this property.
  public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    get {
      request as? NSFetchRequest<any NSFetchRequestResult>
        ?? source?.request(in: entity.managedObjectModel)
    }
    set {
      refuseIfFrozen()
      (request, source) = (newValue, nil)
    }
  }
}

extension FetchRequestSource {
  /// The request that the file tells of.
  func request(in model: NSManagedObjectModel?) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    if let found = model?.entitiesByName[entity] {
      request.entity = found
    }
    request.predicate = predicate
    request.fetchLimit = settings["fetchLimit"].flatMap { Int($0) } ?? 0
    request.fetchBatchSize = settings["fetchBatchSize"].flatMap { Int($0) } ?? 0
    request.resultType = NSFetchRequestResultType(
      rawValue: settings["resultType"].flatMap { UInt($0) } ?? 0)
    request.includesSubentities = settings["includeSubentities"] != "NO"
    request.includesPropertyValues = settings["includePropertyValues"] != "NO"
    // Files are known with either spelling.
    let pending = settings["includePendingChanges"] ?? settings["includesPendingChanges"]
    request.includesPendingChanges = pending != "NO"
    request.returnsObjectsAsFaults = settings["returnObjectsAsFaults"] != "NO"
    request.returnsDistinctResults = settings["returnDistinctResults"] == "YES"
    return request
  }
}
