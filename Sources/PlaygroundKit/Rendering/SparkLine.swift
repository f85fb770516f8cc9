/// A curve in one line of text.
enum SparkLine {
  private static let heights = Array("▁▂▃▄▅▆▇█")

  /// Draws a curve in at most `width` characters.
  ///
  /// All columns of a page share `duration`, so that a side which takes half the time is drawn half
  /// as long, and `top`, so that equal heights are equal numbers.
  static func draw(_ series: Series, width: Int, duration: Double, top: Double) -> String {
    let count = series.samples.count
    guard count > 0, width > 0 else { return "" }
    let own = Double(count) * Double(series.stepNanoseconds ?? 1)
    let share = duration > 0 ? min(max(0, own / duration), 1) : 1
    let columns = max(1, min(width, Int((Double(width) * share).rounded())))
    return String(
      (0..<columns).map { column in
        let from = column * count / columns
        let to = max(from + 1, (column + 1) * count / columns)
        return character(series.samples[from..<to].max() ?? 0, series.kind, top: top)
      })
  }

  /// Draws a point of a curve over columns as a bar, whose length grows by equal steps where the
  /// count grows by equal factors.
  static func bar(_ decades: Double, width: Int, top: Double) -> String {
    let signs = max(1, (Double(width - 1) / max(1, top)).rounded(.down))
    return String(repeating: "█", count: min(width, 1 + Int((decades * signs).rounded())))
  }

  private static func character(_ value: Double, _ kind: Series.Kind, top: Double) -> Character {
    switch kind {
    case .frames: return value > 0 ? "█" : "▁"
    case .activity: return value >= 2 ? "S" : value > 0 ? "▓" : "·"
    case .curve:
      guard top > 0 else { return "▁" }
      let last = Double(heights.count - 1)
      return heights[Int(min(max(0, (value / top * last).rounded()), last))]
    }
  }
}
