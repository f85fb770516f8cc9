/// The picture of one controlled run, as every format draws it: lanes with what each did in which
/// step, the reason of every gap, the switches, and the versions of rows.
///
/// 1. Lanes are the main loop, then queues and tasks in order of appearance, then the store.
/// 2. Columns are steps. What everybody does between two points is not drawn: a step is left out
///    if it touches no row, marks nothing and interrupts nobody, and if nobody waits because of it.
/// 3. Where a lane does nothing in a step, the cell says why.
public struct Drawing {
  /// Why a lane did nothing in a step.
  enum Gap: Equatable {
    /// None of its blocks had begun, and none could.
    case notBegun
    /// It could go on, or begin, and somebody else was let run.
    case ready
    /// It waits for the queue of somebody, named by letter.
    case waits(String)
    /// It has nothing to do for now.
    case nothing
    /// It has come to its end.
    case ended

    /// The reason in a few words.
    var words: String {
      switch self {
      case .notBegun: "not begun"
      case .ready: "could go on"
      case .waits(let whom): "waits for \(whom)"
      case .nothing: "nothing to do"
      case .ended: "ended"
      }
    }
  }

  /// A choice that did not go the default way.
  struct Turn: Equatable {
    /// Whether the outcome depends on it.
    var isNeeded: Bool
    /// The lane that was interrupted; nil if nobody was, and only the order was chosen.
    var from: Int?
  }

  /// One step that is drawn.
  struct Column: Equatable {
    /// The step's place in the trace.
    var step: Int
    var lane: Int
    /// What was done, in a few words.
    var deed: String
    /// What was done, in a sentence or two.
    var sentence: String
    var turn: Turn?
    /// For each lane why it did nothing; nil for the one that did something.
    var gaps: [Gap?]
    /// What was marked or observed.
    var notes: [String]

    /// The number the step is known by, from 1.
    var number: Int { step + 1 }
  }

  /// A row of the store, with its versions over time.
  struct Row: Equatable {
    /// Entity and key, `Article 1`.
    var name: String
    /// The version before the first column, in words.
    var first: String
    /// The columns in which a version was committed, with the version in words.
    var commits: [(column: Int, version: String)]

    static func == (one: Row, other: Row) -> Bool {
      one.name == other.name && one.first == other.first
        && one.commits.elementsEqual(other.commits, by: ==)
    }
  }

  /// The schedule's id.
  let id: String
  let title: String
  let history: RunHistory
  private(set) var columns: [Column] = []
  private(set) var rows: [Row] = []
  /// How many rows have no line of their own.
  private(set) var rowsLeftOut = 0

  /// The most rows that get a line of their own.
  private static let rowsMax = 5

  /// Lays out a run; `needed` are the numbers of the choices that the outcome depends on.
  public init(_ trace: Trace, id: String, title: String, needed: Set<Int> = []) {
    self.id = id
    self.title = title
    history = RunHistory(trace)
    let selection = StepSelection(history, needed)
    let gaps = GapFinder(history)
    let words = StepWords(history)
    columns = selection.steps.map { index in
      let step = trace.steps[index]
      let turn = selection.turn(of: index)
      let around = gaps.gaps(at: index)
      return Column(
        step: index, lane: history.lane(ofStep: index), deed: words.deed(of: index),
        sentence: words.sentence(of: index, turn, around), turn: turn, gaps: around,
        notes: step.notes)
    }
    drawRows()
  }

  /// The run.
  var trace: Trace { history.trace }
  /// The lanes but the store, in order.
  var lanes: [RunHistory.Lane] { history.lanes }
  /// How many steps are not drawn.
  var leftOut: Int { trace.steps.count - columns.count }

  /// Rows that were written, or that several lanes read; those that most lanes touched come first.
  private mutating func drawRows() {
    var lanesOf: [String: Set<Int>] = [:]
    var names: [String] = []
    for access in (history.reads + history.commits).sorted(by: { $0.step < $1.step })
    where access.thing.hasPrefix("row ") {
      if lanesOf[access.thing] == nil { names.append(access.thing) }
      lanesOf[access.thing, default: []].insert(access.lane)
    }
    names = names.filter { name in
      lanesOf[name]!.count > 1 || history.commits.contains { $0.thing == name }
    }
    rowsLeftOut = max(0, names.count - Self.rowsMax)
    let busiest = names.indices.sorted {
      (-lanesOf[names[$0]]!.count, $0) < (-lanesOf[names[$1]]!.count, $1)
    }
    rows = busiest.prefix(Self.rowsMax).sorted().map { row(names[$0]) }
  }

  private func row(_ thing: String) -> Row {
    let commits = history.commits.filter { $0.thing == thing }
    let first = history.versionAtFirst(of: thing)
    return Row(
      name: String(thing.dropFirst(4)),
      first: first.map { "v\($0)" } ?? (commits.first?.version == 1 ? "none" : "?"),
      commits: commits.compactMap { commit in
        columns.firstIndex { $0.step == commit.step }.map { column in
          (column, commit.version.map { "v\($0)" } ?? "deleted")
        }
      })
  }
}

/// What a drawing can be printed as.
public enum DrawingFormat: String, CaseIterable, Sendable {
  /// Characters, for a terminal.
  case text
  /// A sequence diagram in Mermaid's language.
  case mermaid
  /// A picture that stands alone.
  case svg
  /// One page that can be stepped through.
  case html
  /// Events for Perfetto and chrome://tracing.
  case chromeTrace = "chrome-trace"
}

extension Drawing {
  /// The drawing in a format; the style is asked for text only.
  public func rendered(as format: DrawingFormat, style: PageStyle = PageStyle()) -> String {
    switch format {
    case .text: TextPicture(self, style).text
    case .mermaid: MermaidDiagram(self).text
    case .svg: VectorPicture(self).text
    case .html: SteppingPage(self).text
    case .chromeTrace: ChromeTrace(self).text
    }
  }
}
