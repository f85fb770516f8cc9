import CoreData
import Foundation
import PlaygroundKit

/// A log, whose lines each belong to a context and are written inside its queue.
///
/// A line of the background takes a while, so that a main thread that waits for it drops a frame.
final class Lines {
  private let lock = NSLock()
  private var lines: [String] = []

  /// Writes a line; the checker reports a line that is written outside the queue of its context.
  func write(_ line: String, in context: NSManagedObjectContext) {
    _ = context.registeredObjects
    if context.concurrencyType == .privateQueueConcurrencyType { usleep(20_000) }
    lock.withLock { lines.append(line) }
  }

  /// Notes the order in which the lines were written.
  func note(_ world: World) {
    world.observe("order of the lines", lock.withLock { lines.joined() })
  }
}

/// `lock` protects `lines`.
extension Lines: @unchecked Sendable {}
