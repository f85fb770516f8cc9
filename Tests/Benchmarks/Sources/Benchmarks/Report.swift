import Foundation

/// The tables on the screen.
enum Report {
  /// Prints medians, their ratio and how far the runs lay apart.
  static func print(
    _ measurements: [Workload: [Side: [Measurement]]], _ accesses: [[Double]], runs: Int, rows: Int
  ) {
    Swift.print("\(rows) rows, nanoseconds a row, medians of \(runs) interleaved runs; ")
    Swift.print("spread: half the range between the quartiles, of the median\n")
    row(
      "workload", "engine", "raw", "ratio", "target", "spread", "cpu engine", "cpu raw",
      "cpu ratio",
      "MB engine", "MB raw")
    for workload in Workload.allCases {
      guard let sides = measurements[workload], let engine = sides[.engine], let raw = sides[.raw]
      else { continue }
      let wall = (median(engine.map(\.wall)), median(raw.map(\.wall)))
      let processor = (median(engine.map(\.processor)), median(raw.map(\.processor)))
      let spread = max(spread(engine.map(\.wall)), spread(raw.map(\.wall)))
      let memory = (median(engine.map(\.peakMemory)), median(raw.map(\.peakMemory)))
      let count = Double(rows)
      row(
        workload.title, number(wall.0 / count, 0), number(wall.1 / count, 0),
        number(wall.0 / wall.1, 2), number(workload.target, 2), number(spread * 100, 0) + "%",
        number(processor.0 / count, 0), number(processor.1 / count, 0),
        number(processor.0 / processor.1, 2), number(memory.0 / 1e6, 0), number(memory.1 / 1e6, 0))
      if Set((engine + raw).map(\.checksum)).count != 1 {
        Swift.print("  the sides disagree about the result: the figures mean nothing")
      }
    }
    guard !accesses.isEmpty else { return }
    Swift.print("\nnanoseconds a call\n")
    for (index, figure) in Access.figures.enumerated() {
      let values = accesses.map { $0[index] }
      let target = figure.target.map { "target \(number($0, 0))" } ?? ""
      Swift.print(
        pad(figure.name, 30, left: true), pad(number(median(values), 1), 8),
        pad("±\(number(spread(values) * 100, 0))%", 6), " ", target)
    }
  }

  private static func row(_ title: String, _ cells: String...) {
    Swift.print(pad(title, 28, left: true) + cells.map { pad($0, 11) }.joined())
  }

  private static func median(_ values: [Double]) -> Double {
    quantile(values, 0.5)
  }

  private static func spread(_ values: [Double]) -> Double {
    (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)
  }

  /// The value below which the given part lies, between two values by proportion.
  private static func quantile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    let place = part * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }

  private static func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return left ? text + space : space + text
  }
}
