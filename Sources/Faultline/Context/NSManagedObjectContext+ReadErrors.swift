/// Errors of relationships that a call reads on its way, as delete rules and predicates do.
///
/// Reading a property cannot throw, so a relationship that cannot be read stops the process. Where
/// it is read for a call that can throw, the error waits for the end of that call, and the
/// relationship stays unread.
final class ReadErrors {
  /// The first error.
  fileprivate(set) var first: (any Error)?
}

extension NSManagedObjectContext {
  /// Runs a part of a call that can throw; an error of a relationship that it reads is thrown at
  /// its end.
  func throwingReadErrors<T>(_ body: () throws -> T) throws -> T {
    let outer = readErrors
    let own = ReadErrors()
    readErrors = own
    defer { readErrors = outer }
    let result = try body()
    if let error = own.first { throw error }
    return result
  }

  /// Whether a relationship could not be read in the part of a call that is running.
  var hasReadError: Bool { readErrors?.first != nil }

  /// Keeps an error for the end of the running call; false if no call can throw it.
  func keepReadError(_ error: any Error) -> Bool {
    guard let readErrors else { return false }
    readErrors.first = readErrors.first ?? error
    return true
  }
}
