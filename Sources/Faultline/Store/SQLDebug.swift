import Foundation
import SQLiteConnection

/// The log of what SQLite is asked, as Core Data prints it to standard error for the argument
/// `-com.apple.CoreData.SQLDebug 1`.
///
/// Level 1 prints each statement and how long it took, 2 its values too, 3 what SQLite had to do
/// beside it. Without the argument no connection is watched, and nothing is asked at a statement.
enum SQLDebug {
  /// How much is printed.
  static let level = UserDefaults.standard.integer(forKey: "com.apple.CoreData.SQLDebug")

  /// Prints what a connection does from now on.
  static func watch(_ connection: Connection) {
    if level > 0 { connection.watch(values: level > 1) { print($0) } }
  }

  private static func print(_ run: Connection.Run) {
    var lines = ["CoreData: sql: \(run.sql)"]
    if let text = run.expandedSQL { lines.append("CoreData: details: with its values: \(text)") }
    let isFetch = run.sql.hasPrefix("SELECT")
    let time = String(format: "%.4f", run.seconds)
    lines.append(
      "CoreData: annotation: sql \(isFetch ? "connection fetch" : "execution") time: \(time)s")
    if level > 2 {
      lines.append(
        "CoreData: details: \(run.scanStepCount) steps of full scans, \(run.sortCount) sorts, "
          + "\(run.automaticIndexCount) rows in automatic indexes")
    }
    StandardError.write(lines.joined(separator: "\n"))
  }
}
