import Foundation

/// The page of an exploration: the verdict on each side, then which outcomes there are, how often,
/// and in which schedule.
///
/// Sides stand beside one another as long as a row fits into the width; else each has rows of its
/// own. What an outcome means stands at the end of its row, or under it.
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
    var lines = head() + [""] + verdicts() + [rule] + table() + [rule] + foot()
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
    "Steps are atomic, and the store is in memory. Not explored: plain variables, actor state, "
    + "weak memory, SQLite's internals, the disk."

  /// The beginning of the line that differs from run to run.
  static let timeLabel = "Time  "

  private var width: Int { style.width }
  private var rule: String { String(repeating: "─", count: width) }

  private func head() -> [String] {
    let scenario = exploration.scenario
    let facts = [scenario.given, "controlled, one thread or task at a time", schedules]
    return Wrapping.justified(scenario.heading, scenario.place, width: width)
      + Wrapping.hanging("    ", facts.joined(separator: " · "), width: width)
  }

  private var schedules: String {
    guard exploration.strategy == .exhaustive else {
      return "randomly sampled schedules (\(exploration.strategy.rawValue),"
        + " seed \(exploration.seed))"
    }
    guard let bound = exploration.bound else { return "every schedule" }
    return "every schedule with at most \(Exploration.counted(bound, "switch", "switches"))"
  }

  // MARK: The table

  private func table() -> [String] {
    for layout in ExploreTable.layouts(sides: exploration.sides.count) {
      let table = ExploreTable(exploration, layout)
      if table.width <= width || layout.isLast { return table.lines(width: width) }
    }
    return []
  }

  // MARK: Over them

  private func verdicts() -> [String] {
    let sides = exploration.sides
    let labels = sides.map(ExploreTable.label)
    let labelWidth = (labels.map(\.count).max() ?? 0) + 2
    let bounds = sides.map { side -> Int? in
      if case .proved(let bound) = Verdict(side, in: exploration) { bound } else { nil }
    }
    let last = bounds.lastIndex { $0 != nil }
    var lines: [String] = []
    for (index, side) in sides.enumerated() {
      lines += Wrapping.hanging(
        Wrapping.padded(labels[index], labelWidth), plain(exploration.sentence(about: side)),
        width: width)
      guard index == last, let bound = bounds[index] else { continue }
      let command = exploration.command(
        "explore \(exploration.scenario.word) --bound \(bound + 1)")
      lines += Wrapping.hanging(
        String(repeating: " ", count: labelWidth),
        "Not proved for \(bound + 1) or more switches: `\(command)`", width: width)
    }
    return lines
  }

  // MARK: Under the table

  private func foot() -> [String] {
    let nanoseconds = exploration.nanoseconds
    let orders = exploration.sides.reduce(0) { $0 + $1.orders }
    let rate = Int((Double(orders) * 1e9 / Double(max(1, nanoseconds))).rounded())
    let time = Figures.text(
      Summary(name: "", unit: .nanoseconds, median: .number(nanoseconds)), repeats: 1)
    var lines = notes.enumerated().flatMap { index, note in
      Wrapping.hanging(index == 0 ? "Note  " : "      ", note, width: width)
    }
    lines.append(
      "\(Self.timeLabel)\(time) · \(Figures.grouped(rate)) schedules/s, measured on this machine")
    for (index, command) in next.enumerated() {
      lines += Wrapping.hanging(index == 0 ? "Next  " : "      ", command, width: width)
    }
    return lines
  }

  /// What the figures of this page mean, and what they do not.
  private var notes: [String] {
    let sides = exploration.sides
    var notes = exploration.isIndifferentToOrder ? [sameInEveryOrder] : []
    if sides.contains(where: { side in side.outcomes.count { $0.orders > 0 } > 1 }) {
      notes.append("A percentage counts schedules. It is not a likelihood.")
    }
    if sides.contains(where: { exploration.sentence(about: $0).contains("equal schedule") }) {
      notes.append(
        "Equal schedules differ only in steps that touch different things, so one run covers all.")
    }
    return notes + [Self.notExplored]
  }

  /// Says that a run shows the outcomes too, with what they cost.
  private var sameInEveryOrder: String {
    let schedules: String
    if let bound = exploration.bound, !exploration.sides.allSatisfy(\.isWhole) {
      let switches = Exploration.counted(bound, "switch", "switches")
      schedules = "all its schedules with at most \(switches)"
    } else {
      schedules = "all its schedules"
    }
    let run = exploration.command("run \(exploration.scenario.word)")
    return "Timing changes no outcome here: each side ends in one way, in \(schedules). What each"
      + " side costs on real threads: `\(run)`."
  }

  /// Looking at the smallest bad schedule, and a command that answers what this page leaves open;
  /// if there is neither, looking at the most interesting schedule.
  private var next: [String] {
    var commands = smallestBad.map(looking) ?? []
    for verdict in exploration.sides.map({ Verdict($0, in: exploration) }) {
      if case .incomplete = verdict {
        return commands + [again(bound: exploration.bound, "without a budget")]
      }
      if case .sampled = verdict, commands.isEmpty {
        commands = [again(bound: Explorer.Options().bound, "every schedule up to a bound")]
      }
    }
    let found = exploration.sides.flatMap { side in
      side.outcomes.compactMap { outcome in
        outcome.smallest.map {
          (grade: outcome.grade, switches: $0.switches, id: exploration.id(of: $0, side))
        }
      }
    }
    let schedule =
      found.first { $0.grade != .accepted } ?? found.first { $0.switches > 0 } ?? found.first
    guard commands.isEmpty, let schedule else { return commands }
    return looking(at: schedule.id)
  }

  /// The commands that show one schedule.
  private func looking(at id: ScheduleID) -> [String] {
    let words = exploration.scenario.words(for: id)
    return [
      "\(exploration.command("replay \(words)"))   its steps, one by one",
      "\(exploration.command("draw \(words)"))   a picture of them",
    ]
  }

  /// The command that runs every schedule of the same sides.
  private func again(bound: Int?, _ meaning: String) -> String {
    var words = "explore \(exploration.scenario.word)"
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
