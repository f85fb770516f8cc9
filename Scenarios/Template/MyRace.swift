import CoreData
import PlaygroundKit

/// Two buyers want the last seat at the same time, and both get it.
///
///     faultline run my-race
///     faultline explore my-race
///
/// This is a scenario of your own: change what you like. It has five parts.
enum MyRace: Scenario {
  // 1. What it is about. Pages print these sentences.
  static let card = Card(
    "my-race", "The seat that is sold twice",
    claim: "A check is worth nothing if another context can save between it and the save.",
    question: "There is one seat. How many tickets are there in the end?",
    why: """
      Both buyers see one seat, and both save. The merge policy keeps one of two equal values, and \
      the tickets are not in its sight.
      """,
    given: "one seat, {buyers} buyers, each with its own context")

  // A number that `--set buyers=5` changes. `explore` runs every schedule of the buyers, so it
  // uses a small one.
  private static let buyers = Parameter(
    "buyers", 5, in: 1...20, "buyers, each with its own context", explored: 2)

  // 2. Every way in which it may end, graded before anything runs. A side that throws ends as
  // THREW, and an outcome that is not declared fails the command: catch the error in the side, or
  // declare it here, as in `Outcome("REFUSED", .interesting, "a save failed", when: .threw)`.
  private static let soldTwice = Outcome(
    "SOLD TWICE", .forbidden, "there are more tickets than seats")
  private static let soldOnce = Outcome("SOLD ONCE", .accepted, "there is one ticket")

  static let parameters = [buyers]
  static let outcomes = [soldTwice, soldOnce]
  // One more side needs a name, as in `.right("sell, then look", name: "later", later)`.
  static let sides: [Side] = [
    .wrong("look, then sell", wrong),
    .right("refuse, look again", right),
  ]

  // The shared model. Its classes are part of your program, so their names are taken, as is
  // `Library`: give a class of your own another name.
  //   Article   name, content: String?   views: Int64   timestamp: Date?   category: Category?
  //   Category  name: String?   articles: Set<Article>
  //   Keyword   name: String? (unique)   meaning, synonym: String?
  @MainActor static var model: NSManagedObjectModel { Library.model }

  // A model of your own takes the place of that line. Write `@Managed`, where Xcode writes
  // `@NSManaged`, and the name of the class in quotes.
  //
  //     final class Seat: NSManagedObject {
  //       @Managed var row: Int64
  //     }
  //
  //     @MainActor static let model: NSManagedObjectModel = {
  //       let row = NSAttributeDescription()
  //       row.name = "row"
  //       row.attributeType = .integer64AttributeType
  //       row.defaultValue = 0
  //       let seat = NSEntityDescription()
  //       seat.name = "Seat"
  //       seat.managedObjectClassName = "Seat"
  //       seat.properties = [row]
  //       let model = NSManagedObjectModel()
  //       model.entities = [seat]
  //       return model
  //     }()

  // 3. What is in the store before a side begins. Here an article is a flight, its views are the
  // free seats, and a category is a ticket.
  @MainActor static func given(_ world: World) async throws {
    let flight = Article(context: world.container.viewContext)
    flight.views = 1
    try world.container.viewContext.save()
  }

  // 4. The sides: the wrong way and the right way to do the same thing. `show` prints what stands
  // between `anchor` and `end` with a side's name, and no other code.
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await everyBuyer(world) { context in
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      world.mark("another buyer may have saved since this context read the flight")
      try buy(in: context)
    }
  }
  // end: wrong

  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await everyBuyer(world) { context in
      context.mergePolicy = NSMergePolicy.error
      var isDone = false
      while !isDone {
        do {
          try buy(in: context)
          isDone = true
        } catch let error as CocoaError where error.code == .managedObjectMerge {
          context.rollback()
          context.refreshAllObjects()
        }
      }
    }
  }
  // end: right

  private static func buy(in context: NSManagedObjectContext) throws {
    guard let flight = try context.fetch(Article.fetchRequest()).first, flight.views > 0
    else { return }
    flight.views -= 1
    Category(context: context).name = "ticket"
    try context.save()
  }

  @MainActor private static func everyBuyer(
    _ world: World, _ buy: @escaping @Sendable (NSManagedObjectContext) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...world[buyers] {
        let context = world.container.newBackgroundContext()
        group.addTask { try await context.perform { try buy(context) } }
      }
      try await group.waitForAll()
    }
  }

  // 5. What a run left behind, and the outcome that this means. The side has ended, and this looks
  // at the store as another program would. `run.stored("SELECT ZVIEWS FROM ZARTICLE")` answers with
  // rows of texts; `run.number("sold")` is what a side noted with `world.observe("sold", 2)`.
  static func observed(_ run: Observation) throws -> Outcome {
    let tickets = try run.storedRows(of: "Category")
    run.observe("tickets", tickets, of: 1)
    return tickets > 1 ? soldTwice : soldOnce
  }
}
