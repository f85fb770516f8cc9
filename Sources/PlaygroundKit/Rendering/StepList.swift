import Foundation

/// The steps of a run, one a line.
struct StepList {
  private let history: RunHistory
  private let needed: Set<Int>
  private let width: Int
  private let labels: [String]
  private let laneWidth: Int
  private let digits: Int
  /// The source file of most steps, whose lines stand in a column of their own.
  let file: String?
  private let lineWidth: Int

  /// From how many steps on a row of them is told by its first.
  private static let alikeMin = 4
  /// From which width on the times are told too.
  private static let timesWidth = 90

  /// Prepares the lines; `needed` are the choices that the outcome depends on.
  init(_ history: RunHistory, needed: Set<Int> = [], width: Int) {
    self.history = history
    self.needed = needed
    self.width = width
    labels = history.lanes.map(\.label)
    laneWidth = min(width < Self.timesWidth ? 14 : 18, max(4, labels.map(\.count).max() ?? 0))
    digits = max(4, String(history.trace.steps.count).count)
    let places = history.trace.steps.compactMap(\.place)
    let counts = Dictionary(grouping: places.map(Self.file), by: { $0 }).mapValues(\.count)
    file = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    lineWidth = file == nil ? 0 : max(4, places.map { Self.number($0).count }.max() ?? 0)
  }

  private static func file(_ place: String) -> String {
    String(place.prefix { $0 != ":" })
  }

  private static func number(_ place: String) -> String {
    String(place.drop { $0 != ":" }.dropFirst())
  }

  /// Whether the lines say when steps began.
  var hasTimes: Bool { width >= Self.timesWidth }

  /// What stands over the columns.
  var heading: String {
    "  " + String(repeating: " ", count: digits - 4) + "STEP  " + (hasTimes ? " AT (ms)  " : "")
      + Wrapping.padded("LANE", laneWidth) + "  "
      + (lineWidth > 0 ? Wrapping.padded("LINE", lineWidth) + "  " : "") + "WHAT"
  }

  /// The lines of some of the steps.
  func lines(_ shown: Range<Int>) -> [String] {
    let steps = history.trace.steps
    var lines: [String] = []
    var index = shown.lowerBound
    while index < shown.upperBound {
      let step = steps[index]
      let number = String(index + 1)
      let time = String(format: "%.3f", Double(step.start) / 1e6)
      let heading =
        mark(step) + " " + String(repeating: " ", count: digits - number.count) + number + "  "
        + (hasTimes ? String(repeating: " ", count: max(0, 8 - time.count)) + time + "  " : "")
        + Wrapping.padded(label(ofStep: index), laneWidth) + "  " + line(of: step)
      lines += Wrapping.hanging(heading, words(index, step), width: width)
      index += 1
      let alike = steps[index..<shown.upperBound].prefix { isAlike($0, step) }.count
      if alike >= Self.alikeMin {
        let indent = String(repeating: " ", count: heading.count)
        lines.append(indent + "… \(Figures.grouped(alike)) more of these")
        index += alike
      }
    }
    return lines
  }

  /// The lane of a step, as its line names it.
  func label(ofStep index: Int) -> String { labels[history.lane(ofStep: index)] }

  /// How the choice before a step went, if there was one.
  func mark(_ step: Trace.Step) -> String {
    guard let choice = choice(step) else { return " " }
    if choice.chosen == 0 { return "·" }
    return needed.contains(step.choice ?? -1) ? "●" : "○"
  }

  /// The line of the scenario's file, in its column.
  private func line(of step: Trace.Step) -> String {
    guard lineWidth > 0 else { return "" }
    let own = step.place.flatMap { Self.file($0) == file ? Self.number($0) : nil } ?? ""
    return String(repeating: " ", count: lineWidth - own.count) + own + "  "
  }

  private func choice(_ step: Trace.Step) -> Trace.Choice? {
    let choices = history.trace.choices
    return step.choice.flatMap { choices.indices.contains($0) ? choices[$0] : nil }
  }

  private func words(_ index: Int, _ step: Trace.Step) -> String {
    var line = StepWords(history).line(of: index)
    if let place = step.place, Self.file(place) != file { line += " (\(place))" }
    guard let choice = choice(step), choice.chosen > 0 else { return line }
    let other = history.lanes[history.laneOfParty[choice.options[0]]].word
    return line + (step.isSwitch ? "  [\(other) is interrupted]" : "  [chosen before \(other)]")
  }

  /// Whether a step does once more what the step before it did, and no other lane comes between.
  private func isAlike(_ step: Trace.Step, _ first: Trace.Step) -> Bool {
    step.party == first.party && step.point == first.point && step.subject == first.subject
      && step.changes == nil && step.notes.isEmpty && step.stop == nil
      && (choice(step)?.chosen ?? 0) == 0
  }
}
