import CoreData
import Foundation
import XCTest

/// What a save refuses to write and how it says so (section D.3).
final class ValidationSpecs: SpecCase {
  override func tearDown() {
    Journal.clear()
    super.tearDown()
  }

  func testD22_settersNeverValidate() throws {
    let context = try makeContainer().viewContext
    let tag = Tag(context: context)
    tag.name = nil
    context.processPendingChanges()
    XCTAssertNil(tag.name, "the invalid value was taken without complaint")
    XCTAssertThrowsError(try tag.validateForInsert())
    cocoaError(1570) { try context.save() }
  }

  func testD23_anUpdatedObjectValidatesItsUnchangedPropertiesToo() throws {
    Journal.clear()
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let invoice = Invoice(context: context)
    invoice.payer = author
    try context.save()
    invoice.setPrimitiveValue(nil, forKey: "payer")
    invoice.amount = 5
    let error = cocoaError(1570) { try context.save() }
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "payer")
  }

  func testD24_oneFailureIsThrownAsItIs() throws {
    let context = try makeContainer().viewContext
    _ = Tag(context: context)
    let error = cocoaError(1570) { try context.save() }
    XCTAssertNil(error?.userInfo[NSDetailedErrorsKey])
  }

  func testD24_severalFailuresComeAsOneErrorWithTheList() throws {
    let context = try makeContainer().viewContext
    let tags = (0..<3).map { _ in Tag(context: context) }
    let invoice = Invoice(context: context)
    let error = cocoaError(1560) { try context.save() }
    let details = try XCTUnwrap(error?.userInfo[NSDetailedErrorsKey] as? [any Error])
    XCTAssertEqual(details.count, 4)
    XCTAssertEqual(Set(details.map { ($0 as NSError).code }), [1570])
    let blamed = details.compactMap {
      ($0 as NSError).userInfo[NSValidationObjectErrorKey] as? NSManagedObject
    }
    XCTAssertEqual(Set(blamed), Set(tags + [invoice] as [NSManagedObject]))
  }

  func testD24_severalFailuresOfOneObjectAreListedToo() throws {
    let context = try makeContainer().viewContext
    let article = Article(context: context)
    article.setValue(nil, forKey: "title")
    article.setValue(nil, forKey: "isOpen")
    let error = cocoaError(1560) { try context.save() }
    let details = try XCTUnwrap(error?.userInfo[NSDetailedErrorsKey] as? [any Error])
    let keys = details.compactMap { ($0 as NSError).userInfo[NSValidationKeyErrorKey] as? String }
    XCTAssertEqual(Set(keys), ["title", "isOpen"])
  }

  func testD25_theErrorNamesObjectAndProperty() throws {
    let context = try makeContainer().viewContext
    let invoice = Invoice(context: context)
    let error = cocoaError(1570) { try context.save() }
    XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, invoice)
    XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "payer")
    XCTAssertNil(error?.userInfo[NSValidationValueErrorKey], "the value is nil")
    XCTAssertNil(error?.userInfo[NSValidationPredicateErrorKey])
  }

  func testD25_theErrorOfADeniedDeletionCarriesTheRelatedObjectsAsItsValue() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    let contract = Contract(context: context)
    contract.signatory = author
    try context.save()
    context.delete(author)
    let error = cocoaError(1600) { try context.save() }
    let value = error?.userInfo[NSValidationValueErrorKey] as? NSSet
    XCTAssertEqual(value?.allObjects as? [Contract], [contract])
  }

  func testD26_nilIsMissingAndAnEmptyStringIsNot() throws {
    let context = try makeContainer().viewContext
    let tag = Tag(context: context)
    cocoaError(1570) { try context.save() }
    tag.name = ""
    XCTAssertNoThrow(try context.save())
  }

  func testD26_aMandatoryToOneWithoutDestinationIsMissing() throws {
    let context = try makeContainer().viewContext
    let invoice = Invoice(context: context)
    cocoaError(1570) { try context.save() }
    invoice.payer = Author(context: context)
    XCTAssertNoThrow(try context.save())
  }

  func testD27_aValidationThatChangesAValueCausesAnotherRound() throws {
    Journal.clear()
    let container = try makeContainer(model: WitnessModel.model)
    let context = container.viewContext
    Journal.during("validateForInsert") { witness in
      if witness.name == nil { witness.name = "filled in by validation" }
    }
    _ = Witness(context: context)
    try context.save()
    XCTAssertEqual(Journal.count("willSave"), 2)
    XCTAssertEqual(Journal.count("validateForInsert"), 2)
    XCTAssertEqual(
      try reader(container).only(Witness.self).name, "filled in by validation")
  }

  func testD28_anObjectWhoseRowIsGoneIsExempt() throws {
    let container = try makeContainer()
    let tag = Tag(context: container.viewContext)
    tag.name = "word"
    try container.viewContext.save()
    let other = makeMainContext(container)
    let inOther = try XCTUnwrap(other.object(with: tag.objectID) as? Tag)
    container.viewContext.delete(tag)
    try container.viewContext.save()
    XCTAssertNil(inOther.name, "a mandatory property reads nil, because the row is gone")
    XCTAssertTrue(inOther.isDeleted)
    XCTAssertNoThrow(try other.save())
  }

  func testD28_T8_aRowGoneBeforeOurOwnDeletionIsNoError() throws {
    let container = try makeContainer()
    let tag = Tag(context: container.viewContext)
    tag.name = "word"
    try container.viewContext.save()
    let other = makeMainContext(container)
    let inOther = try XCTUnwrap(other.object(with: tag.objectID) as? Tag)
    container.viewContext.delete(tag)
    try container.viewContext.save()
    other.delete(inOther)
    XCTAssertNoThrow(try other.save())
    XCTAssertFalse(other.hasChanges)
  }
}
