import Foundation

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
    let folder = record.folder.quotedForShell
    var lines = style.justified(
      String(format: "%02d  ", record.number) + record.title, "prediction")
    lines += style.hanging("    ", "\(record.folder) · controlled, one thread or task at a time")
    for answer in record.answers {
      lines += [""] + question(answer)
      let sure = answer.sure.map { "  (sure: \($0))" } ?? ""
      lines += style.hanging("  you predicted  ", Self.listed(answer.predicted) + sure)
      lines += style.hanging("  the runs gave  ", Self.listed(answer.observed))
    }
    lines += ["", "Score: \(record.points) of \(record.pointsMax) points."]
    var next = ["faultline explore \(record.number)   the runs, as a table"]
    if !record.isWhole {
      next.append("faultline check \(folder)   what else the exercise requires")
    }
    next.append("faultline progress   how often you were right when you were sure")
    lines += next.enumerated().flatMap { style.hanging($0 == 0 ? "Next  " : "      ", $1) }
    return lines.map(style.finished).joined(separator: "\n") + "\n"
  }

  private func question(_ answer: PredictionRecord.Answer) -> [String] {
    let points = "\(answer.points) of \(answer.pointsMax)"
    var lines = Wrapping.hanging(
      answer.isRight ? "✓ " : "✗ ", answer.text, width: style.width - points.count - 2)
    lines[0] = Wrapping.padded(lines[0], style.width - points.count) + points
    return lines
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
    return
      ([["question", "answer", "points", "of", "sure", "predicted", "observed"]] + rows
      + [["points", "", "\(record.points)", "\(record.pointsMax)", "", "", ""]]).map {
        $0.map(PlainTable.clean).joined(separator: "\t") + "\n"
      }.joined()
  }
}
