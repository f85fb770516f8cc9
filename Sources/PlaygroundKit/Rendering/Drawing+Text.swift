/// A drawing in characters, in as many bands as its width asks for.
///
/// 1. Steps are put into bands, as many as fit.
/// 2. In a band each lane is one line: deeds in their columns, gaps as runs with their reason.
/// 3. Between two lanes a line with the bends of the switches that cross from one to the other.
/// 4. Under the lanes the rows of the store, a new version where it was committed.
struct TextPicture {
  private let drawing: Drawing
  private let style: PageStyle
  private let labelWidth: Int

  /// The room before the first column, for the bend of a switch.
  private static let lead = 4
  private static let deedMax = 22
  /// What stands before the name of a row.
  fileprivate static let store = "store "

  init(_ drawing: Drawing, _ style: PageStyle) {
    self.drawing = drawing
    self.style = style
    let names = drawing.lanes.map(\.label) + drawing.rows.map { Self.store + $0.name }
    labelWidth = min(20, names.map(\.count).max()!)
  }

  /// The whole page, ending with a line break.
  var text: String {
    var lines = head()
    for band in bands() {
      lines.append("")
      lines += Band(drawing, band, widths(band), labelWidth, Self.lead).lines
    }
    lines.append("")
    lines += foot()
    lines = lines.map { line in
      var line = Substring(line)
      while line.last == " " { line.removeLast() }
      return String(line)
    }
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    if style.colour { lines = lines.map(PageStyle.painted) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func head() -> [String] {
    var legend: [String] = []
    if drawing.hasTurn(needed: true) { legend.append("● needed switch") }
    if drawing.hasTurn(needed: false) { legend.append("○ other switch") }
    legend += ["▓ runs", "· could run", "▒ waits", "no sign: could not run"]
    return Wrapping.justified(drawing.title, drawing.id, width: style.width)
      + Wrapping.hanging("    ", Drawing.facts.joined(separator: " · "), width: style.width)
      + Wrapping.hanging("    ", legend.joined(separator: "   "), width: style.width)
  }

  private func foot() -> [String] {
    func listed(_ heading: String, _ texts: [String]) -> [String] {
      texts.enumerated().flatMap { index, text in
        Wrapping.hanging(index == 0 ? heading : "       ", text, width: style.width)
      }
    }
    let notes = drawing.columns.flatMap { column in
      let words = StepWords(drawing.history)
      let decided = column.steps.flatMap { drawing.trace.steps[$0].decided }.map(words.told)
      return (column.notes + decided).map { "step \(column.numbers): \($0)" }
    }
    return listed("Notes  ", notes) + listed("Lines  ", drawing.lineWords)
      + listed("Owner  ", drawing.owners)
      + listed("Left   ", drawing.leftOutWords)
      + listed("Ends   ", [drawing.outcome] + drawing.findings)
      + listed("Why    ", Explanation(drawing.history).sentences)
  }

  // MARK: Bands

  private func width(_ column: Int) -> Int {
    min(
      Self.deedMax,
      max(drawing.columns[column].deed.count + 2, drawing.columns[column].numbers.count + 1, 6))
  }

  /// The last one has room for the versions that end there, as far as the page has it.
  private func widths(_ band: Range<Int>) -> [Int] {
    var widths = band.map(width)
    let free = style.width - labelWidth - Self.lead - widths.reduce(0, +)
    guard let last = widths.popLast() else { return widths }
    let wishes = drawing.rows.map { row in
      let commit = row.commits.last { $0.column < band.upperBound }
      let before = widths.dropFirst(max(0, (commit?.column ?? 0) - band.lowerBound)).reduce(0, +)
      return (commit?.version ?? row.first).count + 3 - before
    }
    return widths + [max(last, min(wishes.max() ?? 0, last + free))]
  }

  private func bands() -> [Range<Int>] {
    var bands: [Range<Int>] = []
    var start = 0
    var used = labelWidth + Self.lead
    for column in drawing.columns.indices {
      if used + width(column) > style.width, column > start {
        bands.append(start..<column)
        start = column
        used = labelWidth + Self.lead
      }
      used += width(column)
    }
    return bands + [start..<drawing.columns.count]
  }
}

/// Some columns of a drawing that stand side by side.
private struct Band {
  private let drawing: Drawing
  private let columns: Range<Int>
  private let labelWidth: Int
  /// Where each column begins, and after them where the band ends.
  private let starts: [Int]

  init(
    _ drawing: Drawing, _ columns: Range<Int>, _ widths: [Int], _ labelWidth: Int, _ lead: Int
  ) {
    self.drawing = drawing
    self.columns = columns
    self.labelWidth = labelWidth
    starts = widths.reduce(into: [labelWidth + lead]) { $0.append($0.last! + $1) }
  }

  var lines: [String] {
    var lines = [steps()]
    for lane in drawing.lanes.indices {
      lines.append(self.lane(lane))
      if lane + 1 < drawing.lanes.count, let bends = bends(below: lane) { lines.append(bends) }
    }
    return lines + drawing.rows.indices.map(store)
  }

  private func steps() -> String {
    var line = Strip("step", labelWidth, starts.last!)
    for column in columns { line.put(drawing.columns[column].numbers, at: start(column)) }
    return line.text
  }

  private func start(_ column: Int) -> Int { starts[column - columns.lowerBound] }
  private func end(_ column: Int) -> Int { starts[column - columns.lowerBound + 1] }

  /// The switch to this column that crosses from one lane to another.
  private func crossing(_ column: Int) -> (turn: Drawing.Turn, from: Int, to: Int)? {
    guard let turn = drawing.columns[column].turn, let from = turn.from,
      from != drawing.columns[column].lane
    else { return nil }
    return (turn, from, drawing.columns[column].lane)
  }

  private func lane(_ lane: Int) -> String {
    var line = Strip(drawing.lanes[lane].label, labelWidth, starts.last!)
    var column = columns.lowerBound
    while column < columns.upperBound {
      guard let gap = drawing.columns[column].gaps[lane] else {
        putDeed(column, in: &line)
        column += 1
        continue
      }
      let first = column
      column += 1
      while column < columns.upperBound, drawing.columns[column].gaps[lane] == gap,
        !isCrossed(lane, at: column)
      { column += 1 }
      line.put(
        Self.run(gap, end(column - 1) - start(first) - 1), at: start(first))
    }
    for column in columns where isCrossed(lane, at: column) { line.put("│", at: start(column) - 1) }
    return line.text
  }

  private func putDeed(_ column: Int, in line: inout Strip) {
    let drawn = drawing.columns[column]
    let deed = drawn.deed.hasPrefix("waits") ? "▒" + drawn.deed : "▓" + drawn.deed
    line.put(Wrapping.padded(deed, end(column) - start(column) - 1), at: start(column))
    // A switch that does not cross from lane to lane has no bend to carry its mark.
    if let turn = drawn.turn, crossing(column) == nil {
      line.put(turn.mark, at: start(column) - 1)
    }
  }

  /// True where a switch passes through a lane that it does not concern.
  private func isCrossed(_ lane: Int, at column: Int) -> Bool {
    guard let (_, from, to) = crossing(column) else { return false }
    return lane > min(from, to) && lane < max(from, to)
  }

  /// The reason where there is room for it, and a sign up to the end.
  private static func run(_ gap: Drawing.Gap, _ width: Int) -> String {
    let sign: Character
    let short: String
    switch gap {
    case .ready: (sign, short) = ("·", "")
    case .waits(let whom): (sign, short) = ("▒", whom)
    case .noChoice, .notBegun, .nothing, .ended: (sign, short) = (" ", "")
    }
    var text = gap.words
    if text.count + 2 > width { text = short }
    if text.count + 2 > width { return String(repeating: sign, count: width) }
    if text.isEmpty { return String(repeating: sign, count: width) }
    if sign == " " { return Wrapping.padded(text, width) }
    return "\(sign)\(text) " + String(repeating: sign, count: max(0, width - text.count - 2))
  }

  /// The bends between a lane and the one below it; nil if no switch crosses there.
  private func bends(below lane: Int) -> String? {
    var line = Strip("", labelWidth, starts.last!)
    var hasBend = false
    for column in columns {
      guard let (turn, from, to) = crossing(column) else { continue }
      guard lane >= min(from, to), lane < max(from, to) else { continue }
      hasBend = true
      let x = start(column) - 1
      let isDown = from < to
      guard lane == (isDown ? from : from - 1) else {
        line.put("│", at: x)
        continue
      }
      let before = column > columns.lowerBound ? start(column - 1) + 1 : x - 3
      let length = x - before
      let middle = String(repeating: "─", count: (length - 2) / 2) + turn.mark
      line.put(
        (isDown ? "└" : "┌") + middle
          + String(repeating: "─", count: length - 2 - (length - 2) / 2) + (isDown ? "┐" : "┘"),
        at: before)
    }
    return hasBend ? line.text : nil
  }

  /// One row of the store: its version at the left edge, and each new one where it was committed.
  private func store(_ index: Int) -> String {
    let row = drawing.rows[index]
    var line = Strip(TextPicture.store + row.name, labelWidth, starts.last!)
    var version = row.commits.last { $0.column < columns.lowerBound }?.version ?? row.first
    var from = start(columns.lowerBound)
    for commit in row.commits where columns.contains(commit.column) {
      if start(commit.column) > from {
        line.put(Self.life(version, start(commit.column) - from), at: from)
      }
      (version, from) = (commit.version, start(commit.column))
    }
    line.put(Self.life(version, starts.last! - from - 1), at: from)
    return line.text
  }

  private static func life(_ version: String, _ width: Int) -> String {
    let version = version.count < width ? version : shortened(version, max(1, width - 1))
    return version + " " + String(repeating: "─", count: max(0, width - version.count - 2)) + " "
  }
}

extension Band {
  /// A version in the room until the next one, `v2 articleCo…=1`: the value is never cut.
  fileprivate static func shortened(_ version: String, _ width: Int) -> String {
    guard let equals = version.firstIndex(of: "="),
      let space = version[..<equals].lastIndex(of: " ")
    else { return Wrapping.padded(version, width) }
    let (head, value) = (version[...space], version[equals...])
    let room = width - head.count - value.count
    guard room > 0 else { return Wrapping.padded(version, width) }
    return head + version[version.index(after: space)..<equals].prefix(room - 1) + "…" + value
  }
}

/// A line into which words are put at their columns.
private struct Strip {
  private var characters: [Character]

  init(_ label: String, _ labelWidth: Int, _ width: Int) {
    characters = Array(Wrapping.padded(label, labelWidth))
    characters += [Character](repeating: " ", count: max(0, width - labelWidth))
  }

  mutating func put(_ text: String, at column: Int) {
    for (offset, character) in text.enumerated() where column + offset < characters.count {
      characters[column + offset] = character
    }
  }

  var text: String { String(characters) }
}

extension Drawing.Turn {
  /// Filled where the outcome depends on the choice.
  var mark: String { isNeeded ? "●" : "○" }
}
