/// A drawing as a picture: lanes side by side, time downwards, so that it fits a telephone as well
/// as a page of paper.
///
/// 1. The head names the lanes; under it stands the version of each row at the beginning.
/// 2. Each step is a band with a box in its lane. A switch is an arrow that enters the band from
///    above, with a mark on it. In the other lanes a line says why they do nothing: dotted where
///    they could run, thick where they wait, none before the beginning and after the end.
/// 3. The store is the last lane, with a box where a version was committed.
struct VectorPicture {
  private let drawing: Drawing
  private let laneWidth: Int
  private let hasStore: Bool
  /// The width of everything.
  let width: Int

  /// The most that a telephone shows without being pushed aside.
  static let narrow = 366
  private static let gutter = 30
  private static let lineHeight = 14
  /// What a character takes at most on average, in a font of 11.5 pixels.
  private static let characterWidth = 6.3
  private static let strip = 24

  init(_ drawing: Drawing) {
    self.drawing = drawing
    hasStore = !drawing.rows.isEmpty
    let lanes = drawing.lanes.count + (hasStore ? 1 : 0)
    laneWidth = max(67, min(130, (Self.narrow - Self.gutter) / max(1, lanes)))
    width = Self.gutter + lanes * laneWidth
  }

  /// The file of its own: the picture with everything that is said beside it.
  var text: String {
    let margin = 12
    let wide = width + 2 * margin
    var y = margin
    var head = ""
    head += paragraph([drawing.title], margin, &y, "title", characterWidth: 8.2)
    head += paragraph([drawing.id] + Drawing.facts, margin, &y, "soft")
    head += paragraph(legend, margin, &y, "soft")
    y += 8
    let (names, picture) = (self.names, grid)
    let top = y
    y += names.height + picture.height + 8
    var foot = paragraph([drawing.outcome], margin, &y, "title", characterWidth: 8.2)
    foot += paragraph(drawing.findings, margin, &y, "")
    foot += paragraph(Explanation(drawing.history).sentences, margin, &y, "")
    foot += paragraph(
      drawing.owners + drawing.leftOutWords, margin, &y, "soft")
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="\(wide)" \
      height="\(y + margin)" viewBox="0 0 \(wide) \(y + margin)" role="img">
      <title>\(Markup.escaped("\(drawing.title) · \(drawing.id)"))</title>
      <style>\(Self.style)</style>
      <rect class="page" width="\(wide)" height="\(y + margin)"/>
      \(head)<g transform="translate(\(margin) \(top))">
      \(names.text)</g>
      <g transform="translate(\(margin) \(top + names.height))">
      \(picture.text)</g>
      \(foot)</svg>

      """
  }

  /// The names of the lanes and the picture under them, without a file around them.
  var embedded: (names: String, picture: String) {
    (embedded(names, "aria-hidden=\"true\""), embedded(grid, "aria-labelledby=\"title\""))
  }

  private func embedded(_ part: (text: String, height: Int), _ attributes: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="\(width)" \
    height="\(part.height)" viewBox="0 0 \(width) \(part.height)" \(attributes)>
    \(part.text)</svg>
    """
  }

  /// What the signs mean, as far as they occur.
  var legend: [String] {
    var words: [String] = []
    if drawing.hasTurn(needed: true) { words.append("● needed switch") }
    if drawing.hasTurn(needed: false) { words.append("○ other switch") }
    return [(words + ["dotted: could run", "thick: waits"]).joined(separator: " · ")]
  }

  private func paragraph(
    _ texts: [String], _ x: Int, _ y: inout Int, _ style: String, characterWidth: Double = 6.3
  ) -> String {
    texts.flatMap { Wrapping.lines($0, width: Int(Double(width) / characterWidth)) }.map { line in
      y += Self.lineHeight + 2
      return "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y - 4)\">\(Markup.escaped(line))</text>\n"
    }.joined()
  }

  // MARK: The grid

  private var grid: (text: String, height: Int) {
    var y = 0
    var text = beginning(&y)
    for index in drawing.columns.indices { text += band(index, &y) }
    return (text, y + 4)
  }

  private func center(_ lane: Int) -> Int {
    Self.gutter + lane * laneWidth + laneWidth / 2
  }

  private var store: Int { drawing.lanes.count }

  private func cut(_ text: String) -> [String] {
    Wrapping.lines(text, width: Int(Double(laneWidth - 12) / Self.characterWidth))
  }

  /// Lines of text around a point.
  private func label(_ lines: [String], _ x: Int, _ middle: Int, _ style: String) -> String {
    let top = middle - (lines.count - 1) * Self.lineHeight / 2 + 4
    return lines.enumerated().map { index, line in
      "<text class=\"\(style)\" x=\"\(x)\" y=\"\(top + index * Self.lineHeight)\" "
        + "text-anchor=\"middle\">\(Markup.escaped(line))</text>\n"
    }.joined()
  }

  /// What the lanes are called.
  private var names: (text: String, height: Int) {
    var heads = drawing.lanes.map { cut($0.label) }
    if hasStore { heads.append(["store"]) }
    let height = heads.map(\.count).max()! * Self.lineHeight + 8
    let text = heads.indices.map { label(heads[$0], center($0), height / 2, "lane") }.joined()
    return (text + "<path class=\"rule\" d=\"M0 \(height)H\(width)\"/>\n", height + 1)
  }

  /// Which versions the rows had before the first step.
  private func beginning(_ y: inout Int) -> String {
    let first = drawing.rows.flatMap { cut("\($0.name) \($0.first)") }
    guard !first.isEmpty else { return "" }
    y = first.count * Self.lineHeight + 8
    return label(first, center(store), y / 2, "version")
  }

  private func band(_ index: Int, _ y: inout Int) -> String {
    let column = drawing.columns[index]
    let deed = cut(column.deed)
    let reasons = column.gaps.indices.map { lane in
      column.gaps[lane].flatMap { begins($0, lane, index) ? cut($0.words) : nil } ?? []
    }
    let numbers =
      column.numbers.count > 4
      ? ["\(column.number)–", "\(column.steps.last! + 1)"] : [column.numbers]
    let versions = drawing.rows.flatMap { row in
      row.commits.filter { $0.column == index }.flatMap { cut("\(row.name) \($0.version)") }
    }
    let lines = ([deed.count, versions.count, numbers.count] + reasons.map(\.count)).max()!
    let top = y
    let body = top + (crosses(column) ? Self.strip : 4)
    let height = lines * Self.lineHeight + 8
    y = body + height + 4
    let middle = body + height / 2
    var text = "<g class=\"step\" data-step=\"\(column.number)\">"
    text += "<title>\(Markup.escaped(column.sentence))</title>\n"
    text += "<rect class=\"row\" y=\"\(top)\" width=\"\(width)\" height=\"\(y - top)\"/>\n"
    text += label(numbers, Self.gutter / 2, middle, "soft")
    for lane in drawing.lanes.indices {
      if let gap = column.gaps[lane] {
        text += self.gap(gap, lane, top, y, reasons[lane], middle)
      }
    }
    text += life(index, top, y, versions, middle)
    text += box(deed, column.lane, body, height, column.deed.hasPrefix("waits") ? "held" : "run")
    text += turn(column, top, body, middle)
    return text + "</g>\n"
  }

  /// Whether a reason is new in a step, so that its words are drawn.
  private func begins(_ gap: Drawing.Gap, _ lane: Int, _ index: Int) -> Bool {
    index == 0 || drawing.columns[index - 1].gaps[lane] != gap
  }

  private func box(
    _ lines: [String], _ lane: Int, _ top: Int, _ height: Int, _ style: String
  ) -> String {
    "<rect class=\"\(style)\" x=\"\(center(lane) - laneWidth / 2 + 2)\" y=\"\(top)\" "
      + "width=\"\(laneWidth - 4)\" height=\"\(height)\" rx=\"4\"/>\n"
      + label(lines, center(lane), top + height / 2, "deed")
  }

  private func gap(
    _ gap: Drawing.Gap, _ lane: Int, _ top: Int, _ bottom: Int, _ words: [String], _ middle: Int
  ) -> String {
    let style: String
    switch gap {
    case .ready: style = "ready"
    case .waits: style = "waits"
    case .nothing: style = "idle"
    case .noChoice, .notBegun, .ended: style = ""
    }
    let x = center(lane)
    guard !words.isEmpty else {
      return style.isEmpty ? "" : "<path class=\"\(style)\" d=\"M\(x) \(top)V\(bottom)\"/>\n"
    }
    return label(words, x, middle, "soft")
  }

  private func life(
    _ index: Int, _ top: Int, _ bottom: Int, _ versions: [String], _ middle: Int
  ) -> String {
    guard hasStore else { return "" }
    let line = "<path class=\"life\" d=\"M\(center(store)) \(top)V\(bottom)\"/>\n"
    guard !versions.isEmpty else { return line }
    let height = versions.count * Self.lineHeight + 8
    return line + box(versions, store, middle - height / 2, height, "new")
  }

  // MARK: Switches

  private func crosses(_ column: Drawing.Column) -> Bool {
    column.turn?.from.map { $0 != column.lane } ?? false
  }

  private func turn(_ column: Drawing.Column, _ top: Int, _ body: Int, _ middle: Int) -> String {
    guard let turn = column.turn else { return "" }
    let style = turn.isNeeded ? "needed" : "other"
    func mark(_ x: Int, _ y: Int) -> String {
      "<circle class=\"mark \(style)\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>\n"
    }
    guard crosses(column), let from = turn.from else {
      return mark(center(column.lane) - laneWidth / 2 + 2, middle)
    }
    let (start, end) = (center(from), center(column.lane))
    let y = top + 9
    let tip = "M\(end - 4) \(body - 6)L\(end) \(body)L\(end + 4) \(body - 6)"
    return
      "<path class=\"turn \(style)\" d=\"M\(start) \(top - 3)V\(y)H\(end)V\(body - 1)\(tip)\"/>\n"
      + mark((start + end) / 2, y)
  }

  // MARK: Colours

  /// Colours for light and dark, and how each sort of thing is drawn.
  static let style = """
    :root{color-scheme:light dark;--page:#fff;--ink:#1b2430;--soft:#566274;--rule:#c8d0da;\
    --run:#dce9fd;--edge:#3a6ec2;--held:#fde8cf;--wait:#a85400;--need:#be1e37;--new:#dcf2e2;\
    --life:#2b7743;--now:#fdf0bd}
    @media (prefers-color-scheme:dark){:root{--page:#12171e;--ink:#e7ecf3;--soft:#a5b1c1;\
    --rule:#3a4656;--run:#1d3558;--edge:#7fb0ff;--held:#4a3214;--wait:#ffb35e;--need:#ff6f84;\
    --new:#17381f;--life:#70d08d;--now:#3b3512}}
    .drawing text{font:11.5px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
    .drawing .title{font-size:14px;font-weight:600}.drawing .lane{font-weight:600}
    .drawing .soft{fill:var(--soft)}.drawing .page{fill:var(--page)}
    .drawing .row{fill:none;pointer-events:all}
    .drawing .rule{stroke:var(--rule)}.drawing path{fill:none}
    .drawing .run{fill:var(--run);stroke:var(--edge)}
    .drawing .held{fill:var(--held);stroke:var(--wait);stroke-dasharray:4 2}
    .drawing .new{fill:var(--new);stroke:var(--life)}.drawing .version{fill:var(--life)}
    .drawing .life{stroke:var(--life);stroke-width:2}
    .drawing .ready{stroke:var(--edge);stroke-width:2;stroke-dasharray:2 4}
    .drawing .waits{stroke:var(--wait);stroke-width:8;stroke-dasharray:3 3}
    .drawing .idle{stroke:var(--rule)}
    .drawing .turn{stroke:var(--soft);stroke-width:1.5}.drawing .turn.needed{stroke:var(--need)}
    .drawing .mark{fill:var(--page);stroke:var(--soft);stroke-width:1.5}
    .drawing .mark.needed{fill:var(--need);stroke:var(--need)}
    """
}

/// Text inside SVG and HTML.
enum Markup {
  /// With everything that would be read as markup written out.
  static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: String(character)
      }
    }.joined()
  }
}
