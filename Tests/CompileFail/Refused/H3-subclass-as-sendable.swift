// H3, H23: an object's conformance to Sendable is unavailable, whatever its class.
// Swift 6: error: conformance of 'NSManagedObject' to 'Sendable' is unavailable
// Swift 5: warning: conformance of 'NSManagedObject' to 'Sendable' is unavailable

import CoreData

final class Article: NSManagedObject {}

func send<Value: Sendable>(_ value: Value) {}

func send(article: Article) { send(article) }
