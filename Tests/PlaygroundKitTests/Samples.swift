import Foundation

@testable import PlaygroundKit

/// Records made by hand, so that tests of pages and tables depend on no machine.
enum Samples {
  /// Two sides like those of scenario 8, three repeats each.
  static func twoSides() -> RunRecord {
    record(
      title: "performAndWait from the main thread",
      sides: [
        (
          .wrong("bg.performAndWait on main") { _ in },
          [237, 231, 252].map { stalled(milliseconds: $0, dropped: 14) }
        ),
        (
          .right("bg.perform, then back to main") { _ in },
          [239, 233, 251].map { stalled(milliseconds: $0, dropped: 0) }
        ),
      ])
  }

  /// As many named columns as asked for, with words that are longer than a narrow cell.
  static func columns(_ count: Int) -> RunRecord {
    record(
      title: "Policies side by side, with a heading that goes on for rather longer than it should",
      sides: (1...count).map { number in
        let trial = Trial.sample(
          outcome: "POLICY \(number)",
          metrics: [
            Metric(
              "the second saver was told", number == 1 ? "133020, 1 conflict" : "nothing at all"),
            Metric("aVeryLongPropertyNameWithoutAnySpaceInIt", number * 1_000_000, section: "row"),
            Metric(Metric.total, 2_000_000 + number * 400_000, .nanoseconds),
          ])
        return (.column("policy-\(number)", "policy number \(number)") { _ in }, [trial])
      })
  }

  /// One side that crashed in some repeats, and whose checker reported something.
  static func crashes() -> RunRecord {
    var crashed = Trial.sample(outcome: "CRASHED", metrics: [])
    crashed.grade = nil
    crashed.ending = Ending(.crashed, "SIGSEGV: main.swift:7: Fatal error: out of range")
    var reported = Trial.sample(outcome: "STALE", metrics: [Metric(Metric.total, 9, .nanoseconds)])
    reported.violations = [
      ViolationRecord(
        operation: "get name", object: "Article <x-coredata://1/Article/p1>",
        context: "viewContext", ownerQueue: "the main queue", callerQueue: "\"bg\"",
        callerThread: "thread 1", location: "readTheObjects", fix: "pass objectID",
        report: "CoreData: concurrency violation: get name outside its context's queue.\n  fix  …")
    ]
    return record(
      title: "Reading someone else's object",
      sides: [(.wrong("article.name elsewhere") { _ in }, [crashed, reported, reported])])
  }

  private static func stalled(milliseconds: Int, dropped: Int) -> Trial {
    Trial.sample(
      outcome: dropped > 1 ? "STALL" : "SMOOTH",
      metrics: [
        Metric(
          Metric.framesDropped, dropped, of: 15, good: dropped <= 1, section: Metric.mainLoop),
        Metric(
          Metric.longestStall, dropped * 16_666_667 + 400_000, .nanoseconds, good: dropped <= 1,
          section: Metric.mainLoop),
        Metric(Metric.statements, 10_001, section: Metric.engine),
        Metric(Metric.commits, 1, section: Metric.engine),
        Metric(Metric.queueWait, 0, .nanoseconds, section: Metric.engine),
        Metric(Metric.faultsFired, 0, section: Metric.engine),
        Metric(Metric.peakLiveObjects, 10_000, section: Metric.memory),
        Metric(Metric.peakMemory, 41_000_000, .bytes, section: Metric.memory),
        Metric("rows stored", 10_000, of: 10_000),
        Metric(Metric.total, milliseconds * 1_000_000, .nanoseconds),
      ],
      series: [
        Series(
          name: Metric.mainLoop, kind: .frames, stepNanoseconds: 16_666_667,
          samples: (0..<15).map { $0 > 0 && $0 <= dropped ? 1 : 0 }),
        Series(
          name: Metric.work, kind: .activity, stepNanoseconds: 16_666_667,
          samples: (0..<15).map { $0 == 13 ? 2 : $0 == 0 ? 0 : 1 }),
        Series(
          name: Metric.liveObjects, kind: .curve, stepNanoseconds: 16_666_667,
          samples: (0..<15).map { Double($0) * 700 }),
      ])
  }

  private static func record(title: String, sides: [(Side, [Trial])]) -> RunRecord {
    RunRecord(
      tool: "0.1.0",
      machine: Machine(system: "Linux 6.1", architecture: "x86_64", cores: 2, build: "release"),
      way: "real threads, SQLite file",
      scenario: ScenarioRecord(
        number: 8, slug: "perform-and-wait-on-main", title: title, part: .blocking,
        claim: "performAndWait makes its caller wait.", question: "Who waits?",
        why: "The caller waits for the block. The work is as long on both sides; only who waits"
          + " differs, and that is all there is to it.",
        given: "10,000 inserts, one save", guide: "02-blocking.md#08",
        sources: [Source("Threading and Concurrency", "performAndWait; pitfalls")],
        panels: Panel.allCases,
        next: [Next("faultline start 8", "the exercise: at most one dropped frame")],
        outcomes: [
          Outcome("STALL", .forbidden, "the main loop stood still"),
          Outcome("SMOOTH", .accepted, "the main loop kept turning"),
        ]),
      parameters: [ParameterRecord(name: "rows", value: 10_000, meaning: "rows in one save")],
      seed: 1, repeats: sides.first?.1.count ?? 0,
      sides: SideRecord.columns(sides.map { ($0.0.description, $0.0.checker, $0.1) }))
  }
}

extension Trial {
  /// A repeat that finished; its grade follows from the name of its outcome.
  static func sample(outcome: String, metrics: [Metric], series: [Series] = []) -> Trial {
    Trial(
      number: 1, seed: 1, outcome: outcome, grade: outcome == "SMOOTH" ? .accepted : .forbidden,
      ending: Ending(.finished), metrics: metrics, series: series,
      marks: [
        Mark(pointingAt: 31, of: "/nowhere/PerformAndWaitOnMain.swift", why: "main waits here")
      ], violations: [], stderr: [])
  }
}
