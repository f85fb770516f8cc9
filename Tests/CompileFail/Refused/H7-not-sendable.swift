// H7: requests, store descriptions and merge conflicts are not Sendable.
// Swift 6: error: type 'NSFetchRequest<NSManagedObject>' does not conform
// Swift 6: error: type 'NSPersistentStoreDescription' does not conform
// Swift 6: error: type 'NSMergeConflict' does not conform
// Swift 5: warning: type 'NSFetchRequest<NSManagedObject>' does not conform

import CoreData

func send<Value: Sendable>(_ value: Value) {}

func send(request: NSFetchRequest<NSManagedObject>) { send(request) }
func send(description: NSPersistentStoreDescription) { send(description) }
func send(conflict: NSMergeConflict) { send(conflict) }
