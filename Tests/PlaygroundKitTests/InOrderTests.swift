import XCTest

@testable import PlaygroundKit

final class InOrderTests: XCTestCase {
  func testWhatOnlyALaterColumnHasStandsWhereItStandsThere() {
    XCTAssertEqual(
      InOrder.merged([
        ["form saved", "after the kill"], ["form saved", "root saved", "after the kill"],
      ]),
      ["form saved", "root saved", "after the kill"])
    XCTAssertEqual(InOrder.merged([["a"], ["b", "a", "c"], []]), ["b", "a", "c"])
  }
}
