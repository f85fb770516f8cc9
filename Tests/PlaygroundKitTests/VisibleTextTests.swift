import Testing

@testable import PlaygroundKit

/// Characters that a terminal obeys instead of showing them.
@Suite struct VisibleTextTests {
  @Test func aCharacterThatATerminalObeysIsSpeltOut() {
    let odd = "a\u{1B}[31m\tb\r\nc\r\u{7}\u{7F}\u{85}\u{9B}\u{202E}\u{2067}é–🐟"
    #expect(
      odd.visible
        == #"a\u{1b}[31m"# + "\tb\nc" + #"\u{d}\u{7}\u{7f}\u{85}\u{9b}\u{202e}\u{2067}é–🐟"#)
    #expect("\u{9B}\u{7F}\u{202E}x".visibleInJSON == #"\u009b\u007f\u202ex"#)
    #expect("a\nb\tc".visible == "a\nb\tc")
  }

  @Test func ourColoursStayAndThoseOfATextAreSpeltOut() {
    let line = PageStyle(colour: true).finished("✗ \u{1B}[31mx\u{1B}[2J")
    #expect(line == "\u{1B}[31m✗\u{1B}[0m " + #"\u{1b}[31mx\u{1b}[2J"#)
    #expect(PageStyle.safeForTerminal(line + "\u{1B}[1A") == line + #"\u{1b}[1A"#)
  }

  @Test func aWordForTheShellCanBeTypedWhateverItHolds() {
    #expect("a\u{1B}b'\\é\r".quotedForShell == #"$'a\x1bb\x27\x5c\xc3\xa9\x0d'"#)
    #expect("it's".quotedForShell == #"'it'\''s'"#)
  }

  @Test func aLineIsNoWiderWhenACharacterIsSpeltOut() {
    let text = String(repeating: "x\u{1B}", count: 60)
    #expect(Wrapping.lines(text, width: 40).allSatisfy { $0.count <= 40 })
    #expect(Wrapping.padded(text, 40).count == 40)
  }
}
