/// The page of predictions: what the learner said, and what the runs gave.
public struct PredictionPage {
  private let record: PredictionRecord
  private let style: PageStyle

  /// Prepares the page of predictions.
  public init(_ record: PredictionRecord, _ style: PageStyle = PageStyle()) {
    (self.record, self.style) = (record, style)
  }

  /// The whole page, ending with a line break.
  public var text: String {
    let check = record.check
    let heading = check.number < 10 ? "0\(check.number)  " : "\(check.number)  "
    var lines = style.justified(heading + check.title, "prediction")
    lines += style.hanging(
      "    ", "\(check.folder) · controlled, one thread or task at a time")
    for answer in record.answers {
      lines += [""]
      lines += style.justified(
        "\(answer.isRight ? "✓" : "✗") \(answer.text)", "\(answer.points) of \(answer.pointsMax)")
      let sure = answer.sure.map { "  (sure: \($0))" } ?? ""
      lines += style.hanging("  you predicted  ", Self.listed(answer.predicted) + sure)
      lines += style.hanging("  the runs gave  ", Self.listed(answer.observed))
    }
    let (points, most) = record.points
    lines += ["", "Score: \(points) of \(most) points."]
    lines += style.hanging("Next  ", "faultline explore \(check.number)   the runs, as a table")
    lines += style.hanging(
      "      ", "faultline progress   how often you were right when you were sure")
    return lines.map(style.finished).joined(separator: "\n") + "\n"
  }

  private static func listed(_ words: [String]) -> String {
    words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  /// The same as tab-separated values, with a line for the sum.
  public static func plain(_ record: PredictionRecord) -> String {
    let rows = record.answers.map { answer in
      [
        answer.question, answer.isRight ? "right" : "wrong", "\(answer.points)",
        "\(answer.pointsMax)", answer.sure.map(String.init) ?? "",
        answer.predicted.joined(separator: ","), answer.observed.joined(separator: ","),
      ]
    }
    let (points, most) = record.points
    return
      ([["question", "answer", "points", "of", "sure", "predicted", "observed"]] + rows
      + [["points", "", "\(points)", "\(most)", "", "", ""]]).map {
        $0.map(PlainTable.clean).joined(separator: "\t") + "\n"
      }.joined()
  }
}

extension PredictionRecord {
  /// The points of the predictions, and the most there are.
  public var points: (points: Int, most: Int) {
    (answers.reduce(0) { $0 + $1.points }, answers.reduce(0) { $0 + $1.pointsMax })
  }
}
