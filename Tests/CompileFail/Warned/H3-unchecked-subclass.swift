// H3: a subclass that declares itself Sendable is told that it is not, and stays unsendable.
// Swift 6: warning: conformance of 'Article' to protocol 'Sendable' is already unavailable
// Swift 5: warning: conformance of 'Article' to protocol 'Sendable' is already unavailable

import CoreData

final class Article: NSManagedObject, @unchecked Sendable {}
