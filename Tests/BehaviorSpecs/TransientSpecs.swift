import CoreData
import Foundation
import XCTest

/// Has a speed that no store keeps: mandatory, 7 by default.
final class Cart: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Transient and mandatory.
  @Managed var speed: Int64
  /// Transient, with a text as its default.
  @Managed var mood: String?
}

/// Transient properties: what an object begins with, and what a child's save tells its parent
/// (sections A.4 and B.5).
final class TransientSpecs: SpecCase {
  private func makeCarts() throws -> NSPersistentContainer {
    let speed = SpecModel.attribute("speed", .integer64AttributeType, optional: false, default: 7)
    let mood = SpecModel.text("mood", optional: false, default: "calm")
    for attribute in [speed, mood] { attribute.isTransient = true }
    let model = NSManagedObjectModel()
    model.entities = [SpecModel.entity("Cart", Cart.self, [SpecModel.text("name"), speed, mood])]
    return try makeContainer(model: model, name: "Carts")
  }

  private func savedCart(_ context: NSManagedObjectContext) throws -> Cart {
    let cart = Cart(context: context)
    cart.name = "first"
    try context.save()
    return cart
  }

  func testA73_aTransientReadsItsDefaultAgainAfterItsObjectWasAFault() throws {
    let context = try makeCarts().viewContext
    let cart = try savedCart(context)
    XCTAssertEqual(cart.speed, 7)
    cart.speed = 50
    try context.save()
    XCTAssertEqual(cart.speed, 50)
    context.refresh(cart, mergeChanges: false)
    XCTAssertTrue(cart.isFault)
    XCTAssertEqual(cart.speed, 7)
    XCTAssertEqual(cart.mood, "calm")
    XCTAssertFalse(cart.hasChanges)
    cart.name = "second"
    XCTAssertNoThrow(try context.save())
  }

  func testA73_aFetchedObjectWithAMandatoryTransientIsSaved() throws {
    let container = try makeCarts()
    _ = try savedCart(container.viewContext)
    let other = makeMainContext(container)
    let cart = try other.only(Cart.self)
    XCTAssertEqual([cart.speed, Int64(cart.mood?.count ?? 0)], [7, 4])
    cart.name = "second"
    XCTAssertEqual(Set(cart.changedValues().keys), ["name"])
    try other.save()
    cart.name = "third"
    other.rollback()
    XCTAssertEqual(cart.speed, 7)
    cart.name = "fourth"
    XCTAssertNoThrow(try other.save())
  }

  func testA73_aTransientThatWasSetToNilStaysNilUntilTheObjectIsAFault() throws {
    let context = try makeCarts().viewContext
    let cart = try savedCart(context)
    cart.mood = nil
    XCTAssertNil(cart.mood)
    XCTAssertThrowsError(try context.save()) {
      XCTAssertEqual(($0 as? CocoaError)?.code.rawValue, NSValidationMissingMandatoryPropertyError)
    }
    context.refresh(cart, mergeChanges: true)
    XCTAssertNil(cart.mood, "a merging refresh leaves transient values alone")
    context.refresh(cart, mergeChanges: false)
    XCTAssertEqual(cart.mood, "calm")
  }

  func testA73_D39_aTransientReferenceOutlivesASaveThatDoesNotStoreIt() throws {
    let next = NSRelationshipDescription()
    next.name = "next"
    next.maxCount = 1
    next.isTransient = true
    let cart = SpecModel.entity("Cart", NSManagedObject.self, [SpecModel.text("name"), next])
    next.destinationEntity = cart
    let model = NSManagedObjectModel()
    model.entities = [cart]
    let context = try makeContainer(model: model, name: "Carts").viewContext
    let (front, back) = (
      NSManagedObject(entity: cart, insertInto: context),
      NSManagedObject(entity: cart, insertInto: context)
    )
    try context.save()
    front.setValue(back, forKey: "next")
    try context.save()
    XCTAssertFalse(context.hasChanges)
    XCTAssertIdentical(front.value(forKey: "next") as? NSManagedObject, back)
  }

  func testA55_B41_aChildsSaveHandsItsTransientValuesToTheParent() throws {
    let parent = try makeCarts().viewContext
    let child = makeMainChild(of: parent)
    let mine = Cart(context: child)
    mine.name = "first"
    mine.speed = 50
    try child.save()
    let theirs = try XCTUnwrap(parent.insertedObjects.first as? Cart)
    XCTAssertEqual([mine.speed, theirs.speed], [50, 50])
    XCTAssertEqual(theirs.mood, "calm")
    mine.speed = 20
    try child.save()
    XCTAssertEqual(theirs.speed, 20)
    mine.speed = 7
    try child.save()
    XCTAssertEqual(theirs.speed, 7, "the default is a value like any other")
  }

  func testA55_B41_aTransientChangeAloneMakesTheParentHaveChangesAndWritesNothing() throws {
    let container = try makeCarts()
    let parent = container.viewContext
    let theirs = try savedCart(parent)
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.existingObject(with: theirs.objectID) as? Cart)
    mine.speed = 30
    try child.save()
    XCTAssertEqual(theirs.speed, 30)
    XCTAssertTrue(parent.hasChanges)
    XCTAssertFalse(theirs.hasPersistentChangedValues)
    try parent.save()
    XCTAssertEqual(theirs.speed, 30)
    let other = try makeMainContext(container).only(Cart.self)
    XCTAssertEqual(other.speed, 7)
  }

  func testB41_B44_aChildReadsNoTransientValueOfItsParentAndPushesOnlyWhatItSet() throws {
    let parent = try makeCarts().viewContext
    let theirs = try savedCart(parent)
    theirs.speed = 30
    let child = makeMainChild(of: parent)
    let mine = try XCTUnwrap(child.existingObject(with: theirs.objectID) as? Cart)
    XCTAssertEqual(mine.speed, 7)
    mine.name = "second"
    try child.save()
    XCTAssertEqual(theirs.name, "second")
    XCTAssertEqual(theirs.speed, 30)
  }
}
