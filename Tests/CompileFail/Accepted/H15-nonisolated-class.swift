// H15: saying nonisolated changes nothing; SDKs that do not say so of the superclass need it.
// flags: -default-isolation MainActor
// Swift 6: accepted

import CoreData

nonisolated class Article: NSManagedObject {
  @Managed var title: String?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    title = "new"
  }
}

func insert(into context: NSManagedObjectContext) {
  context.perform { Article(context: context).title = "in the background" }
}
