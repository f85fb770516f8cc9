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
    guard let data = LeftFile.data(of: folder.notes, bytesMax: Self.notesBytesMax),
      let notes = try? JSONDecoder().decode(Notes.self, from: data)
    else { throw Complaint(.input, "The program of your file did not say what its run noted.") }
    // The program goes on, and could put something else in the place of a file between two looks at
    // it: a pipe without a writer, or a link. So its bytes are taken, once.
    guard let bytes = LeftFile.data(of: folder.database.path, bytesMax: Self.databaseBytesMax)
    else { throw Complaint(.input, "The program of your file left no database.") }
    self.init(
      ending: ending, violations: notes.violations,
      store: try StoreFile(folder.database, holding: Array(bytes)), parameters: parameters,
      metrics: notes.metrics.suffix(Metric.countMax))
  }

  /// What the notes of a run may take; a concurrency violation takes a kilobyte.
  private static let notesBytesMax = 1 << 24
  /// No program that is not ours may write a larger file.
  private static let databaseBytesMax = 1 << 28
}
