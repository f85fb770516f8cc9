// H7: a request that is not used afterwards may be passed into an actor.
// Swift 6: accepted

import CoreData

actor Library {
  func count(_ request: NSFetchRequest<NSManagedObject>) async throws -> Int { 0 }
}

func count(in library: Library) async throws -> Int {
  let request = NSFetchRequest<NSManagedObject>(entityName: "Article")
  return try await library.count(request)
}
