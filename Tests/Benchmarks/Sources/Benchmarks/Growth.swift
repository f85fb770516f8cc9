/// How the time of a row grows with the number of rows.
struct Growth {
  /// The numbers of rows.
  static let counts = [10_000, 100_000, 1_000_000]
  /// The workloads.
  static let workloads: [Workload] = [.insert, .fetch, .update]
  /// By how much a row of the most may take longer than one of the fewest.
  static let target = 1.15

  /// One workload on one side.
  struct Line {
    /// The workload.
    let workload: Workload
    /// The side.
    let side: Side
    /// Nanoseconds a row on the clock, by the number of rows: medians.
    let figures: [Double]
    /// The last figure as the ratio to the first.
    var ratio: Double { figures.last! / figures.first! }
  }

  /// The engine's lines, and bare SQLite's beside them.
  let lines: [Line]

  /// Measures both so many times.
  init(
    runs: Int, measure: (Workload, Side, _ rows: Int) throws -> Measurement
  ) throws {
    let parts = Self.workloads.flatMap { workload in
      [Side.raw, .engine].map { (workload, $0) }
    }
    var all = parts.map { _ in Self.counts.map { _ in [Double]() } }
    for _ in 1...runs {
      for (row, (workload, side)) in parts.enumerated() {
        for (column, count) in Self.counts.enumerated() {
          all[row][column].append(try measure(workload, side, count).wall / Double(count))
        }
      }
    }
    lines = zip(parts, all).map { part, figures in
      Line(
        workload: part.0, side: part.1, figures: figures.map { $0.sorted()[$0.count / 2] })
    }
  }
}
