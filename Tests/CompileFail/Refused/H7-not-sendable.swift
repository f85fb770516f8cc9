// H7: requests, store descriptions, history and merge conflicts are not Sendable.
// Swift 6: error: type 'NSFetchRequest<NSManagedObject>' does not conform
// Swift 6: error: type 'NSPersistentStoreDescription' does not conform
// Swift 6: error: type 'NSMergeConflict' does not conform
// Swift 6: error: type 'NSPersistentHistoryTransaction' does not conform
// Swift 6: error: type 'NSPersistentHistoryChange' does not conform
// Swift 5: warning: type 'NSFetchRequest<NSManagedObject>' does not conform

import CoreData

func send<Value: Sendable>(_ value: Value) {}

func send(request: NSFetchRequest<NSManagedObject>) { send(request) }
func send(description: NSPersistentStoreDescription) { send(description) }
func send(conflict: NSMergeConflict) { send(conflict) }
func send(transaction: NSPersistentHistoryTransaction) { send(transaction) }
func send(change: NSPersistentHistoryChange) { send(change) }
