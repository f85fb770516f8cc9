import CoreData
import Foundation
import Testing

/// Constraints that no store could keep stop when the model is first used (rule D64).
@Suite struct ConstraintStops {
  @Test("D64: a constraint on a transient attribute stops")
  func aConstraintOnATransientAttributeStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { use(SpecModel.constrained { _ in ["remark"] }) }
    #expect(reachedTheMistake(result))
    #expect(says(result, "NSInvalidArgumentException"))
    #expect(says(result, "transient"))
  }

  @Test("D64: a constraint on a to-many relationship stops")
  func aConstraintOnAToManyRelationshipStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { use(SpecModel.constrained { _ in ["others"] }) }
    #expect(reachedTheMistake(result))
    #expect(says(result, "to-many"))
  }

  @Test("D64: a constraint on a name that is no property stops")
  func aConstraintOnANameThatIsNoPropertyStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { use(SpecModel.constrained { _ in ["nmae"] }) }
    #expect(reachedTheMistake(result))
    #expect(says(result, "nmae"))
  }

  @Test("D64: a constraint on something else than a name or a property stops")
  func aConstraintOnSomethingElseStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      nowStops()
      _ = SpecModel.constrained { _ in [7] }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "Int"))
  }
}

/// Puts a model to use.
private func use(_ model: NSManagedObjectModel) {
  nowStops()
  _ = NSPersistentStoreCoordinator(managedObjectModel: model)
}

extension SpecModel {
  /// A model with one entity of every kind of property and one constraint.
  fileprivate static func constrained(
    _ constraint: (NSEntityDescription) -> [Any]
  ) -> NSManagedObjectModel {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    thing.properties = [text("name"), transient("remark")]
    relate(toMany("others", thing, .nullifyDeleteRule), toOne("one", thing))
    thing.uniquenessConstraints = [constraint(thing)]
    let model = NSManagedObjectModel()
    model.entities = [thing]
    return model
  }
}
