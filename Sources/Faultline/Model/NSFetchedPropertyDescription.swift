import Foundation

/// A fetch request as a model file tells it.
struct FetchRequestSource {
  /// The name of the entity.
  let entity: String
  /// What the objects must satisfy.
  let predicate: NSPredicate?
  /// The other settings, by their names in the file.
  let settings: [String: String]
}

/// A property whose value is what a fetch request finds for the object.
open class NSFetchedPropertyDescription: NSPropertyDescription {
  /// The request, as the layer of fetching made it or was given it.
  var request: AnyObject?
  /// What the request is made of, if it came from a file.
  var source: FetchRequestSource?
}
