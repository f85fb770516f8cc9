import Foundation
import XCTest

import class Faultline.NSComparisonPredicate

@testable import Faultline

final class PredicateFormatTests: XCTestCase {
  /// Format strings with their arguments, and how Core Data prints what they make.
  nonisolated(unsafe) private static let printed:
    [(format: String, arguments: [Any?], text: String)] = [
      ("a = 1", [], "a == 1"),
      ("a==1", [], "a == 1"),
      ("a => 1.5 and b =< -2", [], "a >= 1.5 AND b <= -2"),
      ("a <> 'x' && b != \"y\"", [], "a != \"x\" AND b != \"y\""),
      ("a == YES or b == no || c == true", [], "a == 1 OR b == 0 OR c == 1"),
      ("a == nil OR a != NULL", [], "a == nil OR a != nil"),
      ("a == 1 AND b == 2 OR c == 3", [], "(a == 1 AND b == 2) OR c == 3"),
      ("a == 1 AND (b == 2 OR NOT c == 3)", [], "a == 1 AND (b == 2 OR (NOT c == 3))"),
      ("!(a == 1 and b == 2)", [], "NOT (a == 1 AND b == 2)"),
      ("TRUEPREDICATE && !falsepredicate", [], "TRUEPREDICATE AND (NOT FALSEPREDICATE)"),
      ("%K == %@", ["name", "bob"], "name == \"bob\""),
      ("%K.%K > %d AND %d <= %K", ["a.b", "c", 1, 2, "d"], "a.b.c > 1 AND 2 <= d"),
      ("%@ IN tags AND SELF == %@", ["x", nil], "\"x\" IN tags AND SELF == nil"),
      ("a == '%@' AND b == %@", [1], "a == \"%@\" AND b == 1"),
      ("a == %ld OR a == %lld OR a == %f", [1, 2, 0.5], "a == 1 OR a == 2 OR a == 0.5"),
      (
        "name contains[cd] 'é' AND name endswith [c] 'x'", [],
        "name CONTAINS[cd] \"é\" AND name ENDSWITH[c] \"x\""
      ),
      (
        "name ==[n] 'x' OR name LIKE[l] 'y*' OR name MATCHES '.+'", [],
        "name ==[n] \"x\" OR name LIKE[l] \"y*\" OR name MATCHES \".+\""
      ),
      (
        "age BETWEEN {1, $max} AND age in {1, 2, 3}", [],
        "age BETWEEN {1, $max} AND age IN {1, 2, 3}"
      ),
      (
        "any tags.name == 'x' AND some tags IN %@", [["a"]],
        "ANY tags.name == \"x\" AND ANY tags IN {\"a\"}"
      ),
      (
        "all tags.name == 'x' AND none tags.name == 'y'", [],
        "ALL tags.name == \"x\" AND (NOT ANY tags.name == \"y\")"
      ),
      (
        "pages.@count > 2 AND pages.@sum.words == 3", [],
        "pages.@count > 2 AND pages.@sum.words == 3"
      ),
      (
        "SUBQUERY(cars, $c, $c.maker == 'x' AND $c.price > self.limit).@count > 0", [],
        "SUBQUERY(cars, $c, $c.maker == \"x\" AND $c.price > limit).@count > 0"
      ),
      (
        "a[0] == 1 AND a[FIRST] == 2 AND a[last].b == 3 AND a[SIZE] == 4", [],
        "a[0] == 1 AND a[FIRST] == 2 AND a[LAST].b == 3 AND a[SIZE] == 4"
      ),
      ("a + 2 * b ** 2 - c / 4 > 0", [], "(a + (2 * (b ** 2))) - (c / 4) > 0"),
      ("(a + 2) * b == (c)", [], "(a + 2) * b == c"),
      (
        "(flags & %d) != 0 AND flags | 1 == ~2", [4],
        "flags & 4 != 0 AND flags | 1 == onesComplement:(2)"
      ),
      ("a %% 2 == 1", [], "modulus:by:(a, 2) == 1"),
      (
        "uppercase(name) == lowercase:('X') AND abs(-x) > sqrt(2)", [],
        "uppercase:(name) == lowercase:(\"X\") AND abs:(0 - x) > sqrt:(2)"
      ),
      (
        "date < now() AND date > CAST(%f, 'NSDate')", [1.5],
        "date < now() AND date > CAST(1.500000, \"NSDate\")"
      ),
      ("max:(a, b) == average(list)", [], "max:(a, b) == average:(list)"),
      ("TERNARY(a == 1, b, c) == 2", [], "TERNARY(a == 1, b, c) == 2"),
      ("a UNION b == c MINUS d", [], "a UNION b == c MINUS d"),
      ("#count == 1 AND #in == 2 AND a.#in == 3", [], "count == 1 AND #in == 2 AND a.in == 3"),
      ("FUNCTION(a, 'distanceFrom:', b) < 3", [], "FUNCTION(a, \"distanceFrom:\", b) < 3"),
      (
        "owner == $FETCH_SOURCE.%K AND $X IN tags", ["name"],
        "owner == $FETCH_SOURCE.name AND $X IN tags"
      ),
      ("a == 'it\\'s' AND b == \"\\u00e9\\n\"", [], "a == \"it's\" AND b == \"é\\n\""),
      ("a == 0x1F AND b == 1e3 AND c == .5", [], "a == 31 AND b == 1000.0 AND c == 0.5"),
      ("a == %@", [Date(timeIntervalSinceReferenceDate: 2)], "a == CAST(2.000000, \"NSDate\")"),
    ]

  func testWhatIsReadIsPrintedAsCoreDataPrintsItAndReadAgainIsTheSame() throws {
    for (format, arguments, text) in Self.printed {
      let predicate = try parsed(format, arguments)
      XCTAssertEqual(predicate.description, text, format)
      let again = try parsed(predicate.description, [])
      XCTAssertEqual(again.description, text)
      XCTAssertTrue(again.isEqual(predicate))
    }
  }

  /// Malformed format strings, the character that is pointed at, and a word of the reason.
  nonisolated(unsafe) private static let malformed:
    [(format: String, arguments: [Any?], place: Int, word: String)] = [
      ("", [], 1, "too early"),
      ("a ==", [], 5, "too early"),
      ("a", [], 2, "operator"),
      ("a == 1 b", [], 8, "after the end"),
      ("a == 1 AND", [], 11, "too early"),
      ("(a == 1", [], 8, ") was expected"),
      ("a == 'x", [], 6, "does not end"),
      ("a ==[x] 1", [], 6, "option"),
      ("a == %@", [], 6, "fewer arguments"),
      ("%K == 1", [3], 1, "%K needs a String"),
      ("a == %y", [], 6, "not a placeholder"),
      ("a == %lud", [1], 6, "runs into"),
      ("a == 1x", [], 6, "runs into"),
      ("a ; b", [], 3, "no meaning"),
      ("foo(a) == 1", [], 1, "not a function"),
      ("abs(a, b) == 1", [], 1, "cannot be given 2"),
      ("(a == 1) + 2 > 3", [], 1, "condition where a value"),
      ("1 + 2", [], 6, "operator was expected"),
      ("NOT in == 1", [], 5, "#in"),
      ("SUBQUERY(a, x, y == 1).@count > 0", [], 13, "variable"),
      ("a. == 1", [], 4, "name of a property"),
      ("a == $", [], 6, "name was expected after $"),
      (String(repeating: "(", count: 999) + "a == 1", [], 202, "nested"),
      ("a == " + Array(repeating: "1", count: 999).joined(separator: "+"), [], 408, "nested"),
    ]

  func testAMalformedFormatSaysWhereAndWhy() {
    for (format, arguments, place, word) in Self.malformed {
      XCTAssertThrowsError(try parsed(format, arguments), format) { error in
        guard let error = error as? PredicateSyntaxError else { return XCTFail("\(error)") }
        XCTAssertEqual(error.offset + 1, place, "\(format): \(error.reason)")
        XCTAssertTrue(error.reason.contains(word), "\(format): \(error.reason)")
      }
    }
  }

  func testConstantsOfBytesAreEqualByTheirBytes() throws {
    let one = try parsed("photo == %@", [Data([1, 0xAB])])
    XCTAssertEqual(one.description, "photo == <01ab>")
    XCTAssertEqual(one, try parsed("photo == %@", [Data([1, 0xAB])]))
    XCTAssertNotEqual(one, try parsed("photo == %@", [Data([2, 0xAB])]))
  }

  func testExpressionsSayWhatTheyAreMadeOf() {
    let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "a.b")])
    XCTAssertEqual(sum.expressionType, .function)
    XCTAssertEqual(sum.function, "sum:")
    XCTAssertEqual(sum.arguments?.first?.keyPath, "a.b")
    XCTAssertEqual(sum, NSExpression(format: "sum(%K)", "a.b"))
    XCTAssertEqual(NSExpression(format: "$x").variable, "x")
    XCTAssertEqual(NSExpression(format: "%@", "t").constantValue as? String, "t")
    let comparison = NSPredicate(format: "ANY a.b <[cd] 3") as? NSComparisonPredicate
    XCTAssertEqual(comparison?.predicateOperatorType, .lessThan)
    XCTAssertEqual(comparison?.comparisonPredicateModifier, .any)
    XCTAssertEqual(comparison?.options, [.caseInsensitive, .diacriticInsensitive])
    XCTAssertEqual(comparison?.leftExpression.keyPath, "a.b")
    XCTAssertEqual(comparison?.rightExpression.constantValue as? Int, 3)
    let compound = NSPredicate(format: "a == 1 OR b == 2") as? NSCompoundPredicate
    XCTAssertEqual(compound?.compoundPredicateType, .or)
    XCTAssertEqual(compound?.subpredicates.count, 2)
  }

  private func parsed(_ format: String, _ arguments: [Any?]) throws -> NSPredicate {
    var parser = try PredicateParser(format, arguments)
    return try parser.wholePredicate()
  }
}
