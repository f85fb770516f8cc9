import Foundation

extension ScenarioRecord {
  /// Records what a scenario declares, with the numbers of this run in its sentences.
  init(_ scenario: ScenarioDescription, parameters: [String: Int]) {
    let card = scenario.card
    self.init(
      number: card.number, folder: scenario.folder, slug: card.slug, title: card.title,
      part: card.part, claim: card.claim,
      question: card.question, why: card.why, given: Self.filled(card.given, parameters),
      guide: card.guide, sources: card.sources, panels: card.panels,
      next: card.next.isEmpty ? Self.next(scenario) : card.next, outcomes: scenario.outcomes)
  }

  /// What can be done with every scenario; an exercise is checked.
  private static func next(_ scenario: ScenarioDescription) -> [Next] {
    let schedules = Next("faultline explore \(scenario.word)", Card.exploring)
    let isExercise = scenario.sides.contains { $0.kind == .yours }
    let other =
      isExercise
      ? Next("faultline check \(scenario.word)", "which requirements your file meets")
      : Next(
        "faultline show \(scenario.word)", "the question, the outcomes, the code of every side")
    return isExercise ? [schedules, other] : [other, schedules]
  }

  /// The heading of pages: the number, if there is one, and the title.
  var heading: String { number.map { String(format: "%02d  ", $0) + title } ?? title }

  /// The word that names it on the command line.
  public var word: String { folder.map(\.quotedForShell) ?? number.map(String.init) ?? slug }

  /// A schedule's id as a command needs it: after the folder, if it is one of the learner's code.
  public func words(for id: ScheduleID) -> String {
    if case .source = id.subject { "\(word) \(id)" } else { "\(id)" }
  }

  /// What sentences call it.
  public var name: String { folder ?? "scenario \(number.map(String.init) ?? slug)" }

  /// Where it stands in the catalogue; empty if it does not.
  var place: String { part?.heading ?? "" }

  /// Replaces names in braces, as in `{rows}`, with numbers. With two forms, as in
  /// `{rows|one row|# rows}`, the first is for the number 1, the second for every other number,
  /// which replaces `#`.
  static func filled(_ sentence: String, _ parameters: [String: Int]) -> String {
    var text = ""
    var rest = sentence[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let parts = rest[rest.index(after: open)..<close]
        .split(separator: "|", omittingEmptySubsequences: false)
      text += rest[..<open]
      if let value = parameters[String(parts[0])], parts.count == 1 || parts.count == 3 {
        let form = parts.count == 1 ? "#" : parts[value == 1 ? 1 : 2]
        text += form.replacing("#", with: Figures.grouped(value))
      } else {
        text += rest[open...close]
      }
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }
}

extension SideRecord {
  /// The columns of a run: each side's repeats with their medians, spreads and differences to the
  /// first.
  static func columns(_ sides: [(Side.Description, Side.Checker, [Trial])]) -> [SideRecord] {
    var columns = sides.map { side, checker, trials in
      SideRecord(
        name: side.name, kind: side.kind, heading: side.heading, checker: checker, trials: trials,
        summaries: Statistics.summaries(of: trials.map(\.metrics)),
        outcomes: Statistics.tally(trials.map(\.outcome)).map { name, count in
          Tally(
            outcome: name, grade: trials.first { $0.outcome == name }?.grade, count: count)
        })
    }
    guard let first = columns.first else { return columns }
    for column in columns.indices.dropFirst() {
      for line in columns[column].summaries.indices {
        let summary = columns[column].summaries[line]
        guard let other = first.summary(summary.name, in: summary.section) else { continue }
        columns[column].summaries[line].delta = Statistics.delta(summary, from: other)
      }
    }
    return columns
  }

  /// The line of a figure.
  public func summary(_ name: String, in section: String?) -> Summary? {
    summaries.first { $0.name == name && $0.section == section }
  }

  /// The repeat that stands for the others: the one whose total is the median, or nearest to it.
  public var typicalTrial: Trial? {
    func total(_ trial: Trial) -> Int? {
      if case .number(let number)? = trial.metrics.first(where: { $0.name == Metric.total })?.amount
      {
        number
      } else {
        nil
      }
    }
    guard let median = Statistics.median(trials.compactMap(total)) else { return trials.first }
    return trials.min {
      median.distance(from: total($0) ?? .max) < median.distance(from: total($1) ?? .max)
    }
  }
}
