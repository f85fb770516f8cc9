import Foundation

/// A figure as the guide's prose writes it, and back.
enum FigureText {
  private static let units: [(word: String, size: Double)] = [
    ("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9),
    ("orders/s", 1e6), ("schedules/s", 1e6),
  ]

  /// Writes a figure: counts with commas, times and sizes with two or three digits and a unit.
  static func write(_ amount: Metric.Amount, _ unit: Metric.Unit) -> String {
    switch (amount, unit) {
    case (.text(let text), _): text
    case (.number(let number), .count), (.number(let number), .words): grouped(number)
    case (.number(let number), .nanoseconds): scaled(Double(number), ["ns", "µs", "ms", "s"])
    case (.number(let number), .bytes): scaled(Double(number), ["kB", "MB", "GB"])
    }
  }

  /// The number a written figure stands for, in nanoseconds, bytes or just as many; nil if it is
  /// none.
  static func read(_ text: String) -> Double? {
    let parts = text.split(separator: " ")
    guard let first = parts.first, parts.count <= 2,
      let number = Double(first.replacingOccurrences(of: ",", with: ""))
    else { return nil }
    guard parts.count == 2 else { return number }
    return size(of: parts[1]).map { number * $0 }
  }

  /// What a unit amounts to in nanoseconds or bytes; nil if it is no unit.
  static func size(of unit: some StringProtocol) -> Double? {
    units.first { $0.word == unit }?.size
  }

  private static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  private static func scaled(_ number: Double, _ words: [String]) -> String {
    let fitting = words.last { number >= (size(of: $0) ?? 1) } ?? words[0]
    let value = number / (size(of: fitting) ?? 1)
    return value < 10
      ? String(format: "%.1f \(fitting)", value) : "\(Int(value.rounded())) \(fitting)"
  }
}
