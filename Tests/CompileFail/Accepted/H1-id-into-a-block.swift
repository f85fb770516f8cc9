// H1, H9: what crosses is the id; the block makes an object of it again.
// Swift 6: accepted

import CoreData

@MainActor func rename(_ article: NSManagedObject, in context: NSManagedObjectContext) async {
  await context.perform { [id = article.objectID] in
    context.object(with: id).setValue("new", forKey: "title")
  }
}
