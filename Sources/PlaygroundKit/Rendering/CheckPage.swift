/// The page of a check: each requirement with what was seen and what it is worth.
public struct CheckPage {
  private let record: CheckRecord
  private let style: PageStyle

  /// Prepares the page of a check.
  public init(_ record: CheckRecord, _ style: PageStyle = PageStyle()) {
    (self.record, self.style) = (record, style)
  }

  /// The whole page, ending with a line break.
  public var text: String {
    let folder = record.folder.quotedForShell
    var lines = Wrapping.justified(
      String(format: "%02d  ", record.number) + record.title, "exercise", width: style.width)
    lines += style.hanging("    ", ways) + [""]
    for finding in record.findings {
      lines += Wrapping.justified(
        "\(Self.mark(finding)) \(finding.what)", points(finding), width: style.width)
      lines += style.hanging("  ", finding.message)
      if let replay = finding.replay {
        lines += style.hanging("  ", "faultline replay \(folder) \(replay) --explain")
      }
    }
    lines.append("")
    if record.findings.contains(where: { Self.mark($0) == Self.waiting }) {
      lines += style.hanging(
        "Marks ", "\(Self.waiting) holds, and gives its points once another requirement holds too")
    }
    if record.sandbox == Sandbox.none {
      lines += style.hanging(
        "Note  ",
        "There is no sandbox here: your program could write wherever you can. `faultline doctor`"
          + " says what to do.")
    }
    if let limit = record.limit { lines += style.hanging("Limit ", limit) }
    lines.append(verdict)
    lines += next(folder).enumerated().flatMap {
      style.hanging($0 == 0 ? "Next  " : "      ", $1)
    }
    return lines.map(style.finished).joined(separator: "\n") + "\n"
  }

  private var ways: String {
    // Answers alone take no run of the learner's.
    guard record.schedules > 0 else { return record.folder }
    let schedules = Exploration.counted(record.schedules, "schedule", "schedules")
    let hidden =
      record.schedulesHidden == 0
      ? "" : ", \(Figures.grouped(record.schedulesHidden)) of them with other numbers"
    return "\(record.folder) · controlled, one thread or task at a time · \(schedules)\(hidden),"
      + (record.schedules == 1 ? " run twice" : " each run twice")
  }

  private func points(_ finding: CheckRecord.Finding) -> String {
    let points = "\(finding.points) of \(finding.pointsMax)"
    return finding.isBonus ? "bonus \(points)" : points
  }

  /// What holds and is worth nothing yet is not to look like a success.
  private static let waiting = "·"

  private static func mark(_ finding: CheckRecord.Finding) -> String {
    switch finding.status {
    case .pass: finding.points == 0 && finding.pointsMax > 0 ? waiting : "✓"
    case .fail: "✗"
    case .error: "?"
    }
  }

  private var verdict: String {
    var points = "\(record.points) of \(record.pointsMax) points"
    let bonus = record.findings.filter(\.isBonus).reduce(0) { $0 + $1.points }
    let rest = record.findings.filter { !$0.isBonus }.reduce(0) { $0 + $1.points }
    if bonus > 0 {
      points +=
        record.points > rest
        ? ", \(record.points - rest) of them a bonus" : ", the most that there are with a bonus too"
    }
    return record.isPassed
      ? "Passed: every requirement holds, \(points)." : "Not solved yet: \(points)."
  }

  private func next(_ folder: String) -> [String] {
    if record.isPassed {
      let more =
        record.isSide
        ? "faultline explore \(folder) --beside right   your schedules beside ours"
        : "faultline show \(record.number)   the code of our sides"
      return [more, "faultline list --todo   the exercises that are left"]
    }
    let replay = record.findings.lazy.compactMap(\.replay).first
    let draw = replay.map { ["faultline draw \(folder) \($0)   a picture of it"] } ?? []
    return draw + [
      "faultline hint \(folder)   the next hint",
      "change the file, then: faultline check \(folder)",
    ]
  }

  /// The same as tab-separated values: name, status, points, most points, message, schedule.
  public static func plain(_ record: CheckRecord) -> String {
    let rows = record.findings.map { finding in
      [
        finding.name, finding.status.rawValue, "\(finding.points)", "\(finding.pointsMax)",
        finding.message, finding.replay ?? "",
      ]
    }
    let verdict = record.isPassed ? "pass" : "fail"
    let sum = ["points", verdict, "\(record.points)", "\(record.pointsMax)", "", ""]
    return ([["requirement", "status", "points", "of", "message", "schedule"]] + rows + [sum])
      .map { $0.map(PlainTable.clean).joined(separator: "\t") + "\n" }.joined()
  }
}
