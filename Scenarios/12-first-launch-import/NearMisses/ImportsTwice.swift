import CoreData
import PlaygroundKit

/// The first launch; `Scenarios/12-first-launch-import/Exercise/App.swift` has the app.
@MainActor func yours(_ world: World) async throws {
  try await App.start(world, reload: firstArticles) { try await launch($0, $1, $2, $3) }
}

/// What the first screen needs, and then everything.
@MainActor func launch(
  _ articles: Int, _ fits: Int, _ container: NSPersistentContainer,
  _ show: @MainActor ([Article]) throws -> Void
) async throws {
  let bg = container.newBackgroundContext()
  try await bg.perform { try importArticles(1...min(fits, articles), into: bg) }
  try show(firstArticles(fits, in: container.viewContext))
  try await bg.perform { try importArticles(1...articles, into: bg) }
}

/// Imports some of the articles, and saves them.
func importArticles(_ numbers: ClosedRange<Int>, into context: NSManagedObjectContext) throws {
  for number in numbers {
    let article = Article(context: context)
    article.name = "Article \(number)"
    article.views = Int64(number)
  }
  try context.save()
}

/// The articles of the first screen, in their order.
@MainActor func firstArticles(_ fits: Int, in screen: NSManagedObjectContext) throws -> [Article] {
  let request = Article.fetchRequest()
  request.sortDescriptors = [NSSortDescriptor(key: "views", ascending: true)]
  request.fetchLimit = fits
  return try screen.fetch(request)
}
