import Foundation
import XCTest

@testable import Faultline

private class Animal: NSManagedObject {
  @Managed var name: String?
}

private final class Dog: Animal {
  var trick = "sits"
  @Managed var weight: Int64
  @Managed var owner: String?
}

final class ManagedFieldsTests: XCTestCase {
  private func entity(_ type: NSManagedObject.Type) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = String(describing: type)
    entity.managedObjectClassName = String(reflecting: type)
    entity.properties = [("weight", .integer64AttributeType), ("name", .stringAttributeType)].map {
      name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    return entity
  }

  func testPropertiesOfAClassAndOfItsSuperclassFindTheirSlots() {
    let model = NSManagedObjectModel()
    model.entities = [entity(Animal.self), entity(Dog.self)]
    let dog = Dog(entity: model.entitiesByName["Dog"]!, insertInto: nil)
    dog.name = "Rex"
    dog.weight = 30
    XCTAssertEqual([dog.name, dog.trick, "\(dog.weight)"], ["Rex", "sits", "30"])
    XCTAssertEqual(dog.value(forKey: "name") as? String, "Rex")
    let animal = Animal(entity: model.entitiesByName["Animal"]!, insertInto: nil)
    animal.name = "Kitty"
    XCTAssertEqual([animal.name, dog.name], ["Kitty", "Rex"])
  }

  func testAPropertyThatTheEntityLacksIsToldByItsName() {
    XCTAssertEqual(
      (1...4).map { ManagedFields.name(Dog.self, slot: Int32(-$0)) },
      ["name", "weight", "owner", "?"])
  }
}
