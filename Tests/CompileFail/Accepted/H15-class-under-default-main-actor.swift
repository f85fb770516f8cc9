// H15: where the main actor is the default, a class of objects stays free, as its superclass says.
// flags: -default-isolation MainActor
// Swift 6: accepted

import CoreData

class Article: NSManagedObject {
  @Managed var title: String?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    title = "new"
  }
}

func insert(into context: NSManagedObjectContext) {
  context.perform { Article(context: context).title = "in the background" }
}
