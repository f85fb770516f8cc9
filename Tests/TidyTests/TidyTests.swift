import XCTest

/// The house rules that a machine can see, held against the whole repository.
///
/// Each check in a file of its own has tests, which show it a small bad input.
final class TidyTests: XCTestCase {
  private static let swift = ["Sources", "Scenarios", "Tests"]

  private func expectTidy(
    _ complaints: [Complaint], file: StaticString = #filePath, line: UInt = #line
  ) {
    let list = complaints.map(\.description).joined(separator: "\n")
    XCTAssertTrue(complaints.isEmpty, "\n\(list)\n", file: file, line: line)
  }

  private func swiftFiles(_ folders: [String] = swift) -> [TextFile] {
    let files = Repository.files(in: folders, endingWith: ".swift")
    XCTAssertGreaterThan(files.count, 3, "found hardly any file in \(folders)")
    return files
  }

  func testNoLineIsLongerThan100Columns() {
    // The formatter does not break comments.
    expectTidy(
      swiftFiles().flatMap { file in
        file.lines.enumerated().filter { $0.element.count > 100 }.map {
          Complaint(path: file.path, line: $0.offset + 1, text: "Break the line.")
        }
      })
  }

  func testTheEngineUsesOneDoorToQueuesLocksThreadsClocksAndChance() {
    expectTidy(
      swiftFiles(["Sources/Faultline"]).flatMap(BannedCallCheck.complaints(aboutEngine:)))
  }

  func testNoTestAndNoScenarioSleepsToBeLucky() {
    expectTidy(
      // A wrong repair of an exercise may be a sleep, and sleeps are explored too.
      swiftFiles(["Tests", "Scenarios"]).filter {
        !$0.path.contains("/NearMisses/") && !$0.path.hasSuffix("/OutsideProbe.swift")
          // A line that takes long to write is a sleep in virtual time.
          && !$0.path.hasSuffix("07-perform-returns-first/Exercise/Lines.swift")
      }
      .flatMap(BannedCallCheck.complaints(aboutSleepIn:)))
  }

  func testTheEnginesFoldersUseEachOtherInOneDirection() {
    expectTidy(ArrowCheck.complaints(about: swiftFiles(["Sources/Faultline"])))
  }

  func testEveryRuleHasARowAndASpec() throws {
    let table = try XCTUnwrap(Repository.file("Guide/reference/rules.md"), "the table is missing")
    XCTAssertFalse(RuleCheck.rows(in: table).isEmpty, "the table has no row")
    let specs = swiftFiles(["Tests/BehaviorSpecs", "Tests/CompileFail", "Tests/FaultlineTests"])
    expectTidy(RuleCheck.complaints(specs: specs, table: table))
  }

  func testEveryScenarioHasItsFolderItsReadmeAndItsCatalogueEntry() throws {
    let manifest = try XCTUnwrap(Repository.file("Package.swift"))
    XCTAssertFalse(ScenarioTableCheck.table(in: manifest).isEmpty, "the table was not found")
    let catalogue = try XCTUnwrap(Repository.file("Scenarios/Shared/Catalogue.swift"))
    expectTidy(
      ScenarioTableCheck.complaints(
        manifest: manifest, catalogue: catalogue, paths: Set(Repository.paths)))
  }

  func testNothingIsLeftForLater() {
    let prose = Repository.files(in: [""], endingWith: ".md")
    expectTidy((swiftFiles() + prose).flatMap(LeftoverCheck.complaints))
  }

  func testEveryLinkLeadsSomewhere() {
    let pages = Repository.files(in: [""], endingWith: ".md")
    XCTAssertFalse(pages.isEmpty)
    expectTidy(
      pages.flatMap { page in
        LinkCheck.complaints(about: page, paths: Set(Repository.paths)) {
          Repository.file($0)?.text
        }
      })
  }

  func testEveryClaimOfTheSourcesHasAVerdictAndSomethingThatShowsIt() throws {
    let ledger = try XCTUnwrap(Repository.file("Guide/reference/sources.md"))
    let table = try XCTUnwrap(Repository.file("Guide/reference/rules.md"))
    expectTidy(
      LedgerCheck.complaints(about: ledger, rules: Set(RuleCheck.rows(in: table).map(\.id))))
  }

  func testEveryDeclarationSaysWhatItIsFor() {
    expectTidy(AbstractCheck.complaints(about: swiftFiles(["Sources", "Scenarios"])))
  }

  func testContinuousIntegrationRunsTheReadmesTestCommand() throws {
    let ci = try XCTUnwrap(Repository.file(".ci/run")?.text)
    let readme = try XCTUnwrap(Repository.file("README.md")?.text)
    XCTAssertTrue(ci.contains("\nswift test\n"), ".ci/run does not run `swift test`")
    XCTAssertTrue(readme.contains("\nswift test\n"), "README.md does not say `swift test`")
  }
}
