import CoreData
import Foundation
import XCTest

/// What formats find: each is asked of the store and of the memory, which must agree.
final class PredicateSpecs: SpecCase {
  private var context: NSManagedObjectContext!
  private var people: [String: NSManagedObject] = [:]

  override func setUpWithError() throws {
    try super.setUpWithError()
    let container = try makeContainer(model: PredicateModel.people)
    context = container.viewContext
    let red = make("Team", ["name": "Red", "size": 2])
    let blue = make("Team", ["name": "Blue"])
    let (swim, sing) = (
      make("Skill", ["name": "swim", "level": 3]), make("Skill", ["name": "sing", "level": 5])
    )
    let day = Date(timeIntervalSinceReferenceDate: 100)
    let rows: [[String: Any]] = [
      ["name": "Ada", "age": 36, "height": 1.75, "born": day, "team": red, "isActive": true],
      ["name": "Élan", "age": 20, "money": Decimal(2.5), "team": red, "isActive": false],
      ["name": "cyd", "team": blue], ["name": "D*d", "age": 7],
    ]
    for row in rows { people[row["name"] as! String] = make("Person", row) }
    people["Ada"]?.setValue(NSSet(array: [swim, sing]), forKey: "skills")
    people["Élan"]?.setValue(NSSet(object: swim), forKey: "skills")
    people["cyd"]?.setValue(people["Ada"], forKey: "friend")
    red.setValue(people["Ada"], forKey: "lead")
    try context.save()
  }

  private func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// Asserts whose initials a format finds, in the store and in memory.
  private func expect(
    _ expected: String, _ format: String, _ arguments: [Any] = [], line: UInt = #line
  ) throws {
    let predicate = NSPredicate(format: format, argumentArray: arguments)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = predicate
    XCTAssertEqual(initials(try context.fetch(request)), expected, format, line: line)
    XCTAssertEqual(try context.count(for: request), expected.count, format, line: line)
    let held = people.values.filter { predicate.evaluate(with: $0) }
    XCTAssertEqual(initials(held), expected, "\(format) in memory", line: line)
  }

  private func initials(_ people: [NSManagedObject]) -> String {
    String(people.compactMap { ($0.value(forKey: "name") as? String)?.first }.sorted())
  }

  func testF45_betweenIncludesItsBounds() throws {
    try expect("AÉ", "age BETWEEN {20, 36}")
    try expect("D", "age BETWEEN %@", [[1, 7]])
    try expect("A", "name BETWEEN {'A', 'B'}")
    try expect("A", "born BETWEEN %@", [[Date.distantPast, Date.distantFuture]])
    try expect("AD", "age BETWEEN {7, 7} OR 36 <= age")
  }

  func testF47_F62_optionsMakeAccentsAndCaseTheSame() throws {
    try expect("É", "name ==[cd] 'elan'")
    try expect("", "name ==[d] 'elan'")
    try expect("É", "name BEGINSWITH[c] 'éL' AND name ENDSWITH 'an'")
    try expect("D", "name LIKE '?\\\\*d' AND name CONTAINS[n] '*'")
    try expect("Dc", "name LIKE[c] '*D'")
    try expect("AÉ", "name CONTAINS[cd] 'A'")
    try expect("ADcÉ", "name CONTAINS ''")
    try expect("A", "'Ad' IN team.lead.name AND name IN 'Adam Ada'")
  }

  func testF48_F58_F63_anyAllAndNoneAskTheMembers() throws {
    try expect("A", "ANY skills.name == 'sing'")
    try expect("AÉ", "SOME skills.level > 0")
    try expect("DcÉ", "NONE skills.name == 'sing'")
    try expect("DcÉ", "ALL skills.level == 3")
    try expect("AÉ", "ANY team.members.age > 30")
    try expect("A", "ANY admirers.name == 'cyd'")
    try expect("AÉ", "ANY skills IN %@", [try context.allSkills().map(\.objectID)])
    try expect("A", "ANY skills.name IN {'sing', 'dance'}")
    try expect("A", "%@ IN skills AND skills.name CONTAINS 'sing'", [try context.skill("sing")])
  }

  func testF49_collectionOperatorsCountAndAdd() throws {
    try expect("A", "skills.@count == 2")
    try expect("Dc", "skills.@sum.level == 0")
    try expect("A", "skills.@max.level == 5 AND skills.@min.level = 3 AND skills.@avg.level = 4")
    try expect("Dc", "skills.@avg.level == nil")
    try expect("AÉ", "sum(team.members.age) == 56 AND count(skills) > admirers.@count")
    try expect("c", "friend.skills.@count > 1")
  }

  func testF50_subqueriesHaveAVariableForTheMember() throws {
    try expect("AÉ", "SUBQUERY(skills, $s, $s.level < 4 AND $s.name == 'swim').@count > 0")
    try expect("Dc", "SUBQUERY(skills, $s, $s.level < age).@count == 0")
    try expect("É", "SUBQUERY(team.members, $m, $m.age > age AND $m != SELF).@count == 1")
    try expect(
      "AÉ", "SUBQUERY(skills, $s, SUBQUERY($s.people, $p, $p.age > 30).@count > 0).@count > 0")
    let template = NSPredicate(format: "SUBQUERY(skills, $s, $s.level > $least).@count > 0")
    try expect("A", template.withSubstitutionVariables(["least": 4]).description)
  }

  func testF53_F54_keywordsAndLiterals() throws {
    try expect("A", "#name == \"Ada\" and self.age == 36 AND isActive == yes")
    try expect("É", "isActive = FALSE && money = 2.5")
    try expect("Dc", "isActive == nil OR isActive == NULL")
    try expect("A", "name in {'Ada', \"Bob\"} AND age == 0x24 AND height > 1e0")
    try expect("ADcÉ", "TRUEPREDICATE AND NOT FALSEPREDICATE")
  }

  func testF55_longListsOfIdsTextsAndNumbers() throws {
    let ids = people.values.map(\.objectID)
    try expect("ADcÉ", "SELF IN %@", [ids + ids + ids + ids + ids + ids])
    try expect("A", "name IN %@", [(0..<500).map { "\"\\n\($0)" } + ["Ada", "\t\"", "É"]])
    try expect("AD", "NOT (age IN %@) AND age != nil", [Array(8...35)])
    try expect("AÉ", "height IN %@ OR money IN {2.5}", [(0..<100).map { Double($0) / 4 }])
    try expect("c", "friend == %@ OR friend == %@", [people["Ada"]!, people["cyd"]!.objectID])
    try expect("D", "team == nil AND entity.name == 'Person'")
  }

  func testF55_listsLongerThanAnyStatementTakesOfAnyType() throws {
    let count = 40_000
    // Holding a long list against one object after another is not what is tested here.
    func expect(_ expected: String, _ format: String, _ list: [Any]) throws {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.predicate = NSPredicate(format: format, argumentArray: [list])
      XCTAssertEqual(initials(try context.fetch(request)), expected, format)
    }
    let code = UUID()
    people["Ada"]?.setValue(code, forKey: "code")
    people["cyd"]?.setValue(Data("c".utf8), forKey: "photo")
    people["Élan"]?.setValue(0.1 + 0.2, forKey: "height")
    try context.save()
    try expect("A", "code IN %@", (0..<count).map { _ in UUID() } + [code])
    try expect("c", "photo IN %@", (0..<count).map { Data("\($0)".utf8) } + [Data("c".utf8)])
    let dates = (0..<count).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    try expect("A", "born IN %@", dates)
    try expect("É", "height IN %@", (0..<count).map { Double($0) / -7 } + [0.1 + 0.2])
    try expect("É", "money IN %@", (1...count).map { Decimal($0) / 2 * 5 })
    try expect("ADÉ", "age IN %@", (0..<count).map { NSNumber(value: $0) } + [0.5])
  }

  func testF56_arithmeticFunctionsAndCasts() throws {
    try expect("A", "age + 4 * 2 == 44 AND (age + 4) * 2 == 80 AND age / 5 == 7")
    try expect("AD", "age %% 29 == 7 AND 2 ** 3 == 8 AND (age & 3) <= 3")
    try expect("A", "floor(height) == 1 AND ceiling(height) == 2 AND sqrt(age) == 6")
    try expect("É", "uppercase(name) == 'ÉLAN' AND length(name) == 4")
    try expect("A", "born == CAST(100, 'NSDate') AND born < now()")
    try expect("D", "CAST(age, 'NSString') == '7'")
    try expect("DcÉ", "TERNARY(age > 30, 'old', name) != 'old'")
    try expect("ADcÉ", "age / 0 == 1 OR NOT age / 0 == 1")
  }

  func testF56_F65_decimalsAndDatesAreNoWholeNumbers() throws {
    people["Ada"]?.setValue(Decimal(1), forKey: "money")
    people["Élan"]?.setValue(Decimal(3), forKey: "money")
    try context.save()
    try expect("A", "money / 2 == 0.5")
    try expect("A", "born / 8 == 12.5")
    try expect("AÉ", "team.members.@max.money / 2 == 1.5 AND noindex(team.members.@min.money) < 2")
    try expect("A", "TERNARY(money < 2, money, 3) / 2 == 0.5")
    try expect("É", "CAST(money, 'NSString') == '3.0'")
    try expect("É", "max(money) / 2 == 1.5 AND sum(money, 4) == 7")
    try expect("A", "(height %% 2) / 2 == 0 AND money %% 3 == 1")
  }

  func testF48_aListMayStandOnEitherSide() throws {
    try expect("AD", "%@ CONTAINS name", [["Ada", "D*d", "x"]])
    try expect("AÉ", "%@ CONTAINS[cd] name", [["ADA", "elan"]])
    try expect("c", "%@ CONTAINS friend", [[people["Ada"]!]])
    try expect("AÉ", "{'Red', name} CONTAINS team.name")
    try expect("ADcÉ", "{1, 2} CONTAINS 2")
    try expect("", "%@ CONTAINS name", [[String]()])
  }

  func testF47_aWholeNumberIsSearchedForAsItIsWritten() throws {
    people["Ada"]?.setValue("5a", forKey: "name")
    people["cyd"]?.setValue("c05", forKey: "name")
    try context.save()
    try expect("5", "name BEGINSWITH %d", [5])
    try expect("5c", "name CONTAINS %d", [5])
    try expect("c", "name ENDSWITH %d AND name LIKE 'c*'", [5])
    try expect("", "name MATCHES %d", [5])
    try expect("5c", "ANY team.members.name CONTAINS %d AND NOT name CONTAINS 'lan'", [5])
  }

  func testF38_aWholeNumberBesideATextIsComparedAsItIsWritten() throws {
    people["Ada"]?.setValue("5", forKey: "name")
    people["cyd"]?.setValue("05", forKey: "name")
    try context.save()
    try expect("5", "name == 5")
    try expect("0DÉ", "name != 5")
    try expect("DÉ", "name > %@", [5])
    try expect("0", "5 > name")
    try expect("5", "name == 2 + 3")
    try expect("5", "name IN {5, 6}")
    try expect("5", "name IN %@", [[5, 6]])
    try expect("5", "name IN %@", [NSMutableArray(array: [5, 6])])
    try expect("5", "%@ CONTAINS name", [[5, 6]])
    try expect("5D", "name BETWEEN {1, 'E'}")
    try expect("05É", "ANY team.members.name == 5 OR ANY admirers.name == 5 OR name == '05'")
    try expect("05", "age == 36 OR 5 == name OR name == '05'")
    try expect("5", "age == '36'")
  }

  func testF48_constantsBesideAnEmptyListHaveTheirPlace() throws {
    try expect("", "age + 1 IN %@ AND name == 'Ada'", [[Int]()])
    try expect("A", "NOT (age + 1 IN %@) AND name == 'Ada'", [[Int]()])
    try expect("", "age + 1 IN %@", [[Int]()])
    try expect("", "SUBQUERY(skills, $s, $s.level > 100) CONTAINS nil")
    try expect("", "nil IN SUBQUERY(skills, $s, $s.level > 100)")
    try expect("", "TERNARY(name == 'x', name, 'y') IN {}")
  }

  func testF38_propertiesOfDifferentKindsAreComparedAlikeEverywhere() throws {
    people["Ada"]?.setValue("036", forKey: "name")
    people["D*d"]?.setValue("6", forKey: "name")
    try context.save()
    try expect("0", "name == age")
    try expect("6É", "name != age")
    try expect("6", "name < age")
    try expect("0", "age <= name")
    try expect("06", "age BETWEEN {name, 36}")
    try expect("06", "age IN {name, 7}")
    try expect("0", "name IN {age, team.name}")
    try expect("", "name == team OR team == name OR name == born")
    try expect("0cÉ", "name != team")
    try expect("", "photo == age OR photo < age OR name < photo OR code > name")
  }

  func testF59_matchesHoldsARegularExpressionAgainstTheWholeText() throws {
    try expect("A", "name MATCHES '[A-C].a'")
    try expect("", "name MATCHES 'd'")
    try expect("AÉ", "name MATCHES[cd] '(ada|elan)'")
    try expect("Dc", "NOT name MATCHES '.*a.*'")
  }

  func testF59_aRegularExpressionMayEndInACommentAQuotationOrALineBreak() throws {
    people["n"] = make("Person", ["name": "n\n"])
    try context.save()
    try expect("A", "name MATCHES %@", ["(?x) A d a # the first"])
    try expect("D", "name MATCHES %@", ["\\QD*d"])
    try expect("n", "name MATCHES %@", ["n\\n??"])
    try expect("n", "name MATCHES %@", ["n(|\\n)"])
    try expect("", "name MATCHES %@", ["n"])
  }

  func testF60_aComparisonWithNilIsFalseAndItsNegationTrue() throws {
    try expect("AD", "age != 20")
    try expect("ADc", "NOT age == 20")
    try expect("", "age > nil OR age <= nil")
    try expect("", "height == money")
    try expect("ADc", "money == nil")
    try expect("Dc", "team.lead.name == nil")
    try expect("AÉ", "team.lead != %@ OR team.size == 2", [people["cyd"]!])
  }

  func testF31_F57_whatNoStoreCanEvaluateTheMemoryCan() throws {
    let block = NSPredicate { object, _ in
      (object as? NSManagedObject)?.value(forKey: "name") as? String == "Ada"
    }
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      block, NSPredicate(format: "team.members.skills.@count == 3 AND SELF.age[SIZE] == 1"),
    ])
    XCTAssertTrue(both.evaluate(with: people["Ada"]))
    XCTAssertFalse(both.evaluate(with: people["cyd"]))
  }

  func testF39_aChangedObjectIsJudgedByItsRelationshipsInMemory() throws {
    let dive = make("Skill", ["name": "dive", "level": 9])
    people["cyd"]?.setValue(NSSet(object: dive), forKey: "skills")
    try expect("c", "ANY skills.name == 'dive' AND skills.@max.level == 9")
  }
}

extension NSManagedObjectContext {
  /// Every skill.
  fileprivate func allSkills() throws -> [NSManagedObject] {
    try fetch(NSFetchRequest<NSManagedObject>(entityName: "Skill"))
  }

  /// The skill of a name.
  fileprivate func skill(_ name: String) throws -> NSManagedObject {
    try XCTUnwrap(allSkills().first { $0.value(forKey: "name") as? String == name })
  }
}
