import Testing

@testable import PlaygroundKit

/// Which outcome an ending means.
@Suite struct OutcomeRuleTests {
  private let noStore = Outcome("NO STORE", .forbidden, "", when: .crashed, saying: "no stores")
  private let crashed = Outcome("CRASHED", .forbidden, "", when: .crashed)

  @Test func anOutcomeWithWordsIsThatOfEndingsThatSayThem() {
    #expect(noStore.isDecided(by: Ending(.crashed, "SIGABRT: there are no stores here")))
    #expect(!noStore.isDecided(by: Ending(.crashed, "SIGSEGV")))
    #expect(!noStore.isDecided(by: Ending(.threw, "no stores")))
  }

  @Test func anOutcomeWithoutWordsIsThatOfEachEndingOfItsKind() {
    #expect(crashed.isDecided(by: Ending(.crashed, "SIGSEGV")))
    #expect(!crashed.isDecided(by: Ending(.finished)))
  }
}
