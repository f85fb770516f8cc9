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
    /// Nanoseconds a row on the clock, by the number of rows and the run.
    var figures: [[Double]] = Growth.counts.map { _ in [] }
  }

  /// The engine's lines, and bare SQLite's beside them.
  private(set) var lines = Growth.workloads.flatMap { workload in
    [Side.raw, .engine].map { Line(workload: workload, side: $0) }
  }

  /// Measures both so many times.
  init(
    runs: Int, measure: (Workload, Side, _ rows: Int) throws -> Measurement
  ) throws {
    for _ in 1...runs {
      for index in lines.indices {
        let (workload, side) = (lines[index].workload, lines[index].side)
        for (column, count) in Self.counts.enumerated() {
          let wall = try measure(workload, side, count).wall
          lines[index].figures[column].append(wall / Double(count))
        }
      }
    }
  }
}
