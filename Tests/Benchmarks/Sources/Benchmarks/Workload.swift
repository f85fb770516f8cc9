import Foundation

/// Who does the work.
enum Side: String, CaseIterable {
  /// Bare SQLite calls.
  case raw
  /// The engine.
  case engine
}

/// A piece of work both sides do on files of their own.
enum Workload: String, CaseIterable {
  /// Inserts objects in one save.
  case insert = "W1"
  /// Fetches all and reads every column.
  case fetch = "W3"
  /// Changes one column of loaded objects in one save.
  case update = "W5"
  /// The same, against a raw side that checks versions too.
  case versionedUpdate = "W10"

  /// What a row of the table says.
  var title: String {
    switch self {
    case .insert: "W1  insert, one save"
    case .fetch: "W3  fetch, read every column"
    case .update: "W5  change one column, save"
    case .versionedUpdate: "W10 version-checked updates"
    }
  }

  /// The ratio to the raw side that the engine must not exceed.
  var target: Double {
    switch self {
    case .insert: 0.85
    case .fetch: 1.00
    case .update: 0.90
    case .versionedUpdate: 0.80
    }
  }

  /// Whether it starts with a file that holds the rows.
  var needsRows: Bool { self != .insert }

  /// Does it once in this process and measures only the work itself.
  func run(_ side: Side, file: URL, rows count: Int) throws -> Measurement {
    switch side {
    case .raw: runRaw(file, count)
    case .engine: try runEngine(file, count)
    }
  }

  private func runRaw(_ file: URL, _ count: Int) -> Measurement {
    let side = RawSide(file)
    defer { side.close() }
    switch self {
    case .insert:
      side.createTable()
      let rows = ArticleRow.sample(count)
      let measurement = Measurement.of { side.insert(rows) }
      precondition(side.number("SELECT count(*) FROM article") == Int64(count))
      return measurement
    case .fetch:
      return Measurement.of { side.fetch() }
    case .update, .versionedUpdate:
      var rows = side.load()
      let measurement = Measurement.of {
        self == .update ? side.update(&rows) : side.updateVersions(&rows, version: 1)
      }
      precondition(side.number("SELECT sum(views) FROM article") == measurement.checksum)
      return measurement
    }
  }

  private func runEngine(_ file: URL, _ count: Int) throws -> Measurement {
    let side = try EngineSide(file)
    switch self {
    case .insert:
      let rows = ArticleRow.sample(count)
      let measurement = try Measurement.of { try side.insert(rows) }
      expect(file, "SELECT count(*) FROM ZARTICLE", Int64(count))
      return measurement
    case .fetch:
      return try Measurement.of { try side.fetch() }
    case .update, .versionedUpdate:
      let measurement = try side.context.performAndWait {
        let articles = try side.load()
        for article in articles { precondition(!article.name.isEmpty) }
        return try Measurement.of { try side.update(articles) }
      }
      expect(file, "SELECT sum(ZVIEWS) FROM ZARTICLE", measurement.checksum)
      return measurement
    }
  }

  /// Looks into the engine's file with bare SQLite: a benchmark of work not done is worth nothing.
  private func expect(_ file: URL, _ sql: String, _ value: Int64) {
    let check = RawSide(file)
    precondition(check.number(sql) == value, "the store holds something else")
    check.close()
  }
}
