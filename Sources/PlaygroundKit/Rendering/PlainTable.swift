/// A run as tab-separated values: a line for each figure, a column for each side, then the
/// differences to the first side.
public struct PlainTable {
  private let record: RunRecord

  /// Prepares the table of a run.
  public init(_ record: RunRecord) { self.record = record }

  /// The whole table with its heading, ending with a line break.
  public var text: String {
    var lines = [
      ["metric"] + record.sides.map(\.name) + record.sides.dropFirst().map { "delta \($0.name)" }
    ]
    var seen: [(name: String, section: String?)] = []
    for summary in record.sides.flatMap(\.summaries)
    where !seen.contains(where: { $0 == (summary.name, summary.section) }) {
      seen.append((summary.name, summary.section))
      lines.append(row(summary))
    }
    lines.append(
      ["outcome"]
        + record.sides.map { side in
          side.outcomes.map { side.outcomes.count == 1 ? $0.outcome : "\($0.outcome) \($0.count)" }
            .joined(separator: ", ")
        } + record.sides.dropFirst().map { _ in "" })
    return lines.map { $0.map(Self.clean).joined(separator: "\t") }.joined(separator: "\n") + "\n"
  }

  private func row(_ summary: Summary) -> [String] {
    let unit =
      switch summary.unit {
      case .count, .words: ""
      case .nanoseconds: " ns"
      case .bytes: " bytes"
      }
    let name = [summary.section, summary.name].compactMap { $0 }.joined(separator: ": ") + unit
    let found = record.sides.map { $0.summary(summary.name, in: summary.section) }
    return [name]
      + found.map { summary in
        switch summary?.median {
        case .number(let number): String(number)
        case .text(let text): text
        case nil: ""
        }
      }
      + found.dropFirst().map { summary in
        summary?.delta.map { Figures.text($0, summary?.unit ?? .count) } ?? ""
      }
  }

  /// A text without the characters that separate fields and lines.
  public static func clean(_ text: String) -> String {
    text.visible.replacing("\t", with: " ").replacing("\n", with: " ")
  }
}
