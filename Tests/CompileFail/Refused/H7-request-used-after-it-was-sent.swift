// H7: a request that was passed into an actor may not be used afterwards.
// Swift 6: error: sending 'request' risks causing data races

import CoreData

actor Library {
  func count(_ request: NSFetchRequest<NSManagedObject>) async throws -> Int { 0 }
}

func count(in library: Library) async throws -> Int {
  let request = NSFetchRequest<NSManagedObject>(entityName: "Article")
  let count = try await library.count(request)
  request.fetchLimit = 1
  return count
}
