import CSQLiteRaw
import Foundation

/// The tables: on the screen, and as a page of the guide.
struct Report {
  let runs: Int
  let rows: Int
  var measurements: [Workload: [Side: [Measurement]]] = [:]
  var accesses: [[Double]] = []
  var growth: Growth?
  var profiles: [(workload: Workload, profile: Profile)] = []

  private struct Line {
    var cells: [String]
    var isHeld: Bool?
  }

  private static let peers: [Side] = [.graph, .best, .codable, .fast, .engine]

  /// What the screen shows.
  var text: String {
    var parts = ["\(rows) rows; medians of \(runs) interleaved runs; ratios to raw"]
    if !measurements.isEmpty {
      parts += ["clock", aligned(lines(\.wall, hasTarget: true))]
      parts += ["processor time", aligned(lines(\.processor, hasTarget: false))]
      parts += more
    }
    if !profiles.isEmpty { parts += ["where the engine's time goes", aligned(profileLines)] }
    if !accesses.isEmpty { parts += ["nanoseconds per call", aligned(accessLines)] }
    if growth != nil { parts += ["growth, nanoseconds per row", aligned(growthLines)] }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// What the guide shows.
  var page: String {
    var parts = [
      "# Performance",
      "`swift run -c release benchmarks --write` in `Tests/Benchmarks` writes this page; nothing "
        + "here is typed by hand. Absolute times mean nothing on another machine. Ratios can be "
        + "compared within one run.",
      machine,
      "Each run of each side is a process of its own, and the sides take turns. `raw` is a loop "
        + "of bare SQLite calls that turns rows into values; `raw.graph` turns them into objects "
        + "in an identity map. `raw.best` uses every trick that pays, without objects: it shows "
        + "what is possible and is not a design to copy. GRDB is used as people usually write it "
        + "(`codable`) and in its quickest idiom (`fast`). All figures are medians of \(runs) "
        + "runs over \(rows) rows. The columns after `raw ns` are ratios to `raw`. The spread is "
        + "half the range between the quartiles of the engine's runs.",
      "## By the clock", table(lines(\.wall, hasTarget: true)),
      "## By processor time", table(lines(\.processor, hasTarget: false)),
      "## More", more.map { "- " + $0 }.joined(separator: "\n"),
    ]
    if !profiles.isEmpty {
      parts += [
        "## Where the engine's time goes",
        "The table covers the workloads that missed their target or in which GRDB is quicker than "
          + "the engine. It shows the shares of the samples that `perf` took in \(runs) runs, by "
          + "the function that was running. `system` is the kernel, mostly handing out memory. "
          + "`memory` is malloc and free. `libraries` are Swift's and Foundation's. `the loop` is "
          + "the benchmark's own loop.",
        table(profileLines),
      ]
    }
    if !accesses.isEmpty {
      parts += [
        "## Single calls, in nanoseconds",
        "The floors are the times that Swift, Foundation and Dispatch need on their own: to make "
          + "the text that a get returns, to box and unbox the number that `value(forKey:)` "
          + "returns, to go to another thread and back, and to enter a queue or a lock.",
        table(accessLines),
      ]
    }
    if growth != nil {
      parts += [
        "## Growth, in nanoseconds per row",
        "This table shows the engine over growing numbers of rows, beside bare SQLite, whose "
          + "times grow too.",
        table(growthLines),
      ]
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var machine: String {
    let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let name = info.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    let version = String(cString: sqlite3_libversion())
    return "Machine: \(name ?? "unknown processor"), "
      + "\(ProcessInfo.processInfo.activeProcessorCount) cores; SQLite \(version)."
  }

  /// A line for each workload, the head first.
  private func lines(_ figure: KeyPath<Measurement, Double>, hasTarget: Bool) -> [Line] {
    var head = ["", "work, per row unless stated", "raw ns"] + Self.peers.map(\.title)
    if hasTarget { head += ["target", "", "spread"] }
    var lines = [Line(cells: head)]
    for workload in Workload.allCases {
      guard let sides = measurements[workload], let raw = sides[.raw] else { continue }
      let floor = median(raw.map { $0[keyPath: figure] })
      let perUnit = floor / Double(workload.units(rows: rows))
      var cells = [workload.rawValue, workload.title, number(perUnit, 0)]
      var engine = 0.0
      for peer in Self.peers {
        let ratio = median((sides[peer] ?? []).map { $0[keyPath: figure] }) / floor
        if peer == .engine { engine = ratio }
        cells.append(number(ratio, 2))
      }
      var line = Line(cells: cells)
      if hasTarget {
        let target = workload.target
        line.isHeld = target.map { engine <= $0 }
        line.cells += [
          target.map { "≤ " + number($0, 2) } ?? "",
          line.isHeld.map { $0 ? "met" : "missed" } ?? "",
          "±" + number(spread((sides[.engine] ?? []).map { $0[keyPath: figure] }) * 100, 0) + " %",
        ]
      }
      if Set(sides.values.joined().map(\.checksum)).count != 1 {
        line.cells[1] += " (the sides disagree: no figure)"
      }
      lines.append(line)
    }
    return lines
  }

  /// The workloads whose target the engine missed, or that GRDB's quickest idiom does more quickly.
  var slowWorkloads: [Workload] {
    Workload.allCases.filter { workload in
      guard let sides = measurements[workload] else { return false }
      func wall(_ side: Side) -> Double { median((sides[side] ?? []).map(\.wall)) }
      return wall(.engine) > wall(.fast)
        || workload.target.map { wall(.engine) > $0 * wall(.raw) } ?? false
    }
  }

  private var profileLines: [Line] {
    [Line(cells: ["", "samples"] + Profile.parts)]
      + profiles.map { workload, profile in
        Line(
          cells: [workload.rawValue, "\(profile.sampleCount)"]
            + profile.shares.map { number($0 * 100, 0) + " %" })
      }
  }

  /// Figures that are no ratio of times.
  private var more: [String] {
    var result: [String] = []
    if let sides = measurements[.fetch] {
      let grown = Side.allCases.map { side -> String in
        let bytes = median((sides[side] ?? []).map(\.growth))
        return "\(side.title) \(number(bytes / 1e6, 0)) MB (\(number(bytes / Double(rows), 0)))"
      }
      result.append("Memory growth of W3 (bytes per row): " + grown.joined(separator: ", ") + ".")
    }
    if let one = measurements[.queryOne], let two = measurements[.queryTwo] {
      let gains = Side.allCases.map { side -> String in
        let single = perSecond(one[side] ?? [], .queryOne)
        let double = perSecond(two[side] ?? [], .queryTwo)
        return "\(side.title) \(number(double, 0)) (\(number(double / single, 2)))"
      }
      result.append(
        "W8, queries per second of two readers beside a writer (as a multiple of one reader's): "
          + gains.joined(separator: ", ") + ".")
    }
    for workload in [Workload.queryTwo, .save, .saveFully] {
      guard let sides = measurements[workload] else { continue }
      let longest = Side.allCases.map { side in
        "\(side.title) \(number(median((sides[side] ?? []).map(\.commitMax)) / 1e6, 2)) ms"
      }
      result.append(
        "\(workload.rawValue), the longest save of a run: " + longest.joined(separator: ", ") + ".")
    }
    return result
  }

  private func perSecond(_ runs: [Measurement], _ workload: Workload) -> Double {
    Double(workload.units(rows: rows)) / (median(runs.map(\.wall)) / 1e9)
  }

  private var accessLines: [Line] {
    [Line(cells: ["call", "ns", "target", "", "spread"])]
      + Access.figures.enumerated().map { index, figure in
        let values = accesses.map { $0[index] }
        let isHeld = figure.target.map { median(values) <= $0 }
        return Line(
          cells: [
            figure.name, number(median(values), 1),
            figure.target.map { "≤ " + number($0, 0) } ?? "",
            isHeld.map { $0 ? "met" : "missed" } ?? "",
            "±" + number(spread(values) * 100, 0) + " %",
          ], isHeld: isHeld)
      }
  }

  private var growthLines: [Line] {
    let head = Growth.counts.map { "\($0) rows" } + ["last to first", "target", ""]
    return [Line(cells: ["", "work", "side"] + head)]
      + (growth?.lines ?? []).map { line in
        let figures = line.figures.map { median($0) }
        let ratio = (figures.last ?? .nan) / (figures.first ?? .nan)
        let isHeld = line.side == .engine ? ratio <= Growth.target : nil
        return Line(
          cells: [line.workload.rawValue, line.workload.title, line.side.title]
            + figures.map { number($0, 0) }
            + [
              number(ratio, 2), isHeld == nil ? "" : "≤ " + number(Growth.target, 2),
              isHeld.map { $0 ? "met" : "missed" } ?? "",
            ],
          isHeld: isHeld)
      }
  }

  private func aligned(_ lines: [Line]) -> String {
    let widths = (lines.first?.cells ?? []).indices.map { column in
      lines.map { $0.cells[column].count }.max() ?? 0
    }
    return lines.map { line in
      zip(line.cells, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < 2 ? cell.0 + space : space + cell.0
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private func table(_ lines: [Line]) -> String {
    guard let head = lines.first else { return "" }
    let rule = "|" + head.cells.map { _ in "---|" }.joined()
    let rows = lines.map { "| " + $0.cells.joined(separator: " | ") + " |" }
    return ([rows[0], rule] + rows.dropFirst()).joined(separator: "\n")
  }

  private func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

  private func spread(_ values: [Double]) -> Double {
    (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)
  }

  /// The value below which the given part lies, between two values by proportion.
  private func quantile(_ values: [Double], _ part: Double) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    let place = part * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }

  private func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}
