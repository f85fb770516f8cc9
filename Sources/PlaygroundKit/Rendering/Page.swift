import Foundation

/// The page of one run: both columns, what they cost, what came of it, why, and where to go next.
///
/// Every figure on it comes from the run record. No line is wider than the style allows: columns
/// that would become too narrow are put under one another instead.
public struct Page {
  private let record: RunRecord
  private let style: PageStyle

  /// Prepares the page of a run.
  public init(_ record: RunRecord, _ style: PageStyle = PageStyle()) {
    self.record = record
    self.style = style
  }

  /// The whole page, ending with a line break.
  public var text: String {
    var lines = head()
    let rows = PageRows(record: record).all()
    lines += columnsFit ? table(rows) : stacked(rows)
    lines.append(rule)
    lines += foot()
    lines = lines.map { $0.trimmingTrailingSpaces }
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    if style.colour { lines = lines.map(PageStyle.painted) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var width: Int { style.width }
  private var rule: String { String(repeating: "─", count: width) }

  private var settings: [String] { record.settings ?? [] }

  private func head() -> [String] {
    let scenario = record.scenario
    let number = String(format: "%02d", scenario.number)
    let part = "part \(scenario.part.rawValue) · \(scenario.part.title)"
    let repeats = record.repeats == 1 ? "one run" : "median of \(record.repeats) (spread)"
    let machine = record.machine.build == "release" ? "this machine" : "this machine, debug build"
    let isChecked = record.sides.allSatisfy { $0.checker != .off }
    let facts =
      [scenario.given] + settings + [record.way, repeats, machine]
      + (isChecked ? ["checker on"] : [])
    return Wrapping.justified("\(number)  \(scenario.title)", part, width: width)
      + Wrapping.hanging(
        "    ", facts.joined(separator: " · "), width: width) + [""]
  }

  // MARK: Columns side by side

  private var labelWidth: Int { record.sides.count <= 3 ? 26 : 20 }

  private var cellWidth: Int {
    let count = max(1, record.sides.count)
    return (width - labelWidth - 2 * (count - 1)) / count
  }

  /// Two columns want thirty characters each, three want twenty-two, more want fourteen.
  private var columnsFit: Bool {
    switch record.sides.count {
    case ...2: cellWidth >= 30
    case 3: cellWidth >= 22
    default: cellWidth >= 14
    }
  }

  private func table(_ rows: [PageRow]) -> [String] {
    let headings = record.sides.map { Wrapping.lines(heading($0), width: cellWidth) }
    var lines = joined(label: "", headings)
    lines.append(rule)
    for row in rows {
      lines += joined(label: row.label, row.cells.map { laidOut($0, of: row, width: cellWidth) })
    }
    return lines
  }

  private func joined(label: String, _ cells: [[String]]) -> [String] {
    let labels = Wrapping.lines(label, width: labelWidth - 1)
    let height = max(labels.count, cells.map(\.count).max() ?? 0)
    return (0..<height).map { line in
      let left = Wrapping.padded(line < labels.count ? labels[line] : "", labelWidth)
      return left
        + cells.map { Wrapping.padded(line < $0.count ? $0[line] : "", cellWidth) }
        .joined(separator: "  ")
    }
  }

  private func heading(_ side: SideRecord) -> String {
    let kind =
      switch side.kind {
      case .wrong: "WRONG  "
      case .right: "RIGHT  "
      case .column: ""
      }
    return kind + side.heading
  }

  private func laidOut(_ cell: PageRow.Cell, of row: PageRow, width: Int) -> [String] {
    switch cell {
    case .empty: [""]
    case .text(let text, let mark):
      // In narrow cells a difference that does not fit is left to --plain; a verdict never is.
      Wrapping.justified(text, mark, width: width, mayDrop: width < 22 && mark.count > 1)
    case .spark(let series):
      [SparkLine.draw(series, width: width, duration: row.duration, top: row.top)]
    }
  }

  // MARK: Columns under one another

  private func stacked(_ rows: [PageRow]) -> [String] {
    var lines: [String] = []
    for (index, side) in record.sides.enumerated() {
      if index > 0 { lines.append("") }
      lines += Wrapping.lines(heading(side), width: width)
      lines.append(rule)
      for row in rows {
        let cell = laidOut(row.cells[index], of: row, width: width - labelWidth)
        let labels = Wrapping.lines(row.label, width: labelWidth - 1)
        for line in 0..<max(labels.count, cell.count) {
          lines.append(
            Wrapping.padded(line < labels.count ? labels[line] : "", labelWidth)
              + (line < cell.count ? cell[line] : ""))
        }
      }
    }
    return lines
  }

  // MARK: Under the columns

  private func foot() -> [String] {
    let scenario = record.scenario
    var lines = Wrapping.hanging("Why  ", why, width: width)
    for mark in marks() {
      lines += Wrapping.hanging("     ", mark, width: width)
    }
    if let violation = record.sides.flatMap(\.trials).flatMap(\.violations).first {
      for (index, line) in violation.report.split(separator: "\n").enumerated() {
        lines += Wrapping.hanging(index == 0 ? "Said " : "     ", String(line), width: width)
      }
    }
    let sources = scenario.sources.map { "“\($0.title)”: \($0.passage)" }.joined(separator: "; ")
    if !sources.isEmpty { lines += Wrapping.hanging("From ", sources, width: width) }
    lines += Wrapping.hanging("Read ", "Guide/\(scenario.guide)", width: width)
    for (index, next) in scenario.next.enumerated() {
      lines += Wrapping.hanging(
        index == 0 ? "Next " : "     ", "\(next.command)   \(next.meaning)", width: width)
    }
    return lines
  }

  /// The cause; with other values than the shipped ones it may have had no effect.
  private var why: String {
    let wrong = record.sides.filter { $0.kind == .wrong }
    let isSeen = wrong.flatMap(\.outcomes).contains { $0.grade != .accepted }
    guard !settings.isEmpty, !wrong.isEmpty, !isSeen else { return record.scenario.why }
    return "Nothing went wrong with these values. With the shipped ones: \(record.scenario.why)"
  }

  private func marks() -> [String] {
    var seen: [Mark] = []
    for mark in record.sides.compactMap(\.typicalTrial).flatMap(\.marks) where !seen.contains(mark)
    {
      seen.append(mark)
    }
    return seen.map { mark in
      ["\(mark.file):\(mark.line)", mark.code, mark.why].compactMap { $0 }.joined(separator: "  ")
    }
  }
}
