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
            let operand = Operand(value)
            let isCompared = list.contains {
              ComparisonRule(predicate).isSame(operand, Operand($0).fitted(to: operand))
            }
            XCTAssertEqual(
              Evaluation(value, lists: ConstantLists()).holds(predicate), isCompared,
              "\(value as Any) in \(list)")
            XCTAssertEqual(
              Evaluation(value).holds(predicate), isCompared, "\(value as Any) in \(list)")
          }
        }
      }
    }
  }

  func testAPredicateHashesAListThatCannotChangeOnce() {
    let values = (0..<100).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    func count(_ evaluate: (NSPredicate) -> Int) -> Int {
      let list = values.prefix(50).map { Moment($0) }
      XCTAssertEqual(evaluate(isIn(list)), 50)
      return list.reduce(0) { $0 + $1.looks }
    }
    XCTAssertEqual(count { list in values.filter { list.evaluate(with: $0) }.count }, 50)
    XCTAssertEqual(
      count { list in
        values.filter { list.evaluate(with: $0, substitutionVariables: ["a": 1]) }.count
      }, 50)
    XCTAssertEqual(count { NSArray(array: values).filtered(using: $0).count }, 50)
    XCTAssertEqual(count { NSSet(array: values).filtered(using: $0).count }, 50)
    XCTAssertEqual(
      count { list in
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
          list, NSPredicate(format: "SELF >= 0"),
        ])
        return values.filter { both.evaluate(with: $0) }.count
      }, 50)
    XCTAssertEqual(
      count { list in
        let own = NSPredicate(format: "SELF >= 0")
        let both = CompoundPredicate(type: .and, subpredicates: [own, list])
        return values.filter { both.evaluate(with: $0) }.count
      }, 50)
  }

  func testAPredicateSeesWhatBecomesOfAListThatChanges() {
    func expect(_ list: Any, _ change: () -> Void, line: UInt = #line) {
      let predicate = isIn(list)
      XCTAssertEqual(["a", "b"].map { predicate.evaluate(with: $0) }, [true, false], line: line)
      change()
      XCTAssertEqual(["a", "b"].map { predicate.evaluate(with: $0) }, [false, true], line: line)
    }
    let array = NSMutableArray(array: ["a"])
    expect(array) { array[0] = "b" }
    let set = NSMutableSet(array: ["a"])
    expect(set) { set.setSet(["b"]) }
    let ordered = NSMutableOrderedSet(array: ["a"])
    expect(ordered) { ordered[0] = "b" }
    for list: (NSMutableString) -> Any in [
      { [$0] }, { NSArray(array: [$0]) }, { ["c", $0] as [Any] }, { Set([$0]) },
    ] {
      let text = NSMutableString(string: "a")
      expect(list(text)) { text.setString("b") }
    }
    // As an object that is saved.
    let record = Record()
    let predicate = isIn([record])
    XCTAssertTrue(predicate.evaluate(with: record))
    record.id = NSObject()
    XCTAssertTrue(predicate.evaluate(with: record))
  }
}

/// A record that is not always equal by the same.
private final class Record: NSObject, PredicateValue {
  var id = NSObject()
  var operand: Operand { .record(id, nil) }
}

/// A date that counts how often somebody looks at it.
private final class Moment: NSDate, @unchecked Sendable {
  private var seconds = 0.0
  private(set) var looks = 0

  convenience init(_ date: Date) {
    self.init(timeIntervalSinceReferenceDate: 0)
    seconds = date.timeIntervalSinceReferenceDate
  }

  override var timeIntervalSinceReferenceDate: TimeInterval {
    looks += 1
    return seconds
  }
}
