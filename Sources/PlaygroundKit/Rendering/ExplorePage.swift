import Foundation

/// The page of an exploration: which outcomes there are, how often, by which order, and what that
/// proves.
///
/// Sides stand beside one another as long as a row fits into the width; else each has a table of
/// its own. What an outcome means stands at the end of its row, or under it.
public struct ExplorePage {
  private let exploration: Exploration
  private let style: PageStyle

  /// Prepares the page of an exploration.
  public init(_ exploration: Exploration, _ style: PageStyle = PageStyle()) {
    self.exploration = exploration
    self.style = style
  }

  /// The whole page, ending with a line break.
  public var text: String {
    var lines = head() + [""] + tables() + [rule] + verdicts() + foot()
    // A name that is wider than the page is broken rather than cut.
    lines = lines.flatMap { line in
      let line = line.trimmingTrailingSpaces
      return line.count <= width ? [line] : Wrapping.lines(line, width: width)
    }
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    if style.colour { lines = lines.map(PageStyle.painted) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What no exploration sees.
  static let notExplored =
    "Between two points everything is atomic. Plain Swift variables, what an actor of yours holds,"
    + " SQLite's inside and weak memory are not explored."

  /// What the line begins with that is another in every run.
  static let timeLabel = "Time  "

  private var width: Int { style.width }
  private var rule: String { String(repeating: "─", count: width) }

  private func head() -> [String] {
    let scenario = exploration.scenario
    let number = String(format: "%02d", scenario.number)
    let part = "part \(scenario.part.rawValue) · \(scenario.part.title)"
    let facts = [scenario.given, "controlled, one at a time", orders]
    return Wrapping.justified("\(number)  \(scenario.title)", part, width: width)
      + Wrapping.hanging("    ", facts.joined(separator: " · "), width: width)
  }

  private var orders: String {
    guard exploration.strategy == .exhaustive else {
      return "orders by lot (\(exploration.strategy.rawValue), seed \(exploration.seed))"
    }
    guard let bound = exploration.bound else { return "every order" }
    return "every order of at most \(Exploration.counted(bound, "switch", "switches"))"
  }

  // MARK: The tables

  private func tables() -> [String] {
    let sides = exploration.sides
    for layout in ExploreTable.layouts(sides: sides.count) {
      let tables =
        layout.isForEachSide
        ? sides.map { ExploreTable(exploration, [$0], layout) }
        : [ExploreTable(exploration, sides, layout)]
      if tables.allSatisfy({ $0.width <= width }) || layout.isLast {
        return tables.map { $0.lines(width: width) }.enumerated().flatMap { index, lines in
          (index == 0 ? [] : [""]) + lines
        }
      }
    }
    return []
  }

  // MARK: Under them

  private func verdicts() -> [String] {
    let sides = exploration.sides
    let labels = sides.map(ExploreTable.label)
    let labelWidth = labels.map(\.count).max() ?? 0
    return zip(labels, sides).flatMap { label, side in
      let label = Wrapping.padded(label, labelWidth + 2)
      var lines = Wrapping.hanging(label, plain(exploration.sentence(about: side)), width: width)
      if case .proved(let bound) = Verdict(side, in: exploration) {
        let command = exploration.command(
          "explore \(exploration.scenario.number) --bound \(bound + 1)")
        let indent = String(repeating: " ", count: label.count)
        lines += Wrapping.hanging(
          indent, "Not proved for \(bound + 1) or more: \(command)", width: width)
      }
      return lines
    }
  }

  private func foot() -> [String] {
    let nanoseconds = exploration.nanoseconds
    let orders = exploration.sides.reduce(0) { $0 + $1.orders }
    let rate = Int((Double(orders) * 1e9 / Double(max(1, nanoseconds))).rounded())
    let time = Figures.text(
      Summary(name: "", unit: .nanoseconds, median: .number(nanoseconds)), repeats: 1)
    var lines = Wrapping.hanging("Note  ", Self.notExplored, width: width)
    lines.append(
      "\(Self.timeLabel)\(time) · \(Figures.grouped(rate)) orders/s, measured on this machine")
    for (index, command) in next.enumerated() {
      lines += Wrapping.hanging(index == 0 ? "Next  " : "      ", command, width: width)
    }
    return lines
  }

  /// The smallest bad order, and whatever gives an answer that this page does not have; where there
  /// is neither, an order worth a look.
  private var next: [String] {
    var commands = smallestBad.map { [exploration.command("replay \($0)")] } ?? []
    for verdict in exploration.sides.map({ Verdict($0, in: exploration) }) {
      if case .incomplete = verdict {
        return commands + [again(bound: exploration.bound, "without a budget, to the end")]
      }
      if case .sampled = verdict, commands.isEmpty {
        commands = [again(bound: Explorer.Options().bound, "every order up to a bound")]
      }
    }
    let found = exploration.sides.flatMap { side in
      side.outcomes.compactMap { outcome in
        outcome.smallest.map { (grade: outcome.grade, id: exploration.id(of: $0, side)) }
      }
    }
    let order = found.first { $0.grade != .accepted } ?? found.first
    guard commands.isEmpty, let order else { return commands }
    return [exploration.command("replay \(order.id)")]
  }

  /// The command that runs every order of the same sides.
  private func again(bound: Int?, _ meaning: String) -> String {
    var words = "explore \(exploration.scenario.number)"
    if bound == nil { words += " --no-bound" }
    if let bound, bound != Explorer.Options().bound { words += " --bound \(bound)" }
    if exploration.sides.count == 1 { words += " --side \(exploration.sides[0].name)" }
    return "\(exploration.command(words))   \(meaning)"
  }

  private var smallestBad: ScheduleID? {
    for side in exploration.sides {
      if case .refuted(_, _, let found?) = Verdict(side, in: exploration) {
        return exploration.id(of: found, side)
      }
    }
    return nil
  }

  /// ASCII has no sign for "at most" that is one character wide.
  private func plain(_ text: String) -> String {
    style.ascii ? text.replacingOccurrences(of: "≤", with: "<=") : text
  }
}

extension String {
  /// The text without spaces at its end.
  var trimmingTrailingSpaces: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension Exploration {
  /// A command that is about this exploration, with the values it had.
  func command(_ words: String) -> String {
    (["faultline \(words)"] + settings.map { "--set \($0)" }).joined(separator: " ")
  }
}
