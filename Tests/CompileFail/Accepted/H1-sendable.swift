// H1, H2, H4, H23: ids, contexts, containers, coordinators and models may be sent.
// Swift 6: accepted

import CoreData

func send<Value: Sendable>(_ value: Value) {}

func send(id: NSManagedObjectID) { send(id) }
func send(context: NSManagedObjectContext) { send(context) }
func send(container: NSPersistentContainer) { send(container) }
func send(coordinator: NSPersistentStoreCoordinator) { send(coordinator) }
func send(model: NSManagedObjectModel) { send(model) }
