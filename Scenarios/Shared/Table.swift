import Foundation

/// A table on a simulated screen, which counts its rows as a table of UIKit does.
///
/// It asks once how many rows there are. From then on it is told which rows come and go, alone or
/// between `beginUpdates` and `endUpdates`, and at the end of each update it asks again and
/// compares. UIKit stops the app where the numbers differ; this table keeps the sentence.
@MainActor public final class Table {
  /// How many rows it has.
  public private(set) var count = 0
  /// What UIKit would have stopped the app with, one sentence for each update that did not add up.
  public private(set) var invalidUpdates: [String] = []
  /// What it was told, in order: `begin`, `delete 1`, `insert 0`, `end`.
  public private(set) var calls: [String] = []
  private let rows: () -> Int
  private var (inserted, deleted, depth) = (0, 0, 0)

  /// Makes a table that asks a source for the number of its rows.
  public init(rows: @escaping () -> Int) { self.rows = rows }

  /// Asks for everything anew.
  public func reload() { count = rows() }

  /// From here on, changes are one update.
  public func beginUpdates() {
    calls.append("begin")
    depth += 1
  }

  /// A row has come; its place counts after the update.
  public func insertRow(at row: Int) { change("insert \(row)") { inserted += 1 } }

  /// A row is gone; its place counts before the update.
  public func deleteRow(at row: Int) { change("delete \(row)") { deleted += 1 } }

  /// The changes since `beginUpdates` are one update.
  public func endUpdates() {
    calls.append("end")
    depth -= 1
    if depth == 0 { update() }
  }

  private func change(_ call: String, _ count: () -> Void) {
    calls.append(call)
    count()
    if depth == 0 { update() }
  }

  private func update() {
    let now = rows()
    if now != count + inserted - deleted {
      invalidUpdates.append(
        "Invalid update: \(now) rows after the update, \(count) before it, \(inserted) inserted and"
          + " \(deleted) deleted")
    }
    (count, inserted, deleted) = (now, 0, 0)
  }
}
