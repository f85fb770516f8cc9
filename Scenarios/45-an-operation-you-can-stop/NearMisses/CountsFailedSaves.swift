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
/// Counts a batch whether it could be saved or not.
final class ImportOperation: Operation, @unchecked Sendable {
  private let context: NSManagedObjectContext
  private let batches, size: Int
  private let completion: @Sendable (_ saved: Int) -> Void
  private var saved = 0

  init(
    in context: NSManagedObjectContext, batches: Int, size: Int,
    completion: @escaping @Sendable (_ saved: Int) -> Void
  ) {
    (self.context, self.batches, self.size) = (context, batches, size)
    self.completion = completion
  }

  override func start() {
    super.start()
    completion(saved * size)
  }

  override func main() {
    for batch in 0..<batches where !isCancelled {
      context.performAndWait {
        insert(batch)
        try? context.save()
        context.reset()
      }
      saved += 1
    }
  }

  /// Writes the articles of a batch, unsaved; call it inside the queue of the context.
  private func insert(_ batch: Int) {
    for row in 0..<size { Feed.write(batch * size + row, in: context) }
  }
}
