import Foundation

/// What the URI of a permanent id says: `x-coredata://STORE/Entity/p1`.
struct RecordURI: Equatable {
  /// The UUID of the store.
  let store: String
  /// The name of the entity.
  let entity: String
  /// The key of the row, `Z_PK`.
  let row: Int64

  init(store: String, entity: String, row: Int64) {
    self.store = store
    self.entity = entity
    self.row = row
  }

  /// Reads a URI; nil if it is none of a permanent id.
  init?(_ uri: URL) {
    guard uri.scheme == "x-coredata", let store = uri.host(percentEncoded: false), !store.isEmpty
    else { return nil }
    let parts = uri.path(percentEncoded: true)
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty,
      let entity = String(parts[1]).removingPercentEncoding,
      parts[2].first == "p", let row = Int64(parts[2].dropFirst()), row > 0,
      RecordKey.row(row) == row, "p\(row)" == parts[2]
    else { return nil }
    self.init(store: store, entity: entity, row: row)
  }

  /// The URI.
  var url: URL {
    guard let url = URL(string: "x-coredata://\(Self.word(store))/\(Self.word(entity))/p\(row)")
    else {
      ProgrammerError.impossible("the URI of row \(row) of \(entity) is not a URL")
    }
    return url
  }

  /// A name as a URI can have it; what somebody puts into one must not end it.
  static func word(_ name: String) -> String {
    let plain = CharacterSet(charactersIn: "-_.").union(.alphanumerics)
    return name.addingPercentEncoding(withAllowedCharacters: plain) ?? name
  }
}
