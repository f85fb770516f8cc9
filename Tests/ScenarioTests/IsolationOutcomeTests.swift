import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios of isolation, from run records.
@Suite struct IsolationOutcomeTests {
  private let mistakes = [
    "a fetch for the screen", "objects of the screen", "objects out of a block",
    "an object into a block",
  ]

  // MARK: - 43

  @Test func scenario43WithoutAnnotationsFourMistakesCompileAndTheCheckerSeesThem() throws {
    let record = try ScenarioRun.of(
      IsolationTheCompilerCanSee.self, sides: ["wrong"], ["articles": 2])
    #expect(record.outcomes("wrong") == ["UNSEEN"])
    for mistake in mistakes { #expect(record.texts("wrong", mistake) == ["accepts it"]) }
    #expect(record.numbers("wrong", "violations").allSatisfy { $0 >= 4 })
    #expect(record.numbers("wrong", "renamed in the file") == [0])
  }

  @Test func scenario43BehindAnnotationsTheCompilerRefusesEachMistakeForWhatIsWrong() throws {
    let record = try ScenarioRun.of(
      IsolationTheCompilerCanSee.self, sides: ["right"], ["articles": 2])
    #expect(record.outcomes("right") == ["REFUSED"])
    for (mistake, word) in zip(mistakes, ["main actor", "[Article]", "Sendable", "'article'"]) {
      let words = record.texts("right", mistake).first ?? ""
      #expect(words.hasPrefix("refuses it") && words.contains(word), "\(words)")
    }
    #expect(record.numbers("right", "renamed in the file") == [1])
  }

  @Test func scenario43AContextMayLeaveItsBlockUnseenByTheCompiler() throws {
    let record = try ScenarioRun.of(
      IsolationTheCompilerCanSee.self, sides: ["leak"], ["articles": 2])
    #expect(record.outcomes("leak") == ["UNSEEN"])
    #expect(record.texts("leak", "a context out of a block") == ["accepts it"])
  }
}
