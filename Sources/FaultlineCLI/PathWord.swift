import ArgumentParser

/// The value of an option that is a path.
enum PathWord {
  /// Refuses an empty path, which would stand for the current folder or the top of the disk.
  static func checked(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("it is empty: give a path.") }
    return text
  }
}
