import Foundation

/// Numbers as a page prints them.
enum Figures {
  /// A whole number with a comma every three digits.
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A unit with the divisor and the decimals for an amount of a given size.
  private struct Scale {
    let name: String
    let divisor: Double
    let decimals: Int

    func number(_ value: Int) -> String {
      if divisor == 1 { return Figures.grouped(value) }
      let scaled = Double(value) / divisor
      let text = String(format: "%.\(decimals)f", scaled)
      return decimals == 0 ? Figures.grouped(Int(text) ?? 0) : text
    }

    static func of(_ value: Int, _ unit: Metric.Unit) -> Scale {
      switch unit {
      case .count, .words: Scale(name: "", divisor: 1, decimals: 0)
      case .nanoseconds where value < 9_950_000: Scale(name: " ms", divisor: 1e6, decimals: 1)
      case .nanoseconds where value < 10_000_000_000: Scale(name: " ms", divisor: 1e6, decimals: 0)
      case .nanoseconds: Scale(name: " s", divisor: 1e9, decimals: 1)
      case .bytes where value < 9_950_000: Scale(name: " MB", divisor: 1e6, decimals: 1)
      case .bytes: Scale(name: " MB", divisor: 1e6, decimals: 0)
      }
    }
  }

  /// A figure as it is rounded beside the median of these repeats, in its unit.
  static func printed(_ value: Int, in summary: Summary) -> Double {
    guard case .number(let median) = summary.median else { return Double(value) }
    let scale = Scale.of(median, summary.unit)
    let step = scale.divisor / pow(10, Double(scale.decimals))
    return (Double(value) / step).rounded()
  }

  /// A median, with its total if there is one, and with its spread where the repeats differ.
  static func text(_ summary: Summary, repeats: Int) -> String {
    switch summary.median {
    case .text(let text):
      let agreeing = summary.agreeing ?? repeats
      return agreeing == repeats ? text : "\(text) (\(agreeing) of \(repeats))"
    case .number(let number):
      let scale = Scale.of(number, summary.unit)
      var text = scale.number(number) + scale.name
      if let total = summary.total { text += " of \(grouped(total))" }
      if let min = summary.min, let max = summary.max {
        let (low, high) = (scale.number(min), scale.number(max))
        if low != high { text += " (\(low)–\(high))" }
      }
      return text
    }
  }

  /// A figure of a controlled run, whose times are marked as virtual.
  static func underControl(_ metric: Metric) -> String {
    let summary = Summary(
      name: metric.name, unit: metric.unit, median: metric.amount, total: metric.total)
    let clock = metric.unit == .nanoseconds ? " virtual" : ""
    if case .number(let time) = metric.amount, metric.unit == .nanoseconds, (1..<50_000) ~= time {
      // Virtual times are exact, so a short one is not rounded.
      return String(format: "%g µs virtual", Double(time) / 1_000)
    }
    return text(summary, repeats: 1) + clock + (metric.good.map { $0 ? "  ✓" : "  ✗" } ?? "")
  }

  /// The difference to the first column: a small count as a number, other figures in percent, or in
  /// their unit if the first column has zero.
  static func text(_ delta: Delta, _ unit: Metric.Unit) -> String {
    if delta.same { return "same" }
    // Only the spreads differ, which stand beside the medians.
    if delta.difference == 0 { return "" }
    if unit == .count, let difference = delta.difference, difference.magnitude < 1_000 {
      return (difference < 0 ? "" : "+") + grouped(difference)
    }
    if let percent = delta.percent {
      // Beyond a few hundred percent a factor is easier to read.
      if percent >= 900 {
        let factor = Int(exactly: (percent / 100 + 1).rounded()) ?? .max
        return "×\(grouped(factor))"
      }
      let digits = String(format: abs(percent) < 10 ? "%.1f" : "%.0f", abs(percent))
      return (percent < 0 ? "−" : "+") + digits + " %"
    }
    if let difference = delta.difference {
      let size = Int(clamping: difference.magnitude)
      let scale = Scale.of(size, unit)
      return (difference < 0 ? "−" : "+") + scale.number(size) + scale.name
    }
    // Different words need no sign.
    return ""
  }
}
