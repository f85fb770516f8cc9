import CoreData
import Foundation
import XCTest

/// A class whose accessors stand in an extension, as a generator writes them.
final class Film: NSManagedObject {}

/// Another one, and its sub-entity.
class Person: NSManagedObject {}

/// A sub-entity.
final class Star: Person {}

#if FAULTLINE
  extension Film {
    private static let titleSlot = ManagedSlot<String?>("title")
    private static let minutesSlot = ManagedSlot<Int16>("minutes")
    private static let directorSlot = ManagedSlot<Person?>("director")
    private static let castSlot = ManagedSlot<NSSet?>("cast")
    private static let reelsSlot = ManagedSlot<NSOrderedSet?>("reels")
    private static let keywordsSlot = ManagedSlot<[String]?>("keywords")

    var title: String? {
      get { value(at: Self.titleSlot) }
      set { setValue(newValue, at: Self.titleSlot) }
    }
    var minutes: Int16 {
      get { value(at: Self.minutesSlot) }
      set { setValue(newValue, at: Self.minutesSlot) }
    }
    var director: Person? {
      get { value(at: Self.directorSlot) }
      set { setValue(newValue, at: Self.directorSlot) }
    }
    var keywords: [String]? {
      get { value(at: Self.keywordsSlot) }
      set { setValue(newValue, at: Self.keywordsSlot) }
    }
    var cast: NSSet? {
      get { value(at: Self.castSlot) }
      set { setValue(newValue, at: Self.castSlot) }
    }
    var reels: NSOrderedSet? {
      get { value(at: Self.reelsSlot) }
      set { setValue(newValue, at: Self.reelsSlot) }
    }
  }

  // The accessors of a set.
  extension Film {
    func addToCast(_ value: Person) { add(value, to: Self.castSlot) }
    func removeFromCast(_ value: Person) { remove(value, from: Self.castSlot) }
    func addToCast(_ values: NSSet) {
      for case let value as Person in values { add(value, to: Self.castSlot) }
    }
    func removeFromCast(_ values: NSSet) {
      for case let value as Person in values { remove(value, from: Self.castSlot) }
    }
  }

  // The accessors of an ordered set.
  extension Film {
    func addToReels(_ value: Reel) { add(value, to: Self.reelsSlot) }
    func removeFromReels(_ value: Reel) { remove(value, from: Self.reelsSlot) }
    func addToReels(_ values: NSOrderedSet) {
      for case let value as Reel in values { add(value, to: Self.reelsSlot) }
    }
    func removeFromReels(_ values: NSOrderedSet) {
      for case let value as Reel in values { remove(value, from: Self.reelsSlot) }
    }
    func insertIntoReels(_ value: Reel, at idx: Int) {
      mutableOrderedSetValue(forKey: "reels").insert(value, at: idx)
    }
    func removeFromReels(at idx: Int) {
      mutableOrderedSetValue(forKey: "reels").removeObject(at: idx)
    }
    func insertIntoReels(_ values: [Reel], at indexes: NSIndexSet) {
      mutableOrderedSetValue(forKey: "reels").insert(values, at: IndexSet(indexes))
    }
    func removeFromReels(at indexes: NSIndexSet) {
      mutableOrderedSetValue(forKey: "reels").removeObjects(at: IndexSet(indexes))
    }
    func replaceReels(at idx: Int, with value: Reel) {
      mutableOrderedSetValue(forKey: "reels").replaceObject(at: idx, with: value)
    }
    func replaceReels(at indexes: NSIndexSet, with values: [Reel]) {
      mutableOrderedSetValue(forKey: "reels").replaceObjects(
        at: IndexSet(indexes), with: values)
    }
  }

  extension Person {
    private static let nameSlot = ManagedSlot<String?>("name")
    private static let filmsSlot = ManagedSlot<Set<Film>>("films")
    var name: String? {
      get { value(at: Self.nameSlot) }
      set { setValue(newValue, at: Self.nameSlot) }
    }
    var films: Set<Film> {
      get { value(at: Self.filmsSlot) }
      set { setValue(newValue, at: Self.filmsSlot) }
    }
  }

  /// A part of a film.
  final class Reel: NSManagedObject {
    private static let numberSlot = ManagedSlot<Int64>("number")
    var number: Int64 {
      get { value(at: Self.numberSlot) }
      set { setValue(newValue, at: Self.numberSlot) }
    }
  }

  /// Accessors over slots do what properties do.
  final class GeneratedAccessorSpecs: SpecCase {
    private static let model = makeModel(extra: false)

    /// The model; with an extra attribute every other slot has another number.
    private static func makeModel(extra: Bool) -> NSManagedObjectModel {
      let film = SpecModel.entity(
        "Film", Film.self,
        [
          SpecModel.text("title"), SpecModel.attribute("minutes", .integer16AttributeType),
          SpecModel.attribute("keywords", .transformableAttributeType),
        ])
      if extra { film.properties.append(SpecModel.text("aaa")) }
      let person = SpecModel.entity("Person", Person.self, [SpecModel.text("name")])
      let star = SpecModel.entity("Star", Star.self, [])
      person.subentities = [star]
      let reel = SpecModel.entity("Reel", Reel.self, [SpecModel.integer("number")])
      SpecModel.relate(
        SpecModel.toMany("cast", film, .nullifyDeleteRule),
        SpecModel.toMany("films", person, .nullifyDeleteRule))
      SpecModel.relate(
        SpecModel.toOne("director", film),
        SpecModel.toMany("directed", person, .nullifyDeleteRule))
      SpecModel.relate(SpecModel.ordered("reels", film), SpecModel.toOne("film", reel))
      let model = NSManagedObjectModel()
      model.entities = [film, person, star, reel]
      return model
    }

    private func insert<Object: NSManagedObject>(
      _ name: String, _ type: Object.Type, _ context: NSManagedObjectContext
    ) throws -> Object {
      try XCTUnwrap(
        NSEntityDescription.insertNewObject(forEntityName: name, into: context) as? Object)
    }

    func testA70_accessorsInAnExtensionReadAndWriteTheRow() throws {
      let context = try makeContainer(model: Self.model).viewContext
      let film = try insert("Film", Film.self, context)
      XCTAssertNil(film.title)
      XCTAssertEqual(film.minutes, 0)
      film.title = "M"
      film.minutes = 117
      film.keywords = ["crime"]
      let director = try insert("Star", Star.self, context)
      director.name = "Fritz"
      film.director = director
      try context.save()
      context.refresh(film, mergeChanges: false)
      XCTAssertTrue(film.isFault)
      XCTAssertEqual(film.title, "M")
      XCTAssertFalse(film.isFault)
      XCTAssertEqual(film.minutes, 117)
      XCTAssertEqual(film.keywords, ["crime"])
      XCTAssertIdentical(film.director, director)
      film.title = nil
      XCTAssertEqual(film.changedValues().keys.sorted(), ["title"])
    }

    func testA66_A71_theAccessorsOfASetKeepInversesInStep() throws {
      let context = try makeContainer(model: Self.model).viewContext
      let film = try insert("Film", Film.self, context)
      let people = try (0..<3).map { _ in try insert("Person", Person.self, context) }
      film.addToCast(people[0])
      film.addToCast(NSSet(array: [people[1], people[2]]))
      XCTAssertEqual(film.cast?.count, 3)
      XCTAssertEqual(people[1].films, [film])
      film.removeFromCast(people[0])
      film.removeFromCast(NSSet(array: [people[2]]))
      XCTAssertEqual(film.cast?.allObjects as? [Person], [people[1]])
      XCTAssertTrue(people[0].films.isEmpty)
      people[0].films = [film]
      XCTAssertEqual(film.cast?.count, 2)
      film.cast = nil
      XCTAssertTrue(people[0].films.isEmpty)
    }

    func testA66_A71_theAccessorsOfAnOrderedSetKeepOrderAndInverses() throws {
      let context = try makeContainer(model: Self.model).viewContext
      let film = try insert("Film", Film.self, context)
      let reels = try (0..<5).map { number in
        let reel = try insert("Reel", Reel.self, context)
        reel.number = Int64(number)
        return reel
      }
      func numbers() -> [Int64] {
        film.reels?.array.compactMap { ($0 as? Reel)?.number } ?? []
      }
      film.addToReels(reels[1])
      film.addToReels(NSOrderedSet(array: [reels[3], reels[2]]))
      film.insertIntoReels(reels[0], at: 0)
      XCTAssertEqual(numbers(), [0, 1, 3, 2])
      XCTAssertIdentical(reels[0].value(forKey: "film") as? Film, film)
      film.removeFromReels(reels[3])
      film.replaceReels(at: 0, with: reels[4])
      XCTAssertEqual(numbers(), [4, 1, 2])
      film.insertIntoReels([reels[0], reels[3]], at: NSIndexSet(indexSet: [0, 2]))
      XCTAssertEqual(numbers(), [0, 4, 3, 1, 2])
      film.removeFromReels(at: NSIndexSet(indexSet: [0, 4]))
      film.removeFromReels(at: 0)
      XCTAssertEqual(numbers(), [3, 1])
      film.replaceReels(at: NSIndexSet(indexSet: [0, 1]), with: [reels[2], reels[0]])
      XCTAssertEqual(numbers(), [2, 0])
      film.removeFromReels(NSOrderedSet(array: reels))
      XCTAssertEqual(numbers(), [])
      XCTAssertNil(reels[0].value(forKey: "film"))
      film.reels = NSOrderedSet(array: reels.reversed())
      try context.save()
      context.refresh(film, mergeChanges: false)
      XCTAssertEqual(numbers(), [4, 3, 2, 1, 0])
    }

    func testOneAccessorServesModelsThatNumberPropertiesDifferently() throws {
      let containers = try [false, true].map {
        try makeContainer(model: Self.makeModel(extra: $0), name: "\($0)")
      }
      let films = try containers.map { try insert("Film", Film.self, $0.viewContext) }
      for (number, film) in films.enumerated() { film.title = "\(number)" }
      XCTAssertEqual(films.map(\.title), ["0", "1"])
      XCTAssertEqual(films.map { $0.value(forKey: "title") as? String }, ["0", "1"])
    }

    func testA70_entitiesWithoutAClassWorkByKey() throws {
      let list = NSEntityDescription()
      list.name = "Checklist"
      let item = NSEntityDescription()
      item.name = "Entry"
      list.properties = [SpecModel.text("name")]
      item.properties = [SpecModel.text("name")]
      SpecModel.relate(SpecModel.ordered("entries", list), SpecModel.toOne("list", item))
      let model = NSManagedObjectModel()
      model.entities = [list, item]
      let context = try makeContainer(model: model).viewContext
      let object = try insert("Checklist", NSManagedObject.self, context)
      object.setValue("today", forKey: "name")
      let entries = object.mutableOrderedSetValue(forKey: "entries")
      for name in ["b", "a"] {
        let entry = try insert("Entry", NSManagedObject.self, context)
        entry.setValue(name, forKey: "name")
        entries.add(entry)
      }
      try context.save()
      context.reset()
      let found = try XCTUnwrap(
        context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Checklist")).first)
      let names = (found.value(forKey: "entries") as? NSOrderedSet)?.array
        .compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
      XCTAssertEqual(names, ["b", "a"])
    }
  }
#endif
