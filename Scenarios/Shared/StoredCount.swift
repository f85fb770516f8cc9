import PlaygroundKit

extension World {
  /// How many articles the file has now that meet a condition, written in SQL.
  func storedArticles(where condition: String) throws -> Int {
    let rows = try stored("SELECT count(*) FROM ZARTICLE WHERE \(condition)")
    return rows.joined().compactMap { Int($0) }.first ?? 0
  }
}
