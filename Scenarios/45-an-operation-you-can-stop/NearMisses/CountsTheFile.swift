import CoreData
import PlaygroundKit

/// A user cancels an import at some moment.
///
/// `Scenarios/45-an-operation-you-can-stop/Exercise/Imports.swift` is the user.
@MainActor func yours(_ world: World) async throws {
  try await Imports.cancel(world) {
    ImportOperation(in: $0, batches: $1, size: $2, completion: $3)
  }
}

/// Imports batches of articles in the background.
///
/// Counts all articles of the file.
final class ImportOperation: Operation, @unchecked Sendable {
  private let context: NSManagedObjectContext
  private let batches, size: Int
  private let completion: @Sendable (_ saved: Int) -> Void

  init(
    in context: NSManagedObjectContext, batches: Int, size: Int,
    completion: @escaping @Sendable (_ saved: Int) -> Void
  ) {
    (self.context, self.batches, self.size) = (context, batches, size)
    self.completion = completion
  }

  override func start() {
    super.start()
    let count = NSFetchRequest<Article>(entityName: "Article")
    completion(context.performAndWait { (try? context.count(for: count)) ?? 0 })
  }

  override func main() {
    for batch in 0..<batches {
      if isCancelled { return }
      let isSaved = context.performAndWait {
        defer { context.reset() }
        insert(batch)
        return (try? context.save()) != nil
      }
      guard isSaved else { return }
    }
  }

  /// Writes the articles of a batch, unsaved; call it inside the queue of the context.
  private func insert(_ batch: Int) {
    for row in 0..<size { Feed.write(batch * size + row, in: context) }
  }
}
