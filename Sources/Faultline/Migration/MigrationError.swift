import Foundation

/// Errors of migrations.
enum MigrationError {
  /// An error with a sentence, and the reason as Core Data has it in the user information.
  static func make(
    _ code: Int, _ sentence: String, reason: String? = nil, url: URL? = nil,
    underlying: (any Error)? = nil, more: [String: Any] = [:]
  ) -> CocoaError {
    var info = more
    info[NSLocalizedDescriptionKey] = sentence
    info["reason"] = reason
    info[NSURLErrorKey] = url
    info[NSUnderlyingErrorKey] = underlying
    return CocoaError(CocoaError.Code(rawValue: code), userInfo: info)
  }

  /// Nothing leads from one version to another.
  static func noMapping(
    _ sentence: String, reason: String, from source: NSManagedObjectModel?,
    to destination: NSManagedObjectModel, url: URL, underlying: (any Error)? = nil
  ) -> CocoaError {
    var models: [String: Any] = ["destinationModel": destination]
    models["sourceModel"] = source
    return make(
      NSMigrationMissingMappingModelError, sentence, reason: reason, url: url,
      underlying: underlying, more: models)
  }
}
