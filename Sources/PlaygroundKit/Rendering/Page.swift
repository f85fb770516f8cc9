import Foundation

/// The page of one run: the outcome of each side and its cause, the figures that differ, the equal
/// ones, and where to go next.
///
/// Every figure on it comes from the run record. No line is wider than the style allows. A narrow
/// page has a narrow label column; a narrower one prints each label above its row; only where that
/// leaves no room do the sides stand under one another.
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
    let rows = PageRows(record: record)
    let equal = rows.equal()
    var lines = head() + headings()
    let cause = cause()
    lines += table(rows.first()) + meanings(rows) + (cause.isEmpty ? [] : [rule] + cause)
    let (differing, marked) = (rows.differing(), rows.differing() + equal)
    if !differing.isEmpty { lines += [rule] + table(differing) }
    if !equal.isEmpty { lines += differing.isEmpty ? [rule] : [""] }
    if !equal.isEmpty { lines += [equalHeading] + table(equal) }
    lines += [rule] + foot(marked)
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
    let repeats =
      record.repeats == 1 ? "one run" : "median of \(record.repeats) runs (lowest–highest)"
    let machine = record.machine.build == "release" ? "this machine" : "this machine, debug build"
    let isChecked = record.sides.allSatisfy { $0.checker != .off }
    let facts =
      [scenario.given] + settings + [record.way, repeats, machine]
      + (isChecked ? ["checker on"] : [])
    return Wrapping.justified(scenario.heading, scenario.place, width: width)
      + Wrapping.hanging(
        "    ", facts.joined(separator: " · "), width: width) + [""]
  }

  // MARK: Columns side by side

  /// Where labels and cells stand.
  private enum Layout {
    /// Labels to the left of the cells.
    case beside(labelWidth: Int, cellWidth: Int)
    /// Each label on a line above its cells.
    case above(cellWidth: Int)
    /// Each side in a table of its own, under the one before.
    case stacked
  }

  private static let indentUnderLabel = 2
  /// The label column of a side that has a table of its own.
  private static let labelWidthStacked = 26

  private var layout: Layout {
    let count = max(1, record.sides.count)
    func cellWidth(besides: Int) -> Int { (width - besides - 2 * (count - 1)) / count }
    let (least, wish) =
      switch count {
      case ...2: (28, 30)
      case 3: (18, 22)
      default: (13, 14)
      }
    for (labelWidth, room) in [(26, wish), (20, count > 3 ? wish : least), (17, least)]
    where cellWidth(besides: labelWidth) >= room {
      return .beside(labelWidth: labelWidth, cellWidth: cellWidth(besides: labelWidth))
    }
    let above = cellWidth(besides: Self.indentUnderLabel)
    return above >= least ? .above(cellWidth: above) : .stacked
  }

  private func headings() -> [String] {
    let texts = record.sides.map(heading)
    switch layout {
    case .beside(let labelWidth, let cellWidth):
      return joined(
        [""], labelWidth, texts.map { Wrapping.lines($0, width: cellWidth) }, cellWidth) + [rule]
    case .above(let cellWidth):
      return joined(
        [""], Self.indentUnderLabel, texts.map { Wrapping.lines($0, width: cellWidth) }, cellWidth)
        + [rule]
    case .stacked: return [rule]
    }
  }

  private func table(_ rows: [PageRow]) -> [String] {
    switch layout {
    case .beside(let labelWidth, let cellWidth):
      return rows.flatMap { row in
        joined(
          Wrapping.lines(row.label, width: labelWidth - 1), labelWidth,
          row.cells.map { laidOut($0, of: row, width: cellWidth) }, cellWidth)
      }
    case .above(let cellWidth):
      return above(rows, cellWidth)
    case .stacked: return stacked(rows)
    }
  }

  /// What the outcomes mean, where the columns are too narrow to say it; it stands as far to the
  /// right as what continues a row.
  private func meanings(_ rows: PageRows) -> [String] {
    let meanings = rows.meaningsBelow
    let width = meanings.map(\.name.count).max() ?? 0
    let indent = String(repeating: " ", count: PageComparison.labelWidth)
    return meanings.flatMap { name, meaning in
      Wrapping.hanging(indent + Wrapping.padded(name, width) + "  ", meaning, width: self.width)
    }
  }

  private func above(_ rows: [PageRow], _ cellWidth: Int) -> [String] {
    var section = ""
    return rows.flatMap { row -> [String] in
      if row.isHeading {
        section = row.label + ": "
        return []
      }
      if !row.label.hasPrefix(" ") { section = "" }
      return Wrapping.lines(section + row.withoutIndent.label, width: width)
        + joined(
          [], Self.indentUnderLabel, row.cells.map { laidOut($0, of: row, width: cellWidth) },
          cellWidth)
    }
  }

  private func joined(
    _ labels: [String], _ labelWidth: Int, _ cells: [[String]], _ cellWidth: Int
  ) -> [String] {
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
      case .yours: "YOURS  "
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
    case .point(let decades):
      [SparkLine.bar(decades, width: width, top: row.top)]
    }
  }

  // MARK: Columns under one another

  private func stacked(_ rows: [PageRow]) -> [String] {
    let labelWidth = Self.labelWidthStacked
    return record.sides.enumerated().flatMap { index, side in
      Wrapping.lines(heading(side), width: width)
        + rows.flatMap { row in
          joined(
            Wrapping.lines("  " + row.label, width: labelWidth - 1), labelWidth,
            [laidOut(row.cells[index], of: row, width: width - labelWidth)], width - labelWidth)
        }
    }
  }

  // MARK: Under the columns

  /// Why the outcomes differ, and the lines of code that did it.
  private func cause() -> [String] {
    // The learner of an exercise is to find the cause.
    let isExercise = record.sides.contains { $0.kind == .yours }
    var lines = isExercise ? [] : Wrapping.hanging("Why  ", why, width: width)
    for mark in marks() { lines += self.lines(of: mark) }
    return lines
  }

  private func foot(_ rows: [PageRow]) -> [String] {
    let scenario = record.scenario
    var lines: [String] = []
    let legend = PageLegend(record: record, rows: rows).text
    if !legend.isEmpty { lines += Wrapping.hanging(Self.marksLabel, legend, width: width) }
    if let violation = record.sides.flatMap(\.trials).flatMap(\.violations).first {
      for (index, line) in violation.report.split(separator: "\n").enumerated() {
        lines += Wrapping.hanging(index == 0 ? Self.saidLabel : "     ", String(line), width: width)
      }
    }
    let sources = scenario.sources.map { "“\($0.title)”: \($0.passage)" }.joined(separator: "; ")
    if !sources.isEmpty { lines += Wrapping.hanging("From ", sources, width: width) }
    if let guide = scenario.guide {
      lines += Wrapping.hanging("Read ", "Guide/\(guide)", width: width)
    }
    for (index, next) in scenario.next.enumerated() {
      lines += Wrapping.hanging(
        index == 0 ? "Next " : "     ", "\(next.command)   \(next.meaning)", width: width)
    }
    return lines
  }

  /// What the line begins with that explains the signs of this page.
  static let marksLabel = "Marks "
  /// What the report of the checker begins with.
  static let saidLabel = "Said "

  /// The beginning of the line over the equal rows.
  static let equalLabel = "SAME ON "

  private var equalHeading: String {
    Self.equalLabel + (record.sides.count == 2 ? "BOTH SIDES" : "ALL SIDES")
  }

  /// The cause; with other values than the shipped ones it may have had no effect.
  private var why: String {
    let wrong = record.sides.filter { $0.kind == .wrong }
    let isSeen = wrong.flatMap(\.outcomes).contains { $0.grade != .accepted }
    guard !settings.isEmpty, !wrong.isEmpty, !isSeen else { return record.scenario.why }
    return "Nothing went wrong with these values. With the default values: \(record.scenario.why)"
  }

  private func marks() -> [Mark] {
    var seen: [Mark] = []
    for mark in record.sides.compactMap(\.typicalTrial).flatMap(\.marks) where !seen.contains(mark)
    {
      seen.append(mark)
    }
    return seen
  }

  /// The place and its line of code, and under that what the line does.
  private func lines(of mark: Mark) -> [String] {
    let place = "     \(mark.file):\(mark.line)  "
    let why = "→ \(mark.why)"
    guard let code = mark.code else { return Wrapping.hanging(place, why, width: width) }
    guard place.count + code.count <= width, place.count <= width * 2 / 5 else {
      return [place.trimmingTrailingSpaces]
        + [code, why].flatMap { Wrapping.hanging("       ", $0, width: width) }
    }
    let indent = String(repeating: " ", count: place.count)
    return Wrapping.hanging(place, code, width: width)
      + Wrapping.hanging(indent, why, width: width)
  }
}
