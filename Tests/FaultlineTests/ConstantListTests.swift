import Foundation
import XCTest

import class Faultline.NSComparisonPredicate
import class Faultline.NSExpression

@testable import Faultline

/// Lists that a fetch holds against many objects (F33, F48).
final class ConstantListTests: XCTestCase {
  private func isIn(
    _ list: Any, _ options: NSComparisonPredicate.Options = []
  ) -> NSComparisonPredicate {
    NSComparisonPredicate(
      leftExpression: .expressionForEvaluatedObject(),
      rightExpression: NSExpression(forConstantValue: list), type: .in, options: options)
  }

  func testAListIsConvertedOnceForAllObjects() throws {
    let names = NSMutableArray(array: ["a", "b"])
    let (predicate, lists) = (isIn(names), ConstantLists())
    XCTAssertTrue(Evaluation("a", lists: lists).holds(predicate))
    names.removeAllObjects()
    XCTAssertTrue(Evaluation("b", lists: lists).holds(predicate))
    XCTAssertFalse(Evaluation("b", lists: ConstantLists()).holds(predicate))
    XCTAssertNil(ConstantLists().list(isIn("text")))
  }

  func testWhatIsFoundByItsHashIsWhatComparingFinds() throws {
    let values: [Any?] = [
      1, 1.0, 1.5, -0.0, 0, "1", "01", "1.0", "a", "A", "Ä", "a\u{308}", "", true, Decimal(1.5),
      Int64.max, Double(Int64.max), Double.nan, "nan", Data([1]), Data(), nil, NSNull(),
      Date(timeIntervalSinceReferenceDate: 1),
      UUID(uuidString: "00000000-0000-0000-0000-000000000001"),
      URL(string: "a"), [1], ["a": 1], NSObject(), NSEntityDescription(),
    ]
    for options: NSComparisonPredicate.Options in [
      [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ] {
      for member in values {
        for list in [[member], values.filter { "\($0 as Any)" != "\(member as Any)" }] {
          let predicate = isIn(list, options)
          for value in values {
            XCTAssertEqual(
              Evaluation(value, lists: ConstantLists()).holds(predicate),
              Evaluation(value).holds(predicate), "\(value as Any) in \(list)")
          }
        }
      }
    }
  }
}
