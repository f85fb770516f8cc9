import PlaygroundKit
import XCTest

final class DeclarationsTests: XCTestCase {
  func testStringsAreBlankedAndInterpolationsAreCode() {
    let text = SwiftText(#"let a = "x { \(f("y")) z" // note"#)
    XCTAssertEqual(text.code, [#"let a = "      f(" ")   "        "#])
    XCTAssertEqual(text.comments[0].trimmingCharacters(in: .whitespaces), "// note")
  }

  func testRawStringsEndOnlyWithTheirHashes() {
    XCTAssertEqual(SwiftText(##"a(#"x " y"#, b)"##).code, [#"a( "     " , b)"#])
  }

  func testBlockCommentsNestAndKeepTheirLines() {
    let text = SwiftText("a /* b /* c */\n d */ e")
    XCTAssertEqual(text.code.map { $0.trimmingCharacters(in: .whitespaces) }, ["a", "e"])
  }

  func testDeclarationsKnowWhetherTheyAreMembersOrPrivate() {
    let code = SwiftText(
      """
      public final class A {
        private(set) var b = 1
        private struct C { var d = 2 }
        class func e() { let f = 3 }
        init(g: Int) { self.init() }
      }
      """
    ).code
    let found = DeclarationReader.declarations(in: Token.all(in: code))
    XCTAssertEqual(found.map(\.name), ["A", "b", "C", "d", "e", "("])
    XCTAssertEqual(found.map(\.isPrivate), [false, false, true, true, false, false])
    XCTAssertEqual(found.map(\.lastLine), [5, nil, 2, nil, 3, 4])
  }
}
