import CoreData
import PlaygroundKit

/// A log, whose lines each belong to a context and are written inside its queue.
final class Lines {
  private let lock = NSLock()
  private var lines: [String] = []

  /// Writes a line; the checker reports a line that is written outside the queue of its context.
  func write(_ line: String, in context: NSManagedObjectContext) {
    _ = context.registeredObjects
    lock.withLock { lines.append(line) }
  }

  /// Notes the order in which the lines were written.
  func note(_ world: World) {
    world.observe("order of the lines", lock.withLock { lines.joined() })
  }
}

/// `lock` protects `lines`.
extension Lines: @unchecked Sendable {}
