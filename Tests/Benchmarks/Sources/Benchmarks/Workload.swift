import Foundation

/// Who does the work.
enum Side: String, CaseIterable {
  /// Bare SQLite calls that make values.
  case raw
  /// The same calls, making objects of a class in an identity map.
  case graph
  /// Every trick that pays, without objects: what is possible, and no design.
  case best
  /// GRDB as people write it: Codable records.
  case codable
  /// GRDB in its quickest idiom.
  case fast
  /// The engine.
  case engine

  /// What the table calls it.
  var title: String {
    switch self {
    case .raw: "raw"
    case .graph: "raw.graph"
    case .best: "raw.best"
    case .codable: "GRDB codable"
    case .fast: "GRDB fast"
    case .engine: "engine"
    }
  }

  /// Opens a file as this side does.
  func open(_ file: URL, synchronous: String) throws -> any Peer {
    switch self {
    case .raw: RawPeer(file, synchronous: synchronous)
    case .graph: GraphPeer(file, synchronous: synchronous)
    case .best: BestPeer(file, synchronous: synchronous)
    case .codable: try CodablePeer(file, synchronous: synchronous)
    case .fast: try FastPeer(file, synchronous: synchronous)
    case .engine: try EnginePeer(file, synchronous: synchronous)
    }
  }
}

/// A piece of work all sides do, each on a file of its own.
enum Workload: String, CaseIterable {
  case insert = "W1"
  case insertInParts = "W2"
  case fetch = "W3"
  case faults = "W4"
  case faultsAtRandom = "W4r"
  case faultsAlone = "W4x"
  case batches = "W4b"
  case update = "W5"
  case delete = "W6"
  case batchDelete = "W6b"
  case query = "W7"
  case queryOne = "W8a"
  case queryTwo = "W8b"
  case save = "W9"
  case saveFully = "W9f"
  case versionedUpdate = "W10"
  case insertLong = "W11i"
  case fetchLong = "W11o"

  /// What a row of the table says.
  var title: String {
    switch self {
    case .insert: "insert, one save"
    case .insertInParts: "insert, save each 1000"
    case .fetch: "fetch, read every column"
    case .faults: "ids, then each fault in order, one transaction"
    case .faultsAtRandom: "the same in random order"
    case .faultsAlone: "the same in order, each its own read"
    case .batches: "ids, then batches of 100"
    case .update: "change one column of loaded objects, save"
    case .delete: "delete one by one, one save"
    case .batchDelete: "batch delete by predicate"
    case .query: "filtered, sorted, limit 50, indexed, per query"
    case .queryOne: "one reader on W7 beside a writer, per query"
    case .queryTwo: "two readers on W7 beside a writer, per query"
    case .save: "single-object saves, NORMAL, per save"
    case .saveFully: "single-object saves, FULL, per save"
    case .versionedUpdate: "version-checked updates, one save"
    case .insertLong: "insert rows with 4 KB of text"
    case .fetchLong: "fetch rows with 4 KB of text"
    }
  }

  /// The ratio to the raw side that the engine must not exceed; nil where only another figure is
  /// asked for.
  var target: Double? {
    switch self {
    case .insert: 0.85
    case .insertInParts: 0.95
    case .fetch: 1.00
    case .faults: 0.75
    case .faultsAtRandom: 1.15
    case .faultsAlone: 0.40
    case .batches: 1.05
    case .update: 0.90
    case .delete: 0.80
    case .batchDelete: 0.70
    case .query: 1.05
    case .queryOne: nil
    case .queryTwo: 1 / 0.95
    case .save: 1.20
    case .saveFully: 1.05
    case .versionedUpdate: 0.80
    case .insertLong: 0.65
    case .fetchLong: 1.05
    }
  }

  /// What the file holds when the work begins.
  enum File: String, CaseIterable {
    /// Nothing yet.
    case empty
    /// The articles.
    case articles
    /// The articles, with an index of author and time.
    case indexed
    /// Articles with long texts.
    case long
  }

  /// What the file holds when the work begins.
  var file: File {
    switch self {
    case .insert, .insertInParts, .insertLong: .empty
    case .query, .queryOne, .queryTwo: .indexed
    case .fetchLong: .long
    default: .articles
    }
  }

  /// SQLite's setting for when a commit is on the disk.
  var synchronous: String { self == .saveFully ? "FULL" : "NORMAL" }

  /// How many units of work there are in files of so many rows.
  func units(rows: Int) -> Int {
    switch self {
    case .query: max(rows / 50, 1)
    case .queryOne: max(rows / 20, 1)
    case .queryTwo: max(rows / 20, 1) * 2
    case .save: max(rows / 50, 1)
    case .saveFully: max(rows / 200, 1)
    case .insertLong, .fetchLong: max(rows / 5, 1)
    default: rows
    }
  }
}

/// Somebody who does the work.
protocol Peer {
  /// Makes what the work needs, and answers the work itself, which answers a checksum.
  func work(_ workload: Workload, rows: Int) throws -> () throws -> Tally
  /// Makes the file that workloads start from.
  func fill(_ file: Workload.File, rows: Int) throws
}

/// What the work came to.
struct Tally {
  /// A number that depends on everything read or written; all sides must agree.
  var checksum: Int64
  /// The longest commit in nanoseconds, where there is a writer.
  var commitMax: Double = 0
}
