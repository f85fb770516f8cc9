import CoreData
import Foundation
import XCTest

/// What becomes of a store that is opened with another configuration (sections C.1 and C.4).
final class ConfigurationSpecs: VersionsCase {
  private typealias Entity = ModelVersion.Entity
  private typealias Attribute = ModelVersion.Attribute

  /// A store is not migrated into a configuration that would take entities away from it: their
  /// records would be lost.
  func testC11_C38_aConfigurationThatLacksAnEntityOfTheStoreIsRefusedWith134020() throws {
    func version(_ attributes: String...) -> NSManagedObjectModel {
      ModelVersion(entities: [
        Entity(name: "Person", attributes: attributes.map { Attribute(name: $0) }),
        Entity(name: "Invoice", attributes: [Attribute(name: "sum")]),
      ]).model(configurations: ["People": ["Person"], "All": ["Person", "Invoice"]])
    }
    for (name, model) in [("Same", version("name")), ("Changed", version("name", "born"))] {
      let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]
      func open(_ model: NSManagedObjectModel, _ configuration: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.remove(
          coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: storeURL(name),
            options: options))
      }
      try open(version("name"), "All")
      cocoaError(134020) { try open(model, "People") }
      try open(model, "All")
      cocoaError(134020) { try open(model, "People") }
    }
  }
}
