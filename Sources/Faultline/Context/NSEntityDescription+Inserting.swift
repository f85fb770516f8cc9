import Foundation

extension NSEntityDescription {
  /// The entity of this name in the model that the context's coordinator uses.
  public class func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
  }

  /// Inserts a new object of the entity of this name; a name that the model does not have stops.
  public class func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let entity = entity(forEntityName: entityName, in: context) else {
      ProgrammerError.stop(
        "NSInternalInconsistencyException: +entityForName: could not locate an entity named "
          + "'\(entityName)' in this model.")
    }
    return entity.layout.objectClass.init(entity: entity, insertInto: context)
  }
}
