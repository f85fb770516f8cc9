import Foundation

/// What a learner has reached in each exercise of the catalogue, from which the page and `--json`
/// are made.
public struct ProgressTable: Codable, Sendable {
  /// One exercise.
  public struct Row: Codable, Sendable {
    /// Its number, its title, and the number of its part.
    public var number: Int
    public var title: String
    public var part: Int
    /// Whether the learner has its file.
    public var isStarted: Bool
    /// The points of the best check, nil before the first; and the most there are.
    public var points: Int?
    public var pointsMax: Int
    /// Whether a check has met every requirement.
    public var isPassed: Bool
    /// The levels of the hints that were shown.
    public var hints: [Int]
    /// Whether the solution was shown before a pass.
    public var isGivenUp: Bool
    /// The first prediction for each question.
    public var predictions: [ProgressRecord.Prediction]
  }

  /// The predictions of which the learner was equally sure.
  public struct Confidence: Codable, Sendable, Equatable {
    /// How sure the learner was, from 1 to 5.
    public var sure: Int
    /// How many there are, and how many of them the runs agreed with.
    public var predictions: Int
    public var right: Int
  }

  /// The exercises, in the order of their numbers.
  public var exercises: [Row]
  /// The sum of the points, and the most there are.
  public var points: Int
  public var pointsMax: Int
  /// What became of the predictions, the surest first.
  public var confidence: [Confidence]

  /// The table of some exercises.
  public init(_ record: ProgressRecord, of exercises: [Exercise], on desk: ExerciseDesk) {
    self.exercises = exercises.map { exercise in
      let entry = record[exercise]
      return Row(
        number: exercise.card.number ?? 0, title: exercise.card.title,
        part: exercise.card.part?.rawValue ?? 0,
        isStarted: FileManager.default.fileExists(atPath: desk.file(of: exercise).path),
        points: entry.points, pointsMax: entry.pointsMax ?? exercise.pointsMax,
        isPassed: entry.isPassed, hints: entry.hints, isGivenUp: entry.isGivenUp,
        predictions: entry.predictions)
    }
    points = self.exercises.reduce(0) { $0 + ($1.points ?? 0) }
    pointsMax = self.exercises.reduce(0) { $0 + $1.pointsMax }
    let all = self.exercises.flatMap(\.predictions)
    confidence = ProgressRecord.Prediction.sureRange.reversed().compactMap { sure in
      let these = all.filter { $0.sure == sure }
      guard !these.isEmpty else { return nil }
      return Confidence(
        sure: sure, predictions: these.count, right: these.count { $0.isRight })
    }
  }
}

/// The page of a learner's progress: the exercises by part, their sum, and the predictions.
public struct ProgressPage {
  private let table: ProgressTable
  private let folder: String
  private let next: String?
  private let style: PageStyle

  /// Prepares the page of a table, with the folder of the exercises and the command to type next.
  public init(
    _ table: ProgressTable, folder: String, next: String?, _ style: PageStyle = PageStyle()
  ) {
    (self.table, self.folder, self.next, self.style) = (table, folder, next, style)
  }

  /// The widths of the columns beside the titles: points, passed, hints, given up.
  private static let widths = [10, 7, 5, 8]

  /// The whole page, ending with a line break.
  public var text: String {
    var lines = style.justified("Progress", folder) + [""]
    lines += row("", ["points", "passed", "hints", "given up"])
    for part in Part.allCases {
      let rows = table.exercises.filter { $0.part == part.rawValue }
      guard !rows.isEmpty else { continue }
      lines.append("Part \(part.rawValue) · \(part.title)")
      lines += rows.flatMap(line)
    }
    lines += [""] + row("Sum", sums)
    if !table.confidence.isEmpty {
      let words = table.confidence.map { "sure \($0.sure): \($0.right) of \($0.predictions) right" }
      lines += [""] + style.hanging("Predictions  ", words.joined(separator: " · "))
    }
    if let next { lines += [""] + style.hanging("Next  ", next) }
    return lines.map(style.finished).joined(separator: "\n") + "\n"
  }

  private func line(_ row: ProgressTable.Row) -> [String] {
    let points = row.points.map { "\($0) of \(row.pointsMax)" } ?? (row.isStarted ? "started" : "–")
    return self.row(
      String(format: "  %02d  ", row.number) + row.title,
      [
        points, row.isPassed ? "✓" : row.points == nil ? "–" : "✗",
        row.hints.isEmpty ? "–" : "\(row.hints.count)", row.isGivenUp ? "yes" : "–",
      ])
  }

  private var sums: [String] {
    let rows = table.exercises
    return [
      "\(table.points) of \(table.pointsMax)", "\(rows.count(where: \.isPassed)) of \(rows.count)",
      "\(rows.reduce(0) { $0 + $1.hints.count })", "\(rows.count(where: \.isGivenUp))",
    ]
  }

  /// A title with four cells at the right edge; a long title takes several lines.
  private func row(_ title: String, _ cells: [String]) -> [String] {
    let right = zip(cells, Self.widths).map { cell, width in
      String(repeating: " ", count: max(0, width - cell.count)) + cell
    }.joined(separator: "  ")
    let indent = title.hasPrefix("  ") ? "      " : ""
    var lines = Wrapping.hanging(
      String(title.prefix(indent.count)), String(title.dropFirst(indent.count)),
      width: style.width - right.count - 2)
    let first = lines.removeFirst()
    return [Wrapping.padded(first, style.width - right.count) + right] + lines
  }

  /// The same as tab-separated values, with a line for the sum.
  public static func plain(_ table: ProgressTable) -> String {
    let heading = ["number", "title", "part", "points", "of", "passed", "hints", "given up"]
    let rows = table.exercises.map { row in
      [
        "\(row.number)", row.title, "\(row.part)", row.points.map(String.init) ?? "",
        "\(row.pointsMax)", row.isPassed ? "yes" : "no",
        row.hints.map(String.init).joined(separator: ","), row.isGivenUp ? "yes" : "no",
      ]
    }
    let sum = ["sum", "", "", "\(table.points)", "\(table.pointsMax)", "", "", ""]
    return ([heading] + rows + [sum]).map {
      $0.map(PlainTable.clean).joined(separator: "\t") + "\n"
    }.joined()
  }
}
