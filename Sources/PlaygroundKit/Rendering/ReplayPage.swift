import Foundation

/// The page of one replayed schedule: its outcome, what was observed, and its steps.
public struct ReplayPage {
  private let replay: Replay
  private let history: RunHistory
  private let needed: Set<Int>
  private let minimisedFrom: ScheduleID?
  private let stepsMax: Int
  private let explains: Bool
  private let style: PageStyle

  /// Prepares the page of a run: `needed` are the choices that the outcome depends on, `until` is
  /// the last step that is told, `minimisedFrom` the schedule that this one was made from.
  public init(
    _ replay: Replay, needed: Set<Int> = [], minimisedFrom: ScheduleID? = nil, until: Int? = nil,
    explains: Bool = false, _ style: PageStyle = PageStyle()
  ) {
    self.replay = replay
    self.needed = needed
    self.minimisedFrom = minimisedFrom
    self.explains = explains
    self.style = style
    stepsMax = until ?? .max
    history = RunHistory(replay.trace)
  }

  /// The whole page, ending with a line break.
  public var text: String {
    let steps = StepList(history, needed: needed, width: width)
    let shown = 0..<min(stepsMax, trace.steps.count)
    var lines = head() + [""] + result() + [rule, steps.heading] + steps.lines(shown)
    let more = trace.steps.count - shown.count
    if more > 0 { lines.append("  … \(Exploration.counted(more, "more step", "more steps"))") }
    lines += [rule] + foot(Set(shown.map { steps.mark(trace.steps[$0]) }), steps)
    lines = lines.map(\.trimmingTrailingSpaces)
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    if style.colour { lines = lines.map(PageStyle.painted) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var trace: Trace { replay.trace }
  private var width: Int { style.width }
  private var rule: String { String(repeating: "─", count: width) }

  private func head() -> [String] {
    let facts = [replay.scenario.given] + replay.settings + Drawing.facts.prefix(1)
    return Wrapping.justified(replay.title, replay.id.description, width: width)
      + Wrapping.hanging("    ", facts.joined(separator: " · "), width: width)
  }

  // MARK: The outcome

  private func result() -> [String] {
    let declared = replay.scenario.outcomes.first { $0.name == trace.outcome }
    let meaning = declared?.meaning ?? trace.ending.detail
    let grade = trace.grade.map { "declared, \($0.rawValue)" } ?? "undeclared"
    var rows = [("outcome", "\(trace.outcome)  \(grade)\(meaning.isEmpty ? "" : ": \(meaning)")")]
    if trace.ending.kind != .finished {
      rows.append(("ending", Drawing.ending(history)))
    }
    rows += trace.metrics.filter(isShown).map { ($0.name, Figures.underControl($0)) }
    let switches = Exploration.counted(trace.switches, "switch", "switches")
    let steps = Exploration.counted(trace.steps.count, "step", "steps")
    let others = trace.schedule.turns.count - trace.switches
    let more = others > 0 ? ", \(Exploration.counted(others, "other turn", "other turns"))" : ""
    rows.append(("schedule", "\(steps), \(switches)\(more)"))
    if !replay.fits {
      rows.append(("", "this side did not offer every choice of the id"))
    }
    if let minimisedFrom {
      let same = minimisedFrom == replay.id
      rows.append(
        (
          "minimised",
          same
            ? "every turn of \(replay.id) is needed: without any one of them the outcome differs"
            : "from \(minimisedFrom) to \(replay.id), of which every turn is needed"
        ))
    }
    return rows.flatMap { label, text in
      Wrapping.hanging(Wrapping.padded(label, Self.labelWidth), text, width: width)
    }
  }

  private static let labelWidth = 26

  /// What the scenario observed itself, and the kit's figures that its pages show.
  private func isShown(_ metric: Metric) -> Bool {
    switch metric.section {
    case Metric.mainLoop: replay.scenario.panels.contains(.mainLoop)
    case Metric.engine, Metric.memory: false
    default: true
    }
  }

  // MARK: Under them

  private func foot(_ marks: Set<String>, _ steps: StepList) -> [String] {
    var legend = ["· another thread could have run"]
    if marks.contains("○") { legend.insert("○ not the default choice", at: 0) }
    if marks.contains("●") {
      legend.insert("● a choice that the outcome depends on", at: 0)
    }
    var lines = Wrapping.hanging("Marks  ", legend.joined(separator: "   "), width: width)
    lines += Wrapping.hanging(
      "Note   ",
      "Everything inside one step is atomic."
        + (trace.steps.contains { $0.point == "fault" }
          ? " A fetch reads rows into a cache; an object is a fault until a value of it is used."
          : "")
        + (steps.hasTimes ? " Times come from the cost table; each thread has its own clock." : "")
        + (steps.file.map { " Lines are those of \($0)." } ?? ""), width: width)
    for (index, mark) in trace.marks.enumerated() {
      let words = ["\(mark.file):\(mark.line)", mark.code, mark.why].compactMap { $0 }
      lines += Wrapping.hanging(
        index == 0 ? "Code   " : "       ", words.joined(separator: "  "), width: width)
    }
    if explains {
      for (index, sentence) in Explanation(trace).sentences.enumerated() {
        lines += Wrapping.hanging(index == 0 ? "Why    " : "       ", sentence, width: width)
      }
    }
    lines += Wrapping.hanging(
      "Next   ", replay.command("draw \(replay.scenario.words(for: replay.id))"), width: width)
    if !explains {
      lines += Wrapping.hanging(
        "       ", replay.command("replay \(replay.scenario.words(for: replay.id)) --explain"),
        width: width)
    }
    return lines
  }
}

/// A run as tab-separated values: one line a step.
public struct PlainReplay {
  private let replay: Replay

  /// Prepares the lines of a run.
  public init(_ replay: Replay) { self.replay = replay }

  /// All lines with their heading, ending with a line break.
  public var text: String {
    let history = RunHistory(replay.trace)
    let words = StepWords(history)
    var lines = [["step", "virtual ns", "lane", "chosen", "options", "what", "line"]]
    for (index, step) in replay.trace.steps.enumerated() {
      let choice = step.choice.flatMap {
        replay.trace.choices.indices.contains($0) ? replay.trace.choices[$0] : nil
      }
      lines.append([
        "\(index + 1)", "\(step.start)", history.lanes[history.lane(ofStep: index)].name,
        choice.map { "\($0.chosen)" } ?? "", choice.map { "\($0.options.count)" } ?? "",
        words.line(of: index), step.place ?? "",
      ])
    }
    lines.append(["outcome", "", "", "", "", replay.trace.outcome, ""])
    return lines.map { $0.map(PlainTable.clean).joined(separator: "\t") }.joined(separator: "\n")
      + "\n"
  }
}
