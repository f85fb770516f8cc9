/// A fetch request as a model file tells it; what it says is parsed when the request is used.
struct FetchRequestSource: Sendable {
  /// The name of the entity.
  let entity: String
  /// The format of the predicate.
  var predicate: String?
  /// The other settings, by their names in the file.
  var settings: [String: String] = [:]
}

/// A property whose value is what a fetch request finds for the object.
open class NSFetchedPropertyDescription: NSPropertyDescription {
  /// The request, as the layer of fetching made it or was given it.
  var request: AnyObject?
  /// What the request is made of, if it came from a file.
  var source: FetchRequestSource?
}
