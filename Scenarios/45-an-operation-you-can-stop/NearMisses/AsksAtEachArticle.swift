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
/// Asks at each article, and saves what there is.
final class ImportOperation: Operation, @unchecked Sendable {
  private let context: NSManagedObjectContext
  private let batches, size: Int
  private let completion: @Sendable (_ saved: Int) -> Void
  private var (saved, unsaved) = (0, 0)

  init(
    in context: NSManagedObjectContext, batches: Int, size: Int,
    completion: @escaping @Sendable (_ saved: Int) -> Void
  ) {
    (self.context, self.batches, self.size) = (context, batches, size)
    self.completion = completion
  }

  override func start() {
    super.start()
    completion(saved)
  }

  override func main() {
    context.performAndWait {
      for row in 0..<batches * size {
        if isCancelled { break }
        Feed.write(row, in: context)
        unsaved += 1
        if unsaved == size { save() }
      }
      save()
    }
  }

  private func save() {
    if (try? context.save()) != nil { saved += unsaved }
    unsaved = 0
  }

  /// Writes the articles of a batch, unsaved; call it inside the queue of the context.
  private func insert(_ batch: Int) {
    for row in 0..<size { Feed.write(batch * size + row, in: context) }
  }
}
