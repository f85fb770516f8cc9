import CoreData
import Foundation
import XCTest

/// Something with limits.
class Ticket: NSManagedObject {
  /// Two to four capital letters.
  @Managed var code: String?
  /// 0 to 99.
  @Managed var seat: Int64
  /// Anything but 6.66.
  @Managed var price: NSNumber?
  /// One of a hundred seconds.
  @Managed var day: Date?
  /// One or two, if there are any.
  @Managed var guests: Set<Guest>
  /// Any number.
  @Managed var rivals: Set<Guest>
}

/// A ticket that checks itself.
final class CheckedTicket: Ticket {
  /// The keys of the properties asked about.
  nonisolated(unsafe) static var asked: [String] = []

  override func validateValue(_ value: inout Any?, forKey key: String) throws {
    Self.asked.append(key)
    if key == "code", let code = value as? String, code != code.uppercased() {
      value = code.uppercased()
    }
    try super.validateValue(&value, forKey: key)
    if key == "seat", value as? Int64 == 13 {
      throw CocoaError(
        .managedObjectValidation,
        userInfo: [NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: key])
    }
  }
}

/// Somebody whom a ticket lets in.
final class Guest: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// What lets them in.
  @Managed var ticket: Ticket?
}

/// What a property may be, as the model and its class say (section D.3).
final class PropertyValidationSpecs: SpecCase {
  private static let model: NSManagedObjectModel = {
    let code = SpecModel.text("code")
    code.setValidationPredicates(
      [
        NSPredicate(format: "length >= 2"), NSPredicate(format: "length <= 4"),
        NSPredicate(format: "SELF MATCHES %@", "[A-Z]*"),
      ],
      withValidationWarnings: [
        NSValidationStringTooShortError, NSValidationStringTooLongError,
        NSValidationStringPatternMatchingError,
      ])
    let seat = SpecModel.integer("seat")
    seat.setValidationPredicates(
      [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= %@", 99 as NSNumber)],
      withValidationWarnings: [NSValidationNumberTooSmallError, NSValidationNumberTooLargeError])
    let price = SpecModel.attribute("price", .doubleAttributeType)
    price.setValidationPredicates(
      [NSPredicate(block: { value, _ in (value as? NSNumber)?.doubleValue != 6.66 })],
      withValidationWarnings: ["not that price"])
    let day = SpecModel.attribute("day", .dateAttributeType)
    day.setValidationPredicates(
      [
        NSPredicate(format: "SELF >= %@", Date(timeIntervalSinceReferenceDate: 100)),
        NSPredicate(format: "SELF <= %@", Date(timeIntervalSinceReferenceDate: 200)),
      ], withValidationWarnings: [NSValidationDateTooSoonError, NSValidationDateTooLateError])
    let ticket = SpecModel.entity("Ticket", Ticket.self, [code, seat, price, day])
    let checked = SpecModel.entity("CheckedTicket", CheckedTicket.self, [])
    let guest = SpecModel.entity("Guest", Guest.self, [SpecModel.text("name")])
    ticket.subentities = [checked]
    let guests = SpecModel.toMany("guests", ticket, .nullifyDeleteRule)
    guests.relationship.minCount = 1
    guests.relationship.maxCount = 2
    SpecModel.relate(guests, SpecModel.toOne("ticket", guest))
    SpecModel.relate(
      SpecModel.toMany("rivals", ticket, .nullifyDeleteRule), SpecModel.toOne("coveted", guest))
    let model = NSManagedObjectModel()
    model.entities = [ticket, checked, guest]
    return model
  }()

  override func setUpWithError() throws {
    try super.setUpWithError()
    CheckedTicket.asked = []
  }

  private func context() throws -> NSManagedObjectContext {
    try makeContainer(model: Self.model).viewContext
  }

  func testD26_aMandatoryToManyRelationshipWithAMinimumOfZeroMayBeEmpty() throws {
    let (shelf, book) = (
      SpecModel.entity("Shelf", NSManagedObject.self, [SpecModel.text("name")]),
      SpecModel.entity("Book", NSManagedObject.self, [])
    )
    let books = SpecModel.toMany("books", shelf, .nullifyDeleteRule)
    books.relationship.isOptional = false
    SpecModel.relate(books, SpecModel.toOne("shelf", book))
    let model = NSManagedObjectModel()
    model.entities = [shelf, book]
    let context = try makeContainer(model: model, name: "Shelves").viewContext
    let empty = NSManagedObject(entity: shelf, insertInto: context)
    XCTAssertNoThrow(try context.save())
    empty.setValue("dusty", forKey: "name")
    XCTAssertNoThrow(try context.save())
  }

  /// The codes of the errors that a save of the ticket throws.
  private func codes(_ change: (Ticket) -> Void) throws -> [Int] {
    let context = try makeContainer(model: Self.model, name: UUID().uuidString).viewContext
    let ticket = Ticket(context: context)
    change(ticket)
    do {
      try context.save()
      return []
    } catch {
      let details = (error as NSError).userInfo[NSDetailedErrorsKey] as? [any Error]
      return (details ?? [error]).map { ($0 as NSError).code }.sorted()
    }
  }

  func testD23_predicatesSayWhichValuesAreValidAndWithWhichCode() throws {
    XCTAssertEqual(try codes { $0.code = "AB" }, [])
    XCTAssertEqual(try codes { $0.code = "A" }, [1670])
    XCTAssertEqual(try codes { $0.code = "ABCDE" }, [1660])
    XCTAssertEqual(try codes { $0.code = "AB1" }, [1680])
    XCTAssertEqual(try codes { $0.seat = -1 }, [1620])
    XCTAssertEqual(try codes { $0.seat = 100 }, [1610])
    XCTAssertEqual(try codes { $0.day = Date(timeIntervalSinceReferenceDate: 99) }, [1640])
    XCTAssertEqual(try codes { $0.day = Date(timeIntervalSinceReferenceDate: 201) }, [1630])
    XCTAssertEqual(try codes { $0.day = Date(timeIntervalSinceReferenceDate: 150) }, [])
  }

  func testD23_aPredicateIsNotAskedAboutNil() throws {
    XCTAssertEqual(try codes { $0.code = nil }, [])
  }

  func testD24_severalPredicatesOfOnePropertyFailTogether() throws {
    XCTAssertEqual(try codes { $0.code = "12345" }, [1660, 1680])
    XCTAssertEqual(
      try codes {
        $0.code = "x"
        $0.seat = 100
      }, [1610, 1670, 1680])
  }

  func testD25_theErrorCarriesThePredicateAndTheValueThatFailed() throws {
    let context = try context()
    let ticket = Ticket(context: context)
    ticket.seat = 100
    let error = cocoaError(1610) { try context.save() }
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, ticket)
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "seat")
    XCTAssertEqual(error?.userInfo[NSValidationValueErrorKey] as? Int64, 100)
    let predicate = error?.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
    XCTAssertIdentical(
      predicate,
      Self.model.entitiesByName["Ticket"]?.attributesByName["seat"]?
        .validationPredicates[1])
  }

  func testD24_aTextAsWarningGoesWithTheGenericCode() throws {
    let context = try context()
    let ticket = Ticket(context: context)
    ticket.price = 6.66
    let error = cocoaError(1550) { try context.save() }
    XCTAssertEqual(error?.localizedDescription, "not that price")
  }

  func testD18_membersAreCountedIfThereAreAny() throws {
    func guests(_ count: Int) throws -> [Int] {
      try codes { ticket in
        guard let context = ticket.managedObjectContext else { return }
        ticket.guests = Set((0..<count).map { _ in Guest(context: context) })
      }
    }
    XCTAssertEqual(try guests(0), [])
    XCTAssertEqual(try guests(2), [])
    XCTAssertEqual(try guests(3), [1590])
  }

  func testD22_D23_aValueCanBeCheckedWithoutBeingSet() throws {
    let ticket = Ticket(context: try context())
    var value: Any? = 50
    XCTAssertNoThrow(try ticket.validateValue(&value, forKey: "seat"))
    value = 100
    cocoaError(1610) { try ticket.validateValue(&value, forKey: "seat") }
    value = nil
    cocoaError(1570) { try ticket.validateValue(&value, forKey: "seat") }
    XCTAssertNoThrow(try ticket.validateValue(&value, forKey: "code"))
    XCTAssertEqual(ticket.seat, 0)
    XCTAssertFalse(ticket.changedValues().keys.contains("seat"))
  }

  func testA85_D23_anOverrideIsAskedAboutEveryPropertyAfterTheModel() throws {
    let context = try context()
    let ticket = CheckedTicket(context: context)
    ticket.seat = 100
    cocoaError(1610) { try context.save() }
    XCTAssertTrue(Set(["code", "seat", "price", "day"]).isSubset(of: CheckedTicket.asked))
    ticket.seat = 13
    let error = cocoaError(1550) { try context.save() }
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "seat")
    ticket.seat = 14
    XCTAssertNoThrow(try context.save())
    CheckedTicket.asked = []
    ticket.seat = 15
    try context.save()
    XCTAssertTrue(CheckedTicket.asked.contains("code"), "unchanged properties are asked about too")
  }

  func testD23_onlyClassesThatOverrideItAreAsked() throws {
    let context = try context()
    _ = Ticket(context: context)
    try context.save()
    XCTAssertEqual(CheckedTicket.asked, [])
  }

  func testD23_unreadMembersWithoutLimitsAreNotLoadedToBeChecked() throws {
    let context = try context()
    let ticket = CheckedTicket(context: context)
    try context.save()
    context.refresh(ticket, mergeChanges: false)
    CheckedTicket.asked = []
    ticket.seat = 1
    try context.save()
    XCTAssertTrue(CheckedTicket.asked.contains("guests"))
    XCTAssertFalse(CheckedTicket.asked.contains("rivals"))
    XCTAssertTrue(ticket.hasFault(forRelationshipNamed: "rivals"))
    ticket.rivals = [Guest(context: context)]
    try context.save()
    XCTAssertTrue(CheckedTicket.asked.contains("rivals"))
  }

  func testD27_anOverrideThatReplacesTheValueCausesAnotherRound() throws {
    let context = try context()
    let ticket = CheckedTicket(context: context)
    ticket.code = "abc"
    try context.save()
    XCTAssertEqual(ticket.code, "ABC")
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(CheckedTicket.asked.filter { $0 == "code" }.count, 2)
    context.refresh(ticket, mergeChanges: false)
    XCTAssertEqual(ticket.code, "ABC")
  }
}
