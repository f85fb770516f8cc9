import Foundation

/// A drawing as events for Perfetto and chrome://tracing.
///
/// Two processes show the same run: one on the virtual clocks, of which each thread has its own,
/// and one in the order in which the steps were run, all equally long, which is where the arrows of
/// the switches can be followed. A thread is a lane or a row of the store.
struct ChromeTrace {
  /// One event of the format; fields that a kind of event does not have are left out.
  private struct Event: Encodable {
    var name: String
    var ph: String
    var pid: Int
    var tid: Int
    var cat: String?
    var ts: Double?
    var dur: Double?
    var id: Int?
    var bp: String?
    var args: [String: String]?
  }

  private enum Clock: Int, CaseIterable {
    case virtual = 1
    case order

    var name: String {
      switch self {
      case .virtual: "virtual time, each thread by its own clock"
      case .order: "the order of the steps, all drawn equally long"
      }
    }
  }

  /// How long a step is drawn where only the order counts, in microseconds.
  private static let stepMicroseconds = 10.0

  private let drawing: Drawing

  init(_ drawing: Drawing) { self.drawing = drawing }

  /// The whole file, an event on each line.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func json(_ value: some Encodable) -> String {
      String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self).visibleInJSON
    }
    let events = Clock.allCases.flatMap { names($0) + steps($0) } + versions()
    let about = [
      "id": drawing.id, "title": drawing.title, "outcome": drawing.outcome,
      "time": "virtual: charged by cost table v\(CostTable.version), not measured",
      "steps": "everything inside one step is atomic",
    ]
    return """
      {"displayTimeUnit":"ns","otherData":\(json(about)),"traceEvents":[
      \(events.map(json).joined(separator: ",\n"))
      ]}

      """
  }

  private func thread(_ lane: Int) -> Int { lane + 1 }
  private func thread(ofRow row: Int) -> Int { drawing.history.lanes.count + row + 1 }

  private func names(_ clock: Clock) -> [Event] {
    func event(_ kind: String, _ tid: Int, _ name: String) -> Event {
      Event(name: kind, ph: "M", pid: clock.rawValue, tid: tid, args: ["name": name])
    }
    let lanes = drawing.history.lanes.enumerated().map {
      event("thread_name", thread($0), $1.label)
    }
    let rows =
      clock == .order
      ? drawing.rows.indices.map {
        event("thread_name", thread(ofRow: $0), "store \(drawing.rows[$0].name)")
      } : []
    return [event("process_name", 0, clock.name)] + lanes + rows
  }

  private func span(_ index: Int, _ clock: Clock) -> (start: Double, length: Double) {
    let step = drawing.trace.steps[index]
    switch clock {
    case .virtual: return (Double(step.start) / 1_000, Double(step.end - step.start) / 1_000)
    case .order: return (Double(index) * Self.stepMicroseconds, Self.stepMicroseconds)
    }
  }

  /// Every step, drawn elsewhere or not, and the arrows of the switches.
  private func steps(_ clock: Clock) -> [Event] {
    let words = StepWords(drawing.history)
    let turns = Dictionary(
      uniqueKeysWithValues: drawing.columns.compactMap { column in
        column.turn.map { turn in
          let from = turn.from.map { drawing.lanes[$0] }
          return (
            column.step,
            Drawing.Turn(
              isNeeded: turn.isNeeded,
              from: from.flatMap { drawing.history.lanes.firstIndex(of: $0) })
          )
        }
      })
    return drawing.trace.steps.indices.flatMap { index -> [Event] in
      let step = drawing.trace.steps[index]
      let tid = thread(drawing.history.lane(ofStep: index))
      let (start, length) = span(index, clock)
      let slice = Event(
        name: words.deed(of: index), ph: "X", pid: clock.rawValue, tid: tid, cat: step.point,
        ts: start, dur: length,
        args: [
          "step": "\(index + 1)", "what": words.sentence(of: [index], turns[index], []),
        ])
      guard let turn = turns[index], index > 0 else { return [slice] }
      // An arrow cannot point back in time, which steps of threads with their own clocks may do.
      let before = span(index - 1, clock).start
      guard turn.from != nil, before <= start else { return [slice] }
      let name = turn.isNeeded ? "needed switch" : "switch"
      let from = thread(drawing.history.lane(ofStep: index - 1))
      return [
        Event(
          name: name, ph: "s", pid: clock.rawValue, tid: from, cat: "switch", ts: before,
          id: clock.rawValue * 100_000 + index),
        slice,
        Event(
          name: name, ph: "f", pid: clock.rawValue, tid: tid, cat: "switch", ts: start,
          id: clock.rawValue * 100_000 + index, bp: "e"),
      ]
    }
  }

  /// How long each version of a row was the one in the store.
  private func versions() -> [Event] {
    let end = Double(drawing.trace.steps.count) * Self.stepMicroseconds
    return drawing.rows.indices.flatMap { row -> [Event] in
      let commits = drawing.rows[row].commits.map { commit in
        (
          at: Double(drawing.columns[commit.column].step) * Self.stepMicroseconds, commit.version
        )
      }
      let lives = [(at: 0, drawing.rows[row].first)] + commits
      return lives.indices.compactMap { index in
        let next = index + 1 < lives.count ? lives[index + 1].at : end
        guard lives[index].1 != "none", next > lives[index].at else { return nil }
        return Event(
          name: lives[index].1, ph: "X", pid: Clock.order.rawValue, tid: thread(ofRow: row),
          cat: "store", ts: lives[index].at, dur: next - lives[index].at)
      }
    }
  }
}
