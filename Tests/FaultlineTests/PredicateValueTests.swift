import Foundation
import XCTest

@testable import Faultline

final class PredicateValueTests: XCTestCase {
  /// Formats that hold of the dictionary below, and such that do not.
  private static var dictionary: [String: Any] {
    [
      "name": "Élan", "age": 7, "price": 2.5, "tags": ["a", "b"], "empty": NSNull(),
      "day": Date(timeIntervalSinceReferenceDate: 100), "flag": true, "numbers": [3, 1, 2, 2],
      "owner": ["name": "Bo", "cars": [["price": 1], ["price": 3]]],
      "id": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
    ]
  }
  private static let cases: [(String, Bool)] = [
    ("name == 'Élan'", true), ("name == 'elan'", false), ("name ==[cd] 'elan'", true),
    ("name ==[d] 'Elan'", true), ("name ==[c] 'éLAN'", true), ("name BEGINSWITH[cd] 'EL'", true),
    ("name ENDSWITH 'an'", true), ("name CONTAINS 'la'", true), ("name CONTAINS ''", true),
    ("name LIKE 'É?a*'", true), ("name LIKE '*a'", false), ("name LIKE[cd] 'e*N'", true),
    ("name MATCHES '[A-ZÉ][a-z]+'", true), ("name MATCHES 'la'", false),
    ("name MATCHES[c] 'éLA.'", true), ("'la' IN name", true),
    ("age > 6 AND age < 7.5", true), ("age BETWEEN {7, 9}", true), ("age IN {1, 7}", true),
    ("age + 1 == 8", true), ("age / 2 == 3", true), ("age * 1.0 / 2 == 3.5", true),
    ("age %% 4 == 3", true), ("2 ** 3 == 8", true), ("age / 0 == nil", true),
    ("NOT (age / 0 > 1)", true), ("1 + 2 * 3 == 7", true), ("(1 + 2) * 3 == 9", true),
    ("age & 3 == 3", true), ("abs(0 - age) == 7", true), ("floor(price) == 2", true),
    ("ceiling(price) == 3", true), ("trunc(0 - price) == -2", true), ("sqrt(4) == 2", true),
    ("sqrt(0 - 4) == 2", false), ("length(name) == 4", true), ("uppercase(name) == 'ÉLAN'", true),
    ("canonical(name) == 'elan'", true), ("CAST(age, 'NSString') == '7'", true),
    ("day == CAST(100, 'NSDate')", true), ("day < now()", true),
    ("empty == nil", true), ("empty != nil", false), ("empty == 1", false), ("empty != 1", false),
    ("NOT empty == 1", true), ("empty < 1", false), ("missing == nil", true),
    ("flag == YES", true), ("flag == 1", true), ("flag == NO", false),
    ("'a' IN tags", true), ("tags CONTAINS 'c'", false), ("ANY tags == 'b'", true),
    ("ALL tags IN {'a', 'b', 'c'}", true), ("NONE tags == 'a'", false),
    ("tags.@count == 2", true), ("tags[0] == 'a'", true), ("tags[LAST] == 'b'", true),
    ("tags[FIRST] == 'a'", true), ("tags[SIZE] == 2", true), ("tags[9] == nil", true),
    ("owner.name == 'Bo'", true), ("owner.cars.@sum.price == 4", true),
    ("owner.cars.price.@avg == 2", true), ("owner.cars.@max.price == 3", true),
    ("owner.missing.cars.@count == 0", true),
    ("SUBQUERY(owner.cars, $c, $c.price > 1).@count == 1", true),
    ("SUBQUERY(owner.cars, $c, $c.price > age).@count == 0", true),
    ("ANY owner.cars.price == 3", true), ("ALL owner.cars.price > 1", false),
    ("sum(numbers) == 8", true), ("average(numbers) == 2", true), ("median(numbers) == 2", true),
    ("mode(numbers) == {2}", true), ("count(numbers) == 4", true), ("min(3, age) == 3", true),
    ("stddev(tags) == 1", false), ("numbers.@distinctUnionOfObjects[SIZE] == 3", true),
    ("(tags UNION {'c'}).@count == 3", true), ("(tags MINUS {'a'})[0] == 'b'", true),
    ("(tags INTERSECT {'a'}).@count == 1", true), ("TERNARY(age > 5, 'x', 'y') == 'x'", true),
    ("id == CAST('01020304-0506-0708-090A-0B0C0D0E0F10', 'NSUUID')", true),
    ("TRUEPREDICATE AND NOT FALSEPREDICATE", true),
  ]

  func testFormatsHoldOfADictionaryOrNot() {
    for (format, holds) in Self.cases {
      let predicate = NSPredicate(format: format)
      XCTAssertEqual(predicate.evaluate(with: Self.dictionary), holds, format)
      let compound = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
      XCTAssertEqual(compound.evaluate(with: Self.dictionary), !holds, "NOT \(format)")
    }
  }

  func testValuesThatAreNoObjectsAreEvaluatedThemselves() {
    XCTAssertTrue(NSPredicate(format: "SELF CONTAINS 'b'").evaluate(with: "abc"))
    XCTAssertTrue(NSPredicate(format: "length >= 3 AND length <= 50").evaluate(with: "abc"))
    XCTAssertTrue(NSPredicate(format: "SELF > 2 AND self != 4").evaluate(with: 3))
    XCTAssertEqual(
      NSArray(array: ["x", "y"]).filtered(using: NSPredicate(format: "SELF == 'y'")) as? [String],
      ["y"])
  }

  func testVariablesAreSubstitutedOrBound() {
    let template = NSPredicate(format: "age > $least AND name == $name AND ANY tags IN $tags")
    let made = template.withSubstitutionVariables(["least": 5, "name": "Élan", "tags": ["b"]])
    XCTAssertEqual(made.description, "age > 5 AND name == \"Élan\" AND ANY tags IN {\"b\"}")
    XCTAssertTrue(made.evaluate(with: Self.dictionary))
    XCTAssertFalse(
      template.evaluate(
        with: Self.dictionary, substitutionVariables: ["least": 9, "name": "Élan", "tags": []]))
    let inner = NSPredicate(format: "SUBQUERY(owner.cars, $c, $c.price > $p).@count == 1")
    XCTAssertTrue(inner.withSubstitutionVariables(["p": 1]).evaluate(with: Self.dictionary))
  }

  func testExpressionsHaveValues() {
    XCTAssertEqual(
      NSExpression(format: "5 / 2 + %d", 1).expressionValue(with: nil, context: nil) as? Int, 3)
    XCTAssertEqual(
      NSExpression(format: "age * 2").expressionValue(with: Self.dictionary, context: nil) as? Int,
      14)
    XCTAssertEqual(
      NSExpression(format: "$x").expressionValue(with: nil, context: ["x": "y"]) as? String, "y")
    XCTAssertEqual(
      NSExpression(format: "CAST(3, 'NSDate')").expressionValue(with: nil, context: nil) as? Date,
      Date(timeIntervalSinceReferenceDate: 3))
  }
}
