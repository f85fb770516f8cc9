import CoreData
import Foundation
import XCTest

/// What errors of validation say, in whose words (rule D25).
final class ValidationTextSpecs: SpecCase {
  private func makeModel() -> NSManagedObjectModel {
    let code = SpecModel.text("code", optional: false, default: "ab")
    code.setValidationPredicates(
      [
        NSPredicate(format: "length >= 2"), NSPredicate(format: "length <= 4"),
        NSPredicate(format: "SELF MATCHES %@", "[a-z]*"), NSPredicate(format: "SELF != 'bad'"),
        NSPredicate(format: "SELF != 'vile'"),
      ], withValidationWarnings: [1670, 1660, 1680, 1550, "What a word"])
    let seat = SpecModel.integer("seat")
    seat.setValidationPredicates(
      [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 9")],
      withValidationWarnings: [1620, 1610])
    let day = SpecModel.attribute("day", .dateAttributeType)
    day.setValidationPredicates(
      [
        NSPredicate(format: "SELF >= %@", Date(timeIntervalSinceReferenceDate: 0)),
        NSPredicate(format: "SELF <= %@", Date(timeIntervalSinceReferenceDate: 9)),
      ], withValidationWarnings: [1640, 1630])
    let ticket = SpecModel.entity("Ticket", NSManagedObject.self, [code, seat, day])
    let guest = SpecModel.entity("Guest", NSManagedObject.self, [])
    let guests = SpecModel.toMany("guests", ticket, .denyDeleteRule)
    (guests.relationship.minCount, guests.relationship.maxCount) = (2, 3)
    SpecModel.relate(guests, SpecModel.toOne("ticket", guest))
    let model = NSManagedObjectModel()
    model.entities = [ticket, guest]
    return model
  }

  /// What the save of a ticket with these values throws.
  private func text(
    _ values: [String: Any?], _ context: NSManagedObjectContext, guests: Int = 0
  ) -> String? {
    let ticket = NSEntityDescription.insertNewObject(forEntityName: "Ticket", into: context)
    for (key, value) in values { ticket.setValue(value, forKey: key) }
    for _ in 0..<guests {
      NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context)
        .setValue(ticket, forKey: "ticket")
    }
    defer { context.rollback() }
    do { try context.save() } catch { return (error as NSError).localizedDescription }
    return nil
  }

  func testD25_theErrorSaysWhatIsWrongWithTheProperty() throws {
    let context = try makeContainer(model: makeModel()).viewContext
    func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
    XCTAssertEqual(text(["code": nil], context), "code is a required value.")
    XCTAssertEqual(text(["code": "a"], context), "code is too short.")
    XCTAssertEqual(text(["code": "abcde"], context), "code is too long.")
    XCTAssertEqual(text(["code": "AB"], context), "code is invalid.")
    XCTAssertEqual(text(["code": "bad"], context), "code is not valid.")
    XCTAssertEqual(text(["code": "vile"], context), "What a word")
    XCTAssertEqual(text(["seat": -1], context), "seat is too small.")
    XCTAssertEqual(text(["seat": 10], context), "seat is too large.")
    XCTAssertEqual(text(["day": date(-1)], context), "day is too soon.")
    XCTAssertEqual(text(["day": date(10)], context), "day is too late.")
    XCTAssertEqual(text([:], context, guests: 1), "Too few items in guests.")
    XCTAssertEqual(text([:], context, guests: 4), "Too many items in guests.")
    XCTAssertEqual(
      text(["code": "a", "seat": 10], context), "Multiple validation errors occurred.")
    XCTAssertNil(text([:], context, guests: 2))
    let ticket = NSEntityDescription.insertNewObject(forEntityName: "Ticket", into: context)
    let guests = (0..<2).map { _ in
      NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context)
    }
    ticket.setValue(Set(guests), forKey: "guests")
    try context.save()
    context.delete(ticket)
    let error = cocoaError(1600) { try context.save() }
    XCTAssertEqual(error?.localizedDescription, "Items cannot be deleted from guests.")
  }

  func testD25_theErrorSpeaksTheWordsOfTheModel() throws {
    let model = makeModel()
    model.localizationDictionary = [
      "Property/code/Entity/Ticket": "Kennung", "Property/code": "Code", "Property/seat": "Sitz",
      "ErrorString/%{PROPERTY}@ is too short.": "%{PROPERTY}@ ist zu kurz.",
      "ErrorString/What a word": "Was für ein Wort",
    ]
    let context = try makeContainer(model: model).viewContext
    XCTAssertEqual(text(["code": "a"], context), "Kennung ist zu kurz.")
    XCTAssertEqual(text(["code": "vile"], context), "Was für ein Wort")
    XCTAssertEqual(text(["seat": 10], context), "Sitz is too large.")
    model.localizationDictionary = nil
    XCTAssertEqual(text(["code": "a"], context), "code is too short.")
  }
}
