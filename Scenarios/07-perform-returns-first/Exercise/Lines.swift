import CoreData
import Foundation
import PlaygroundKit

/// A log, whose lines each belong to a context and are written inside its queue.
final class Lines {
  private let lock = NSLock()
  private var lines: [String] = []
  private var borrowed = 0

  /// Writes a line; the checker reports a line that is written outside the queue of its context.
  func write(_ line: String, in context: NSManagedObjectContext) {
    _ = context.registeredObjects
    let isBorrowed = Thread.isMainThread && context.concurrencyType == .privateQueueConcurrencyType
    lock.withLock {
      lines.append(line)
      borrowed += isBorrowed ? 1 : 0
    }
  }

  /// Notes the order in which the lines were written.
  func note(_ world: World) {
    world.observe("order of the lines", lock.withLock { lines.joined() })
    world.observe("lines of the background on main", lock.withLock { borrowed })
  }
}

/// `lock` protects `lines` and `borrowed`.
extension Lines: @unchecked Sendable {}
