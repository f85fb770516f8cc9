import Testing

@testable import PlaygroundKit

/// What is told of what the compiler says.
@Suite struct SwiftCompilerTests {
  @Test func anErrorIsToldWholeWithoutItsPlaceAndItsGroup() {
    let words = """
      a.swift:1:2: warning: variable 'x' was never used
      a.swift:4:45: error: sending 'article' risks causing data races [#SendingRisksDataRace]
      a.swift:5:1: error: something else
      """
    #expect(
      SwiftCompiler.first("error", in: words) == "sending 'article' risks causing data races")
    #expect(SwiftCompiler.first("warning", in: words) == "variable 'x' was never used")
    let array = "a.swift:1:2: error: cannot convert value of type '[Article]' to type '[Card]'"
    #expect(
      SwiftCompiler.first("error", in: array)
        == "cannot convert value of type '[Article]' to type '[Card]'")
    #expect(SwiftCompiler.first("error", in: "clang: it ended") == nil)
  }

  @Test func aSnippetIsAcceptedOrRefused() {
    #expect(SwiftCompiler.verdict(of: "let one = 1") == .accepted(warning: nil))
    #expect(
      SwiftCompiler.verdict(of: "let one: Int = \"1\"")
        == .refused(
          error: "cannot convert value of type 'String' to specified type 'Int'", warning: nil))
  }
}
