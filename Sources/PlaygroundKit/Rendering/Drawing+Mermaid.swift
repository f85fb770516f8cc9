/// A drawing as a sequence diagram in Mermaid's language, which GitHub draws.
///
/// Reads are arrows from the store, writes arrows to it, everything else a note over its lane.
struct MermaidDiagram {
  private let drawing: Drawing

  init(_ drawing: Drawing) { self.drawing = drawing }

  /// The diagram without a fence around it, ending with a line break.
  var text: String {
    var lines = ["sequenceDiagram", "  title " + Self.escaped("\(drawing.title) · \(drawing.id)")]
    for lane in drawing.lanes.indices {
      lines.append("  participant \(name(lane)) as \(Self.escaped(drawing.lanes[lane].label))")
    }
    lines.append("  participant \(Self.store) as store")
    lines.append(note(overAll: Drawing.facts + versions))
    for (index, column) in drawing.columns.enumerated() {
      lines += self.lines(column, after: index > 0 ? drawing.columns[index - 1] : nil)
    }
    lines.append(note(overAll: [drawing.outcome] + drawing.findings))
    lines.append(note(overAll: drawing.owners + drawing.leftOutWords))
    return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private static let store = "S"
  private static let noteWidth = 48

  private func name(_ lane: Int) -> String { "L\(lane)" }

  private var versions: [String] {
    drawing.rows.isEmpty
      ? [] : ["store: " + drawing.rows.map { "\($0.name) \($0.first)" }.joined(separator: ", ")]
  }

  private func lines(_ column: Drawing.Column, after last: Drawing.Column?) -> [String] {
    let lane = name(column.lane)
    let step = drawing.trace.steps[column.step]
    let words = Self.escaped("\(column.numbers) · \(column.deed)")
    var lines: [String] = []
    if let turn = column.turn {
      lines.append("  Note over \(over(turn.from, column.lane)): " + said(turn))
    }
    // A gap is told where it begins; the switch tells which lane is interrupted.
    for (other, gap) in column.gaps.enumerated() where gap == .ended && last?.gaps[other] != gap {
      if last != nil { lines.append("  Note over \(name(other)): ended") }
    }
    if case .waits(let queue) = step.stop, let holder = drawing.lane(ofQueue: queue) {
      lines.append("  \(lane)-x\(name(holder)): \(words)")
    } else if step.touches.contains(where: { $0.isRow && $0.isWrite })
      || !drawing.history.commits(of: column.step).isEmpty
    {
      lines.append("  \(lane)->>\(Self.store): \(words)")
    } else if step.touches.contains(where: { $0.isRow || $0.isTable }) {
      lines.append("  \(Self.store)-->>\(lane): \(words)")
    } else {
      lines.append("  Note over \(lane): \(words)")
    }
    let decided = step.decided.map(StepWords(drawing.history).told)
    if !(column.notes + decided).isEmpty {
      lines.append("  Note over \(lane): " + Self.wrapped(column.notes + decided))
    }
    return lines
  }

  private func said(_ turn: Drawing.Turn) -> String {
    let kind = turn.isNeeded ? "\(turn.mark) needed" : "\(turn.mark) not needed"
    let what =
      turn.from.map { "\(drawing.lanes[$0].word) is interrupted" } ?? "the next thread is chosen"
    return Self.escaped(kind) + "<br/>" + Self.escaped(what)
  }

  private func over(_ from: Int?, _ to: Int) -> String {
    guard let from, from != to else { return name(to) }
    return "\(name(min(from, to))),\(name(max(from, to)))"
  }

  private func note(overAll texts: [String]) -> String {
    texts.isEmpty ? "" : "  Note over \(name(0)),\(Self.store): " + Self.wrapped(texts)
  }

  private static func wrapped(_ texts: [String]) -> String {
    texts.flatMap { Wrapping.lines($0, width: noteWidth) }.map(escaped).joined(separator: "<br/>")
  }

  /// What would begin something else in a diagram is written by its number.
  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "#": "#35;"
      case ";": "#59;"
      case "<": "#lt;"
      case ">": "#gt;"
      case "%": "#37;"
      default: String(character)
      }
    }.joined()
  }
}
