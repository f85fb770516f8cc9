/// The median and the spread of the figures of all repeats.
enum Statistics {
  /// The middle number; of two middle numbers, their mean, rounded down.
  static func median(_ numbers: [Int]) -> Int? {
    guard !numbers.isEmpty else { return nil }
    let sorted = numbers.sorted()
    let middle = sorted.count / 2
    guard sorted.count.isMultiple(of: 2) else { return sorted[middle] }
    return sorted[middle - 1] + Int(sorted[middle].distance(from: sorted[middle - 1]) / 2)
  }

  /// The most frequent words with their count; of equally frequent ones, the first seen.
  static func mostFrequent(_ words: [String]) -> (text: String, count: Int)? {
    tally(words).first
  }

  /// How often each occurs, the most frequent first; equally frequent ones in order of first sight.
  static func tally(_ words: [String]) -> [(text: String, count: Int)] {
    var order: [String] = []
    var counts: [String: Int] = [:]
    for word in words {
      if counts[word] == nil { order.append(word) }
      counts[word, default: 0] += 1
    }
    return order.enumerated()
      .map { (index: $0.offset, text: $0.element, count: counts[$0.element] ?? 0) }
      .sorted { ($1.count, $0.index) < ($0.count, $1.index) }
      .map { ($0.text, $0.count) }
  }

  /// One summary for each figure of any repeat, in the order of the first notes.
  static func summaries(of trials: [[Metric]]) -> [Summary] {
    var order: [String] = []
    var found: [String: [Metric]] = [:]
    for metric in trials.joined() {
      let key = "\(metric.section ?? "")\u{1F}\(metric.name)"
      if found[key] == nil { order.append(key) }
      found[key, default: []].append(metric)
    }
    return order.compactMap { found[$0].flatMap(summary) }
  }

  private static func summary(of metrics: [Metric]) -> Summary? {
    guard let first = metrics.first else { return nil }
    let verdicts = metrics.compactMap(\.good)
    let good = verdicts.isEmpty ? nil : verdicts.allSatisfy { $0 }
    var numbers: [Int] = []
    var words: [String] = []
    for metric in metrics {
      switch metric.amount {
      case .number(let number): numbers.append(number)
      case .text(let text): words.append(text)
      }
    }
    if words.isEmpty, let median = median(numbers) {
      return Summary(
        name: first.name, section: first.section, unit: first.unit, median: .number(median),
        min: numbers.min(), max: numbers.max(), total: Self.median(metrics.compactMap(\.total)),
        good: good)
    }
    guard let most = mostFrequent(words) else { return nil }
    return Summary(
      name: first.name, section: first.section, unit: .words, median: .text(most.text), good: good,
      agreeing: most.count)
  }

  /// How a figure differs from the same figure of the first column.
  ///
  /// Counts and words are the same if they are equal, counts also in their spread. Two times or
  /// sizes are hardly ever equal, so they are the same if each median, as it is printed, lies
  /// within the other's spread.
  static func delta(_ summary: Summary, from first: Summary) -> Delta? {
    guard case .number(let here) = summary.median, case .number(let there) = first.median else {
      guard summary.unit == .words, first.unit == .words else { return nil }
      return Delta(same: summary.median == first.median)
    }
    func within(_ value: Int, _ spread: Summary) -> Bool {
      guard let low = spread.min, let high = spread.max else { return false }
      let printed = [low, value, high].map { Figures.printed($0, in: spread) }
      return (printed[0]...printed[2]).contains(printed[1])
    }
    let isMeasured = summary.unit == .nanoseconds || summary.unit == .bytes
    let same =
      isMeasured
      ? here == there || within(here, first) && within(there, summary)
      : here == there && summary.min == first.min && summary.max == first.max
    let difference = here.difference(from: there)
    return Delta(
      same: same, difference: difference,
      percent: there == 0 ? nil : Double(difference) / Double(there) * 100)
  }
}

/// A side may note any number, and two of them may be further apart than a number can say.
extension Int {
  /// How far it is from another one.
  func distance(from other: Int) -> UInt {
    UInt(bitPattern: Swift.max(self, other) &- Swift.min(self, other))
  }

  /// It minus another one, or the number that is nearest to that.
  func difference(from other: Int) -> Int {
    let (difference, isTooLarge) = subtractingReportingOverflow(other)
    return isTooLarge ? (self < other ? .min : .max) : difference
  }
}
