import CoreData
import Foundation

/// People in teams with skills, where everything may be missing: the data that predicates are held
/// against.
enum PredicateModel {
  /// The model: `Person`, its sub-entity `Employee`, `Team` and `Skill`.
  static let people: NSManagedObjectModel = {
    let person = entity(
      "Person",
      [
        "name": .stringAttributeType, "age": .integer64AttributeType,
        "height": .doubleAttributeType, "born": .dateAttributeType,
        "money": .decimalAttributeType, "code": .UUIDAttributeType, "home": .URIAttributeType,
        "photo": .binaryDataAttributeType, "isActive": .booleanAttributeType,
      ])
    let employee = entity("Employee", ["salary": .integer64AttributeType])
    let team = entity("Team", ["name": .stringAttributeType, "size": .integer64AttributeType])
    let skill = entity("Skill", ["name": .stringAttributeType, "level": .integer64AttributeType])
    person.subentities = [employee]
    relate((person, "friend", 1), (person, "admirers", 0))
    relate((person, "team", 1), (team, "members", 0))
    relate((person, "skills", 0), (skill, "people", 0))
    relate((team, "lead", 1), (person, "leads", 0))
    let model = NSManagedObjectModel()
    model.entities = [person, employee, team, skill]
    return model
  }()

  private static func entity(
    _ name: String, _ attributes: [String: NSAttributeType]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    return entity
  }

  private typealias End = (entity: NSEntityDescription, name: String, maxCount: Int)

  private static func relate(_ one: End, _ other: End) {
    let ends = [one, other].map { end in
      let relationship = NSRelationshipDescription()
      relationship.name = end.name
      relationship.maxCount = end.maxCount
      return relationship
    }
    ends[0].destinationEntity = other.entity
    ends[1].destinationEntity = one.entity
    ends[0].inverseRelationship = ends[1]
    ends[1].inverseRelationship = ends[0]
    one.entity.properties += [ends[0]]
    other.entity.properties += [ends[1]]
  }
}

/// A few people of a random store.
struct PredicateWorld {
  /// The texts that names are made of.
  static let texts = [
    "", "a", "A", "ab", "Äb", "äB", "a*b", "b[c", "é", "e", "ABBA", "b?", "İz", "1", "02",
  ]
  /// The records by entity.
  let records: [String: [NSManagedObject]]

  /// Fills a context from a seed and saves it.
  init(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
    func make(_ entity: String, _ count: Int) -> [NSManagedObject] {
      (0..<count).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      }
    }
    let (teams, skills) = (make("Team", 3), make("Skill", 4))
    let people = make("Person", 8) + make("Employee", 3)
    for team in teams {
      team.setValue(Self.texts.randomElement(using: &random), forKey: "name")
      team.setValue(Self.some(Int.random(in: 0...4, using: &random), &random), forKey: "size")
      team.setValue(Self.some(people.randomElement(using: &random), &random), forKey: "lead")
    }
    for skill in skills {
      skill.setValue(Self.some(Self.texts.randomElement(using: &random), &random), forKey: "name")
      skill.setValue(Self.some(Int.random(in: -2...5, using: &random), &random), forKey: "level")
    }
    for person in people {
      for (key, value) in Self.attributes(&random) { person.setValue(value, forKey: key) }
      person.setValue(Self.some(people.randomElement(using: &random), &random), forKey: "friend")
      person.setValue(Self.some(teams.randomElement(using: &random), &random), forKey: "team")
      person.setValue(
        NSSet(array: skills.filter { _ in Bool.random(using: &random) }), forKey: "skills")
    }
    try context.save()
    records = ["Person": people, "Team": teams, "Skill": skills]
  }

  private static func attributes(_ random: inout SeededGenerator) -> [String: Any?] {
    [
      "name": some(texts.randomElement(using: &random), &random),
      "age": some(Int.random(in: -1...5, using: &random), &random),
      "height": some(Double(Int.random(in: -4...8, using: &random)) / 4, &random),
      "born": some(date(&random), &random),
      "money": some(Decimal(Int.random(in: -2...9, using: &random)) / 4, &random),
      "code": some(uuid(&random), &random),
      "home": some(URL(string: "http://a.b/\(Int.random(in: 0...2, using: &random))"), &random),
      "photo": some(Data([UInt8.random(in: 0...1, using: &random)]), &random),
      "isActive": some(Bool.random(using: &random), &random),
    ]
  }

  /// One of a few dates.
  static func date(_ random: inout SeededGenerator) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...4, using: &random)))
  }

  /// One of a few UUIDs.
  static func uuid(_ random: inout SeededGenerator) -> UUID {
    UUID(
      uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, .random(in: 0...2, using: &random)))
  }

  private static func some<T>(_ value: T?, _ random: inout SeededGenerator) -> T? {
    Int.random(in: 0..<4, using: &random) == 0 ? nil : value
  }
}
