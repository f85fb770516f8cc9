import Foundation
import XCTest

@testable import Faultline

final class RecordURITests: XCTestCase {
  func testWhateverAnEntityIsCalledItsURIIsReadAsItWasWritten() throws {
    for name in ["Article", "Größe", "a b", "A/B", "A#b", "50%", "a?b", "p1", "ö\u{308}"] {
      let record = RecordURI(store: "0B5A-_1", entity: name, row: 7)
      XCTAssertEqual(RecordURI(record.url), record, name)
    }
    XCTAssertEqual(
      RecordURI(store: "S", entity: "Article", row: 1).url.absoluteString,
      "x-coredata://S/Article/p1")
  }

  func testWhatIsNoURIOfAPermanentIDIsRefused() throws {
    let greatest = Int64(1) << RecordKey.rowBits - 1
    XCTAssertEqual(RecordURI(try url("x-coredata://S/Article/p\(greatest)"))?.row, greatest)
    for text in [
      "http://S/Article/p1", "x-coredata:///Article/p1", "x-coredata://S/Article",
      "x-coredata://S/Article/", "x-coredata://S/Article/t1", "x-coredata://S/Article/p",
      "x-coredata://S/Article/p0", "x-coredata://S/Article/p-1", "x-coredata://S/Article/p+1",
      "x-coredata://S/Article/p01", "x-coredata://S/Article/p1/", "x-coredata://S//Article/p1",
      "x-coredata://S//p1", "x-coredata://S/Article/p\(greatest + 1)",
      "x-coredata://S/Article/p99999999999999999999", "x-coredata:S/Article/p1",
    ] {
      XCTAssertNil(RecordURI(try url(text)), text)
    }
  }

  private func url(_ text: String) throws -> URL { try XCTUnwrap(URL(string: text)) }
}
