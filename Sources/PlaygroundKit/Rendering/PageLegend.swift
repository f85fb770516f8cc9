/// Explains the signs that are on one page of a run, and no others.
struct PageLegend {
  let record: RunRecord
  let rows: [PageRow]

  /// One line; empty where every sign explains itself.
  var text: String { parts.joined(separator: " · ") }

  private var parts: [String] {
    var parts: [String] = []
    let marks = Set(rows.flatMap(\.cells).compactMap(\.mark))
    if record.repeats > 1, marks.contains("✗") {
      parts.append("✗ wrong in at least one of the \(record.repeats) runs")
    }
    if marks.contains("same") {
      parts.append(
        "same: equal counts, or times and sizes whose medians lie in each other's spread")
    }
    if record.sides.count > 2,
      marks.contains(where: { $0.hasPrefix("+") || $0.hasPrefix("−") || $0.hasPrefix("×") })
    {
      parts.append("+ − × compare with the first column")
    }
    if rows.contains(where: { $0.label == PageRows.curvesLabel }) {
      parts.append("curves: one sign for the lowest count, equal steps for equal factors")
    }
    if hasBlockedTime { parts.append("time blocked is the sum over all threads") }
    if hasVaryingCounts { parts.append("counts vary from run to run where threads race") }
    return parts
  }

  private var hasBlockedTime: Bool {
    record.scenario.panels.contains(.engine)
      && record.sides.flatMap(\.summaries).contains {
        $0.name == Metric.queueWait && ($0.max ?? 0) > 1_000_000
      }
  }

  private var hasVaryingCounts: Bool {
    record.sides.flatMap(\.summaries).contains { summary in
      summary.unit == .count && summary.name != Metric.framesDropped && summary.min != summary.max
        && rows.contains { $0.label.contains(summary.name) }
    }
  }
}
