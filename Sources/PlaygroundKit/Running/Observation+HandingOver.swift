import Foundation
import SQLiteConnection

extension Observation {
  /// What a process hands over that does not name the outcome itself, beside the database.
  private struct Notes: Codable {
    var violations: [ViolationRecord]
    var metrics: [Metric]
  }

  /// Leaves everything that an outcome depends on, the database first.
  func leave(in folder: ControlledTask.Folder) throws {
    try store.write(to: folder.database)
    let notes = Notes(violations: violations, metrics: metrics)
    try ReusedFile.write(text: JSONEncoder().encode(notes), to: folder.notes)
  }

  /// Takes what a process has left.
  ///
  /// - Throws: `Complaint` when it has left nothing that can be read.
  convenience init(
    leftIn folder: ControlledTask.Folder, _ ending: Ending, parameters: [String: Int]
  ) throws(Complaint) {
    guard let data = LeftFile.data(of: folder.notes, bytesMax: 1 << 24),
      let notes = try? JSONDecoder().decode(Notes.self, from: data)
    else { throw Complaint(.input, "The program of your file did not say what its run noted.") }
    let database = folder.database
    // One connection for all that is asked of it.
    let connection = try? StoreFile.connection(to: database.path)
    self.init(
      ending: ending, violations: notes.violations,
      store: StoreFile(database, through: connection), parameters: parameters,
      metrics: notes.metrics)
  }
}
