/// The picture of one controlled run, as every format draws it: lanes with what each did in which
/// step, the reason of every gap, the switches, and the versions of rows.
///
/// 1. Lanes are the main loop, then queues and tasks in order of appearance, then the store.
/// 2. Columns are steps. Routine steps are left out: a step is drawn only if it touches a row,
///    marks something, interrupts a thread, or if a thread waits because of it.
/// 3. Steps of one sort that one party makes in a row are one column.
/// 4. Where a lane does nothing in a step, the cell says why. A lane that does nothing in any step
///    that is drawn is left out, the main loop excepted.
public struct Drawing {
  /// Why a lane did nothing in a step.
  enum Gap: Equatable {
    /// None of its blocks had begun, and none could.
    case notBegun
    /// It could run, and another was chosen.
    case ready
    /// It was interrupted, and the step offered no choice: a transaction is not interrupted.
    case noChoice
    /// It waits for the queue of the named lane.
    case waits(String)
    /// It has nothing to do for now.
    case nothing
    /// It has ended.
    case ended

    /// The reason in a few words.
    var words: String {
      switch self {
      case .notBegun: "not started"
      case .ready: "could run"
      case .noChoice: "no choice"
      case .waits(let lane): "waits for \(lane)"
      case .nothing: "nothing to do"
      case .ended: "ended"
      }
    }
  }

  /// A choice that did not go the default way.
  struct Turn: Equatable {
    /// Whether the outcome depends on it.
    var isNeeded: Bool
    /// The lane that was interrupted; nil if none was, and only the next thread was chosen.
    var from: Int?
  }

  /// One step that is drawn, or several of one sort that follow each other.
  struct Column: Equatable {
    /// The steps' places in the trace.
    var steps: [Int]
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

    /// The first step's place in the trace.
    var step: Int { steps[0] }
    /// The number the first step is known by, from 1.
    var number: Int { step + 1 }
    /// The numbers of all its steps, `6–9`.
    var numbers: String { steps.count > 1 ? "\(number)–\(steps.last! + 1)" : "\(number)" }
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
  /// The lanes but the store, in order.
  private(set) var lanes: [RunHistory.Lane] = []
  private(set) var columns: [Column] = []
  private(set) var rows: [Row] = []
  /// The column that a reader looks at first: the first needed turn, else the first conflict, the
  /// first write, the first wait, or the first column.
  var firstColumn: Int {
    columns.firstIndex { $0.turn?.isNeeded == true }
      ?? columns.firstIndex { column in
        column.steps.contains { !history.conflicts(of: $0).isEmpty }
      }
      ?? columns.firstIndex { column in
        column.steps.contains { !history.commits(of: $0).isEmpty }
      }
      ?? columns.firstIndex { $0.deed.hasPrefix("waits") } ?? 0
  }

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
    let groups = selection.groups(gaps)
    let turns = groups.map { selection.turn(of: $0[0]) }
    let present = Set(groups.map { history.lane(ofStep: $0[0]) } + turns.compactMap { $0?.from })
    let shown = history.lanes.indices.filter { $0 == 0 || present.contains($0) }
    lanes = shown.map { history.lanes[$0] }
    columns = zip(groups, turns).map { steps, turn in
      let around = gaps.gaps(at: steps[0])
      let others = shown.compactMap { lane in around[lane].map { (lane, $0) } }
      return Column(
        steps: steps, lane: shown.firstIndex(of: history.lane(ofStep: steps[0]))!,
        deed: words.deed(of: steps), sentence: words.sentence(of: steps, turn, others),
        turn: turn.map { turn in
          Turn(isNeeded: turn.isNeeded, from: turn.from.flatMap { shown.firstIndex(of: $0) })
        },
        gaps: shown.map { around[$0] }, notes: trace.steps[steps[0]].notes)
    }
    drawRows()
  }

  /// The run.
  var trace: Trace { history.trace }
  /// How many steps are not drawn.
  var leftOut: Int { trace.steps.count - columns.reduce(0) { $0 + $1.steps.count } }

  /// The drawn lane of a queue's blocks, if there is one.
  func lane(ofQueue label: String) -> Int? {
    history.lane(ofQueue: label).flatMap { lanes.firstIndex(of: history.lanes[$0]) }
  }

  /// Rows that were written, or that several lanes read; those that most lanes touched come first.
  private mutating func drawRows() {
    var lanesOf: [String: Set<Int>] = [:]
    var names: [String] = []
    for access in (history.reads + history.commits).sorted(by: { $0.step < $1.step })
    where access.thing.hasPrefix("row ") {
      if lanesOf[access.thing] == nil { names.append(access.thing) }
      lanesOf[access.thing, default: []].insert(access.lane)
    }
    let committed = Set(history.commits.map(\.thing))
    names = names.filter { lanesOf[$0]!.count > 1 || committed.contains($0) }
    rowsLeftOut = max(0, names.count - Self.rowsMax)
    let busiest = names.indices.sorted {
      (-lanesOf[names[$0]]!.count, $0) < (-lanesOf[names[$1]]!.count, $1)
    }
    rows = busiest.prefix(Self.rowsMax).sorted().map { row(names[$0]) }
  }

  private func row(_ thing: String) -> Row {
    let commits = history.commits.filter { $0.thing == thing }
    let first = history.versionAtFirst(of: thing)
    var values = history.readAtFirst(of: thing)?.values ?? []
    var row = Row(
      name: String(thing.dropFirst(4)),
      first: first.map { version($0, thing, values) }
        ?? (commits.first?.version == 1 ? "none" : "?"),
      commits: [])
    for commit in commits {
      if !commit.keepsValues { values = commit.values }
      guard let column = columns.firstIndex(where: { $0.steps.contains(commit.step) }) else {
        continue
      }
      row.commits.append((column, commit.version.map { version($0, thing, values) } ?? "deleted"))
    }
    return row
  }

  /// A version with the first of the values that matter: `v2 views=6`.
  private func version(_ version: Int, _ thing: String, _ values: [Trace.Value]) -> String {
    RowVersion.short(version) + (history.cell(thing, values).map { " " + $0 } ?? "")
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
