import PlaygroundKit

extension World {
  /// How many articles the file has now that meet a condition, written in SQL.
  func storedArticles(where condition: String) throws -> Int {
    Int(try stored("SELECT count(*) FROM ZARTICLE WHERE \(condition)").joined().first ?? "") ?? 0
  }
}

extension Observation {
  /// How many articles the file has in the end that meet a condition, written in SQL.
  func storedArticles(where condition: String) throws -> Int {
    Int(try stored("SELECT count(*) FROM ZARTICLE WHERE \(condition)").joined().first ?? "") ?? 0
  }
}
