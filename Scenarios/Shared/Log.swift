import CoreData

/// Lines in the order in which threads have written them.
public final class Log {
  private let lock = NSLock()
  private var lines: [String] = []

  /// An empty log.
  public init() {}

  /// Everything written so far.
  public func text(separator: String = "") -> String {
    lock.withLock { lines.joined(separator: separator) }
  }

  /// Writes a line.
  public func write(_ line: String) { lock.withLock { lines.append(line) } }
}

/// `lock` protects `lines`.
extension Log: @unchecked Sendable {}
