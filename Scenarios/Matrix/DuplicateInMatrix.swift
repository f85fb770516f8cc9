import CoreData
import PlaygroundKit

/// Two contexts look for a name and insert it if it is not there.
enum DuplicateInMatrix: MatrixScenario {
  static let card = Card(
    105, "matrix-duplicate", "Duplicate on find-or-create", part: .conflicts,
    claim: "Two contexts look for a row, find none, and each insert one.",
    question: "In which set-ups can a name have two rows?",
    why: """
      A fetch that finds no row reserves none. New rows have no earlier version to compare, so no \
      policy decides.
      """,
    given: "an empty store without a constraint; two contexts find or create one name",
    guide: "05-conflicts.md#29",
    next: [.matrix("duplicate")])

  private static let duplicate = Outcome("DUPLICATE", .forbidden, "the name has two rows")
  private static let one = Outcome("ONE", .accepted, "the name has one row")

  static let outcomes = [duplicate, one]

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    try await pair.both(
      world, first: { try findOrCreate(pair.first) }, second: { try findOrCreate(pair.second) })
  }

  private static func findOrCreate(_ context: NSManagedObjectContext) throws {
    if try context.count(for: Article.fetchRequest()) == 0 {
      Article(context: context).name = "Name"
    }
  }

  static func observed(_ run: Observation) throws -> Outcome {
    try run.storedRows(of: "Article") > 1 ? duplicate : one
  }
}
