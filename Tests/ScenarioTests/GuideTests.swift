import Foundation
import Scenarios
import Synchronization
import Testing

@testable import PlaygroundKit

/// The guide is held against sources and runs; here it is held against small guides that are wrong.
@Suite final class GuideTests {
  private let root = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("faultline-guide-tests-\(UUID().uuidString)")

  init() throws {
    try write("Guide/01.md", "")
    try write(
      "Scenarios/38-x/X.swift", "a\n  // anchor: loop\n  for x in y {\n    z\n  }\n  // end: loop\n"
    )
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  private func write(_ path: String, _ text: String) throws {
    let url = root.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  private func read(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// A guide whose runs are real runs of scenario 38.
  private var guide: GuideCheck {
    get throws {
      let executable = try ScenarioRun.executable()
      let style = PageStyle(width: 100, ascii: false, colour: false)
      return GuideCheck(
        root: root,
        run: { run in
          var options = Runner.Options()
          options.repeats = 1
          options.parameters = run.parameters
          let record = try Runner(version: "test")
            .run(
              RunnableScenario(TheLostTail.self, executable: executable), options)
          return (record, Page(record, style).text)
        },
        print: { command in
          var options = Explorer.Options()
          options.bound = Int(command.words.last ?? "")
          let exploration = try Explorer(version: "test")
            .explore(
              RunnableScenario(ChildSaveNotOnDisk.self, executable: executable), options)
          return ExplorePage(exploration, style).text
        })
    }
  }

  private func drifts(_ page: String) throws -> [String] {
    try write("Guide/01.md", page)
    return try guide.check().map(\.description)
  }

  private static let page = """
    # A chapter
    <!-- code 38-x/X.swift loop -->
    ```swift
    ```
    <!-- end -->
    It stores <!-- figure 38 wrong "import of 100" exactly -->0<!-- end --> of 100.
    <!-- page run 38 -->
    ```text
    ```
    <!-- end -->

    """

  @Test func aPageThatOneRunSpoiledIsSeenAgainAndOneThatEveryRunSpoilsHasDrifted() throws {
    let executable = try ScenarioRun.executable()
    let style = PageStyle(width: 100, ascii: false, colour: false)
    let runsMade = Mutex(0)
    func guide(spoiled: ClosedRange<Int>) -> GuideCheck {
      runsMade.withLock { $0 = 0 }
      return GuideCheck(
        root: root,
        run: { run in
          var options = Runner.Options()
          options.repeats = 1
          let record = try Runner(version: "test")
            .run(
              RunnableScenario(TheLostTail.self, executable: executable), options)
          let page = Page(record, style).text
          let made = runsMade.withLock { made in
            made += 1
            return made
          }
          return (record, spoiled.contains(made) ? page + "The machine was busy.\n" : page)
        },
        print: { _ in "" })
    }
    let page = "# A chapter\n<!-- page run 38 -->\n```text\n```\n<!-- end -->\n"
    try write("Guide/01.md", page)
    _ = try guide(spoiled: 9...9).bless()
    #expect(try guide(spoiled: 1...2).check() == [])
    #expect(runsMade.withLock { $0 } == 3)
    #expect(try guide(spoiled: 1...9).check().count == 1)
    #expect(runsMade.withLock { $0 } == 5)
  }

  @Test func aBlessedGuideHasNoDriftAndIsNotChangedAgain() throws {
    try write("Guide/01.md", Self.page)
    #expect(try guide.check().count == 3)
    #expect(try guide.bless() == ["Guide/01.md"])
    #expect(try guide.check() == [])
    let text = try read("Guide/01.md")
    #expect(text.contains("```swift\nfor x in y {\n  z\n}\n```\n"), "\(text)")
    #expect(text.contains("-->1<!-- end --> of 100."), "\(text)")
    #expect(text.contains("$ faultline run 38\n38  The lost tail"), "\(text)")
  }

  @Test func changedCodeAChangedCountAndAChangedLabelAreEachADrift() throws {
    try write("Guide/01.md", Self.page)
    _ = try guide.bless()
    let good = try read("Guide/01.md")
    for (old, new, line) in [
      ("  z\n", "  w\n", 2), ("-->1<!--", "-->2<!--", 9), ("901 of 1,000", "900 of 1,000", 10),
      ("rows lost", "rows gone", 10), ("TAIL LOST", "TAIL KEPT", 10), ("296", "297", 10),
    ] {
      #expect(good.contains(old), "\(old)")
      let bad = try drifts(good.replacingOccurrences(of: old, with: new))
      #expect(bad.count == 1, "\(old) to \(new): \(bad)")
      #expect(bad.first?.hasPrefix("Guide/01.md:\(line):") ?? false, "\(bad)")
    }
  }

  @Test func timesMayDifferAndCodeThatIsNotCutFromAScenarioMayNot() throws {
    try write("Guide/01.md", Self.page)
    _ = try guide.bless()
    let good = try read("Guide/01.md")
    let slower = good.replacing(#/total +[0-9.,]+ ms/#, with: "total 40 ms")
    #expect(slower != good)
    #expect(try drifts(slower) == [])
    #expect(
      try drifts("```swift\nlet a = 1\n```\n") == [
        "Guide/01.md:1: this code is not cut from a scenario"
      ])
  }

  @Test func aPageOfEveryOrderIsHeldToEveryFigureButItsTime() throws {
    try write("Guide/01.md", "<!-- page explore 31 --bound 1 -->\n<!-- end -->\n")
    _ = try guide.bless()
    let good = try read("Guide/01.md")
    #expect(good.contains("```text\n$ faultline explore 31 --bound 1\n31  A child's"), "\(good)")
    let slower = good.replacing(
      #/Time  .* measured/#, with: "Time  9.0 s · 1 schedules/s, measured")
    #expect(slower != good)
    #expect(try drifts(slower) == [])
    for (old, new) in [("refuted", "proved"), ("100.0", "99.0"), ("\nNote", "\nNot")] {
      #expect(good.contains(old), "\(old)")
      let bad = try drifts(good.replacingOccurrences(of: old, with: new))
      #expect(bad.count == 1, "\(old) to \(new): \(bad)")
    }
    #expect(
      try drifts("<!-- page check 31 -->\n") == [
        "Guide/01.md:1: cannot read <!-- page check 31 -->"
      ])
  }

  @Test func whatCannotBeReadIsSaidWithItsLine() throws {
    #expect(try drifts("\n<!-- page run -->\n") == ["Guide/01.md:2: cannot read <!-- page run -->"])
    #expect(
      try drifts("<!-- page run 38 -->\n") == [
        "Guide/01.md:1: <!-- page run 38 --> has no <!-- end -->"
      ])
    #expect(try drifts("a <!-- figure 38 wrong \"x\" about -->1<!-- end -->").count == 1)
    #expect(
      try drifts("<!-- code 38-x/X.swift gone -->\n<!-- end -->\n") == [
        "Guide/01.md:1: Scenarios/38-x/X.swift has no passage gone"
      ])
    #expect(
      try drifts("<!-- figure 38 wrong \"no such\" exactly -->1<!-- end -->") == [
        "Guide/01.md:1: the side wrong of run 38 has no figure \"no such\""
      ])
  }

  @Test func aFigureThatOneRunSpoiledIsSeenAgainBeforeItCounts() throws {
    let options = Runner.Options()
    let first = try Runner(version: "test")
      .run(
        RunnableScenario(TheLostTail.self, executable: try ScenarioRun.executable()), options)
    let total = try #require(first.sides[0].summaries.firstIndex { $0.name == Metric.total })
    let side = first.sides[0].name

    /// How many runs were made, and what drifted, where each run takes so many seconds.
    func check(_ claim: String, seconds: [Int]) throws -> (runs: Int, drifts: Int) {
      try write("Guide/01.md", "It takes <!-- figure 38 \(side) \(claim)<!-- end -->.\n")
      nonisolated(unsafe) var runs = 0
      let guide = GuideCheck(
        root: root,
        run: { _ in
          var record = first
          let seconds = seconds[min(runs, seconds.count - 1)]
          runs += 1
          record.sides[0].summaries[total].median = .number(seconds * 1_000_000_000)
          return (record, "")
        }, print: { _ in "" })
      let drifts = try guide.check()
      return (runs, drifts.count)
    }
    #expect(try check("\"total\" within 2x -->1 s", seconds: [9, 9, 1]) == (3, 0))
    #expect(try check("\"total\" within 2x -->1 s", seconds: [9]) == (5, 1))
  }

  @Test func insideOtherFencesNothingIsLookedFor() throws {
    #expect(try drifts("```text\n<!-- page run -->\n<!-- figure -->\n```\n") == [])
  }

  @Test func aDocumentReadAndWrittenIsTheSame() throws {
    for page in [
      Self.page, "a\n\nb", "", "\n",
      "<!-- page explore 27 --bound 1 -->\n<!-- end -->\n",
      "x <!-- figure 8 a=1 wrong \"n\" within 2.5x -->1<!-- end --> y\n",
    ] {
      #expect(try GuideDocument(page).text == page)
    }
  }

  @Test func tolerancesAllowWhatTheySay() {
    let within = GuideDocument.Tolerance.within(4)
    #expect(within.allows(written: 10, fresh: 40))
    #expect(within.allows(written: 10, fresh: 2.5))
    #expect(!within.allows(written: 10, fresh: 41))
    #expect(!GuideDocument.Tolerance.exactly.allows(written: 10, fresh: 11))
    #expect(GuideDocument.Tolerance.atLeast(2).allows(written: 14, fresh: 90))
    #expect(!GuideDocument.Tolerance.atLeast(2).allows(written: 14, fresh: 1))
    #expect(!GuideDocument.Tolerance.atMost(1).allows(written: 2, fresh: 0))
  }

  @Test func figuresAreWrittenAndReadBack() {
    #expect(FigureText.write(.number(100_001), .count) == "100,001")
    #expect(FigureText.write(.number(237_400_000), .nanoseconds) == "237 ms")
    #expect(FigureText.write(.number(1_864_000_000), .nanoseconds) == "1.9 s")
    #expect(FigureText.write(.number(85_000_000), .bytes) == "85 MB")
    #expect(FigureText.read("100,001") == 100_001)
    #expect(FigureText.read("1.9 s") == 1.9e9)
    #expect(FigureText.read("nothing") == nil)
  }

  @Test func pagesAreComparedByStructure() {
    let rule = String(repeating: "─", count: 20)
    func page(_ rows: String) -> String { "title\n\(rule)\n\(rows)\n\(rule)\nWhy\n" }
    let comparison = PageComparison()
    func agree(_ a: String, _ b: String) -> Bool {
      comparison.difference(written: page(a), fresh: page(b)) == nil
    }
    #expect(agree("total  1.2 s (1.1–1.3)", "total  400 ms (399–502)  +3.1 %"))
    #expect(!agree("total  1 ms", "total  31 ms"))
    #expect(agree("total  1 µs", "total  900 µs"))
    #expect(!agree("statements / commits  10 / 1", "statements / commits  11 / 1"))
    #expect(agree("rows  3   3  same", "rows   3\n                      3"))
    #expect(agree("frames dropped  14 of 30 ✗  0 of 30 ✓", "frames dropped  2 of 9 ✗  3 of 9 ✗"))
    #expect(!agree("frames dropped  14 of 30 ✗", "frames dropped  0 of 9 ✓"))
    #expect(agree("longest stall  3 ms ✓  2 ms ✓", "longest stall  27 ms ✗  9 ms ✓"))
    #expect(!agree("longest stall  27 ms ✗", "longest stall  20 ms ✓"))
    #expect(!agree("rows  3 ✓", "rows  3 ✗"), "a count")
    #expect(agree("outcome  STALL  SMOOTH", "outcome  STALL  SMOOTH 4 of 5 HICCUP 1 of 5"))
    #expect(!agree("outcome  STALL  SMOOTH", "outcome  SMOOTH  SMOOTH"))
    let ending = "ending".padding(toLength: 30, withPad: " ", startingAt: 0)
    let last = "in the file at its last"
    #expect(!agree("\(ending)SIGILL", "\(ending)SIGSEGV"))
    #expect(
      agree(
        "rows  3  4  +1\n\nSAME ON BOTH SIDES\ntotal  9 ms  8 ms",
        "total  9 ms  8 ms\nrows  3  4"), "whichever row is among the equal ones")
    #expect(!agree("rows  3\ntotal  9 ms", "total  9 ms"))
    #expect(agree("working (S: a commit)  SS  SS▓▓", "working (S: a commit)  S  SS▓▓·  S"))
    #expect(agree("working (S: a  SS\ncommit)", "working (S: a  S·\ncommit)"), "a broken label")
    let broken = "\(last)  268 (0–300) ✗\n  call"
    for (a, b) in [(broken, "\(last)  270 ✗\n  call"), ("\(last)  9 ✗\n  call", broken)] {
      #expect(agree(a, b), "a count that one of the pages says varies, under a broken label")
    }
    #expect(agree("\(last)  in none (4 of 5)\n  call", "\(last)  in all\n  call"), "or a word")
    #expect(!agree(broken, "\(last)  270 ✓\n  call"))
    #expect(!agree(broken, "in the file when  270 (0–300) ✗\n  then"), "another label")
    #expect(!agree("\(last)  9\n  call", "\(last)  8\n  call"))
    #expect(!agree("\(last)  9 ms (1–9)\n  call", "\(last)  300 ms (1–999)\n  call"), "a time")
    let (old, new) = ("Why\n\(rule)\nrows  3\n\(rule)\n", "Marks ✗ wrong in\n      one run\nRead x")
    #expect(
      comparison.difference(written: page(old + "Read x"), fresh: page(old + new)) == nil,
      "the line that explains the signs")
    #expect(comparison.difference(written: page(old + "Read y"), fresh: page(old + new)) != nil)
  }

  @Test func looselyOnlyWordsAreCompared() {
    let rule = String(repeating: "─", count: 20)
    func page(_ rows: String) -> String { "title\n\(rule)\n\(rows)\n\(rule)\nWhy\n" }
    func row(_ label: String) -> String {
      label.padding(toLength: 30, withPad: " ", startingAt: 0)
    }
    let loose = PageComparison(isLoose: true)
    func agree(_ a: String, _ b: String) -> Bool {
      loose.difference(written: page(a), fresh: page(b)) == nil
    }
    // One run in five came to its end, and none the next time.
    #expect(agree("lines  whole  whole", "lines  –  whole"))
    #expect(!agree("lines  half  whole", "lines  whole  whole"))
    #expect(!agree("lines  –  half", "lines  –  whole"))
    let (lines, last) = (row("lines"), "in the file at its last")
    #expect(agree("\(lines)–  whole", "\(lines)half (1 of 5)  whole"))
    #expect(agree("\(last)  whole (3 of 5)\n call", "\(last)  half\n call"))
    #expect(agree("\(last)  whole\n call", "\(last)  whole (4 of 5)\n call"))
    #expect(agree("\(row("conflicts"))3  0\n\(lines)3", "\(lines)3"), "no run met a conflict")
    // How a run crashed is a matter of chance where the outcome is,
    let (ending, rows) = (row("ending"), row("rows"))
    #expect(agree("\(ending)SIGILL\n\(rows)3", "\(ending)SIGSEGV\n\(rows)3"))
    #expect(agree("\(ending)SIGILL\n\(rows)3", "\(rows)3"))
    // and what the checker said is not on a page whose run crashed before.
    let said = page(rows) + "Said a violation\n     at a line\nRead x"
    #expect(loose.difference(written: said, fresh: page(rows) + "Read x") == nil)
    #expect(PageComparison().difference(written: said, fresh: page(rows) + "Read x") != nil)
  }
}
