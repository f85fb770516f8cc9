import CoreData
import Foundation
import Testing

/// An entity that nobody has a class for, with one attribute.
private func openContainer(with attribute: NSAttributeDescription) throws -> NSPersistentContainer {
  let entity = NSEntityDescription()
  entity.name = "Thing"
  entity.properties = [attribute]
  let model = NSManagedObjectModel()
  model.entities = [entity]
  return try openThrowawayContainer(model: model)
}

/// Mistakes with properties that stop the process.
@Suite struct PropertyStops {
  @Test("D23: predicates and warnings of different number stop")
  func d23AnUnevenNumberOfPredicatesAndWarningsStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        nowStops()
        SpecModel.text("name").setValidationPredicates(
          [NSPredicate(format: "length > 1")], withValidationWarnings: [])
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A73: an undefined attribute that is not transient stops")
  func a73AnUndefinedAttributeThatIsStoredStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let attribute = SpecModel.attribute("anything", .undefinedAttributeType)
        nowStops()
        _ = try openContainer(with: attribute)
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A70: a value that cannot be archived stops where it is assigned")
  func a70AValueThatCannotBeArchivedStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openContainer(
          with: SpecModel.attribute("list", .transformableAttributeType))
        let thing = NSEntityDescription.insertNewObject(
          forEntityName: "Thing", into: container.viewContext)
        nowStops()
        thing.setValue(NSObject(), forKey: "list")
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A70: a value transformer that nobody registered stops")
  func a70AnUnknownValueTransformerStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let attribute = SpecModel.attribute("list", .transformableAttributeType)
        attribute.valueTransformerName = "nobody"
        nowStops()
        _ = try openContainer(with: attribute)
      }
    }
    #expect(reachedTheMistake(result))
  }
}
