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

  /// A queue starts each operation once, a cancelled one too.
  override func start() {
    super.start()
    completion(saved * size)
  }

  override func main() {
    for batch in 0..<batches {
      if isCancelled { return }
      let isSaved = context.performAndWait {
        defer { context.reset() }
        insert(batch)
        return (try? context.save()) != nil
      }
      // A batch that cannot be saved ends the import; its caller sees it by the number.
      guard isSaved else { return }
      saved += 1
    }
  }

  /// Writes the articles of a batch, unsaved; call it inside the queue of the context.
  private func insert(_ batch: Int) {
    for row in 0..<size { Feed.write(batch * size + row, in: context) }
  }
}
