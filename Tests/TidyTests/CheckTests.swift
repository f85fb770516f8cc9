import XCTest

/// Shows each check a small bad input, and the good one next to it.
final class CheckTests: XCTestCase {
  func testAClockOutsideTheDoorIsNamedWithItsReplacement() {
    let bad = TextFile(path: "Sources/Faultline/Store/A.swift", text: "let a = Date()\n")
    XCTAssertEqual(
      BannedCallCheck.complaints(aboutEngine: bad).map(\.description),
      ["Sources/Faultline/Store/A.swift:1: Date: use Scheduling.date"])
    let door = TextFile(path: "Sources/Faultline/Scheduling/A.swift", text: bad.text)
    XCTAssertEqual(BannedCallCheck.complaints(aboutEngine: door), [])
  }

  func testEveryKindOfBannedCallIsSeen() {
    let calls = [
      "import Dispatch", "DispatchQueue.main.async { }", "DispatchSemaphore(value: 0)", "NSLock()",
      "Mutex(0)", "pthread_mutex_lock(&a)", "Thread.current", "Thread { }.start()", "Date.now",
      "ContinuousClock().now", "UUID()", "Int.random(in: 0..<3)", "a.shuffled()", "Task { }",
      "Task.detached { }", "Timer(timeInterval: 1)", "usleep(1)",
    ]
    for call in calls where call != "Thread { }.start()" {
      let file = TextFile(path: "Sources/Faultline/Store/A.swift", text: call)
      XCTAssertEqual(BannedCallCheck.complaints(aboutEngine: file).count, 1, call)
    }
  }

  func testWordsInCommentsStringsAndTypesAreNotCalls() {
    let text = """
      // Date() and NSLock()
      let a = "Task { }", b: Date? = nil, c = Scheduling.random(), d: Thread? = nil
      let e = Date(timeIntervalSince1970: 0), f = Thread.callStackSymbols
      """
    let file = TextFile(path: "Sources/Faultline/Store/A.swift", text: text)
    XCTAssertEqual(BannedCallCheck.complaints(aboutEngine: file), [])
  }

  func testSleepingInATestIsSeen() {
    let file = TextFile(path: "Tests/A.swift", text: "Thread.sleep(forTimeInterval: 1)")
    XCTAssertEqual(
      BannedCallCheck.complaints(aboutSleepIn: file).map(\.description),
      [
        "Tests/A.swift:1: sleep: wait for the thing itself: an expectation, a queue, a gate"
      ])
  }

  func testAFolderThatNamesATypeFromItsLeftIsSeen() {
    let store = TextFile(
      path: "Sources/Faultline/Store/SQLiteStore.swift",
      text: "class SQLiteStore { let s = Snapshot() }")
    let objects = TextFile(
      path: "Sources/Faultline/Objects/Snapshot.swift",
      text: "struct Snapshot { }\nfunc f(_ a: SQLiteStore) { }")
    XCTAssertEqual(
      ArrowCheck.complaints(about: [store, objects]).map(\.description),
      [
        "Sources/Faultline/Objects/Snapshot.swift:2: Objects may not use SQLiteStore, which Store "
          + "declares: declare a small protocol in Objects, or move the member to an extension in "
          + "Store"
      ])
  }

  func testAnExtensionInTheLeftFolderMayAddMembersToTheRightFoldersType() {
    let objects = TextFile(
      path: "Sources/Faultline/Objects/Row.swift", text: "class Row { }\nextension Row { }")
    let context = TextFile(
      path: "Sources/Faultline/Context/Row+Context.swift",
      text: "class Context { }\nextension Row { var context: Context? { nil } }")
    XCTAssertEqual(ArrowCheck.complaints(about: [objects, context]), [])
  }

  func testAnEngineFileOutsideTheFoldersIsSeen() {
    let file = TextFile(path: "Sources/Faultline/Helpers/A.swift", text: "")
    XCTAssertEqual(ArrowCheck.complaints(about: [file]).count, 1)
  }

  func testARuleWithoutARowAndARowWithoutASpecAreSeen() {
    let specs = TextFile(
      path: "S.swift",
      text: "func testA1_B50_something() {\n@Test(\"A2: else\")\n@Test(\n  \"A7, A8: both\")\n")
    let table = TextFile(
      path: "rules.md",
      text: """
        | id | rule |
        |---|---|
        | A1 | one |
        | A2 | two |
        | A2 | again |
        | A3 | three |
        | A7 | seven |
        ## Rules without a spec
        | A8 | it cannot |
        | A9 | it cannot either |
        """)
    XCTAssertEqual(
      RuleCheck.complaints(specs: [specs], table: table).map(\.description),
      [
        "S.swift:1: B50 has no row in rules.md: add one",
        "rules.md:5: A2 has two rows",
        "rules.md:6: A3 has a row and no spec: write the spec",
        "rules.md:9: A8 has a spec and a row that says it has none: move the row to its section",
      ])
  }

  func testAScenarioWithoutReadmeOrCatalogueEntryIsSeen() {
    let manifest = TextFile(path: "Package.swift", text: "(\"08-on-main\", \"OnMain.swift\"),")
    let catalogue = TextFile(path: "Catalogue.swift", text: "[Other.self]")
    let paths: Set = ["Scenarios/08-on-main/OnMain.swift", "Scenarios/09-more"]
    XCTAssertEqual(
      ScenarioTableCheck.complaints(manifest: manifest, catalogue: catalogue, paths: paths)
        .map(\.text),
      [
        "the table names 08-on-main, and Scenarios/08-on-main/README.md is missing",
        "the table names 08-on-main, and Catalogue.swift does not list OnMain.self",
        "Scenarios/09-more is not in the table: add a row",
      ])
  }

  func testALeftoverIsSeenOutsideExercisesOnly() {
    let text = "let a = 1  // TODO: b\nlet c = \"TODO d\"\n"
    XCTAssertEqual(
      LeftoverCheck.complaints(about: TextFile(path: "A.swift", text: text)).map(\.description),
      ["A.swift:1: TODO: do it now, or open an issue"])
    let exercise = TextFile(path: "Scenarios/08-x/Exercise/A.swift", text: text)
    XCTAssertEqual(LeftoverCheck.complaints(about: exercise), [])
  }

  func testALinkToNowhereIsSeen() {
    let page = TextFile(
      path: "Guide/a.md",
      text: """
        # One two
        [ok](../README.md) [ok](#one-two) [ok](https://example.org) [ok](b.md#08)
        [bad](c.md) [bad](#three) [bad](b.md#09)
        ```
        [code](d.md)
        ```
        """)
    let found = LinkCheck.complaints(
      about: page, paths: ["Guide/a.md", "Guide/b.md", "README.md"]
    ) { _ in "<a id=\"08\"></a>" }
    XCTAssertEqual(
      found.map(\.description),
      [
        "Guide/a.md:3: c.md: there is no Guide/c.md",
        "Guide/a.md:3: #three: Guide/a.md has no anchor #three",
        "Guide/a.md:3: b.md#09: Guide/b.md has no anchor #09",
      ])
  }

  func testAClaimWithoutAVerdictOrWithNothingThatShowsItIsSeen() {
    let ledger = TextFile(
      path: "l.md",
      text: """
        | verdict | means |
        ## A document
        ### Whole
        | claim | verdict | shown by |
        |---|---|---|
        | ok | true: so | [01](a.md#01), B1 |
        | ok | not testable here: no device | |
        | bad | not testable here | |
        | bad | maybe | B1 |
        | bad | false | |
        | bad | true | B2 |
        ### Empty
        ## Another
        """)
    XCTAssertEqual(
      LedgerCheck.complaints(about: ledger, rules: ["B1"]).map(\.description),
      [
        "l.md:8: “not testable here” needs a reason.",
        "l.md:9: “maybe” is no verdict.",
        "l.md:10: nothing shows this claim. Link the scenario or name the rule.",
        "l.md:11: “B2” is neither a link nor a rule.",
        "l.md:12: the section “Empty” has no claim. Add its rows.",
      ])
  }

  func testADeclarationWithoutAnAbstractIsSeen() {
    let file = TextFile(
      path: "A.swift",
      text: """
        /// Said.
        @MainActor
        public struct A {
          let covered = 0
          var coveredToo: Int

          let bare = 1
          /// Said.
          let b = 1
          private let c = 2
          static func d() { let e = 3 }
          override var f: Int { 4 }
          init() {}
          public init(a: Int) {}
        }
        extension A { /* said */ }
        enum G { case h }
        """)
    XCTAssertEqual(
      AbstractCheck.complaints(about: [file]).map(\.description),
      ["7: let bare", "11: func d", "14: init (", "17: enum G"].map {
        "A.swift:\($0) has no abstract: say in one sentence what it is for, or make it private"
      })
  }

  func testAnOptionOfTheCommandLineIsSaidByItsHelp() {
    let file = TextFile(
      path: "A.swift",
      text: """
        import ArgumentParser
        /// Said.
        struct C: ParsableCommand {

          @Option(help: "Said.")
          var a = 1

          @Option(name: .long)
          var b = 1

          func run() {}
        }
        """)
    XCTAssertEqual(AbstractCheck.complaints(about: [file]).map(\.line), [8])
  }

  func testWhatAProtocolPromisedIsSaidThere() {
    let file = TextFile(
      path: "A.swift",
      text: """
        /// Said.
        protocol P {
          /// Said.
          func q()
          func r()
        }
        /// Said.
        struct S: P {

          func q() {}
        }
        """)
    XCTAssertEqual(AbstractCheck.complaints(about: [file]).map(\.line), [5])
  }
}
