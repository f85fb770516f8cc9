import CoreData
import PlaygroundKit

/// A loop that follows a relationship asks the store once for each object at the other end.
///
///     faultline run 40
///     faultline run 40 --set each=100
///     faultline run 40 --set held=1
public enum OneFaultAtATime: Scenario {
  public static let card = Card(
    40, "one-fault-at-a-time", "One fault at a time", part: .memory,
    claim: "A loop over a relationship costs a statement for each row that is not in memory.",
    question: """
      One fetch brings \(articles.standard) articles, and a loop reads the name of each article's \
      category. How many SQL statements is that?
      """,
    why: """
      The fetch loads the rows of the articles and no row of a category. Each category is a fault, \
      and a fault whose row is not in the row cache asks the store for that one row.
      """,
    given: """
      a report of {articles|one article|# articles} with the names of their categories, each \
      category of {each|one article|# articles}{held|, which the screen already holds|}
      """,
    guide: "07-memory.md#40",
    sources: [.rules("Common Threading Patterns: Fetch in Background, Update UI on Main")],
    panels: [.engine, .memory],
    next: [
      Next("faultline show 40", "the question, the outcomes, the code of every side"),
      Next(
        "faultline explore 40",
        "nothing new: one report, one context, so every schedule ends the same"),
    ])

  private static let articles = Parameter(
    "articles", 2_000, in: 1...100_000, "articles in the report", explored: 6)
  private static let each = Parameter(
    "each", 1, in: 1...100_000, "articles of one category")
  private static let held = Parameter(
    "held", 0, in: 0...1, "1: the screen's context already holds every category")

  private static let oneByOne = Outcome(
    "ONE BY ONE", .forbidden, "the report takes a statement for each category")
  private static let together = Outcome(
    "TOGETHER", .accepted, "the report takes a few statements, however many rows there are")
  private static let wrongLines = Outcome(
    "WRONG LINES", .forbidden, "lines of the report are missing or wrong")

  /// One each for the screen, the articles and the categories.
  private static let fewStatements = 3

  public static let parameters = [articles, each, held]
  public static let outcomes = [oneByOne, together, wrongLines]
  public static let sides: [Side] = [
    .wrong("read in a loop", loop),
    .right("prefetch", prefetch),
    .right("ask for values", name: "values", values),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles in their categories, and a container that has not read any of them,
  @MainActor public static func given(_ world: World) async throws {
    let context = world.container.viewContext
    var shelf: Category?
    for number in 0..<world[articles] {
      if number % world[each] == 0 {
        shelf = Category(context: context)
        shelf?.name = "Category \(number / world[each])"
      }
      let article = Article(context: context)
      (article.name, article.views, article.category) = ("Article \(number)", Int64(number), shelf)
    }
    try context.save()
  }

  private static func all<Row: NSFetchRequestResult>(_: Row.Type) -> NSFetchRequest<Row> {
    let request = NSFetchRequest<Row>(entityName: "Article")
    request.sortDescriptors = [NSSortDescriptor(key: "views", ascending: true)]
    return request
  }

  // when a report fetches the articles and follows each one to its category,
  // anchor: loop
  @MainActor private static func loop(_ world: World) async throws {
    try await report(world) { bg in
      try bg.fetch(all(Article.self)).map { article in
        world.mark("the category is a fault; its row is not in memory, and costs a statement")
        let category = article.category?.name
        return line(article.name, category)
      }
    }
  }
  // end: loop

  // or lets the fetch bring the categories too, with one more statement,
  // anchor: prefetch
  @MainActor private static func prefetch(_ world: World) async throws {
    try await report(world) { bg in
      let request = all(Article.self)
      request.relationshipKeyPathsForPrefetching = ["category"]
      return try bg.fetch(request).map { line($0.name, $0.category?.name) }
    }
  }
  // end: prefetch

  // or asks the store for two names of each article, and for no object,
  // anchor: values
  @MainActor private static func values(_ world: World) async throws {
    try await report(world) { bg in
      let request = all(NSDictionary.self)
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name", "category.name"]
      return try bg.fetch(request).map {
        line($0["name"] as? String, $0["category.name"] as? String)
      }
    }
  }
  // end: values

  private static func line(_ article: String?, _ category: String?) -> String {
    "\(article ?? "no name"), \(category ?? "no category")"
  }

  // in a context of its own, while the screen may hold the categories,
  @MainActor private static func report(
    _ world: World, write: @escaping @Sendable (NSManagedObjectContext) throws -> [String]
  ) async throws {
    let screen = world.container.viewContext
    let shown = world[held] == 1 ? try screen.fetch(Category.fetchRequest()) : []
    let bg = world.container.newBackgroundContext()
    let lines = try await bg.perform { try write(bg) }
    let right = lines.enumerated().count { number, text in
      text == line("Article \(number)", "Category \(number / world[each])")
    }
    world.observe("lines as stored", right, of: world[articles])
    withExtendedLifetime(shown) {}
  }

  // then the lines are right, and the number of statements says how the rows were asked for.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.number("lines as stored") != run[articles] { return wrongLines }
    return run.number("statements") ?? 0 > fewStatements ? oneByOne : together
  }
}
