/// The prepared statements of one connection by their text; the least recently used is given up.
struct StatementCache {
  /// More than a store needs in a steady state, and few enough to look through for the oldest.
  static let capacity = 128

  private struct Entry {
    var statement: Statement
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  /// The statement kept for a text, unless somebody is in the middle of it.
  mutating func reusableStatement(for sql: String) -> Statement? {
    guard let index = entries.index(forKey: sql) else { return nil }
    uses &+= 1
    entries.values[index].lastUse = uses
    // A statement left half way by somebody who has let go of it is ours to reset.
    guard
      !entries.values[index].statement.isRunning
        || isKnownUniquelyReferenced(&entries.values[index].statement)
    else { return nil }
    return entries.values[index].statement
  }

  /// Keeps a statement, in place of the one that was kept for the same text.
  mutating func keep(_ statement: Statement, for sql: String) {
    uses &+= 1
    if entries.count >= Self.capacity, entries[sql] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    entries[sql] = Entry(statement: statement, lastUse: uses)
  }
}
