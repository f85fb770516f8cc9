import Foundation

/// Where a learner works: hands out exercises, and never takes away what was written.
public struct ExerciseDesk: Sendable {
  /// The folder that holds the learner's exercises.
  public let folder: URL

  /// A desk at a folder; `./exercises` unless the learner says otherwise.
  public init(folder: String?) {
    self.folder = URL(fileURLWithPath: folder ?? "exercises").standardizedFileURL
  }

  /// The learner's file.
  public func file(of exercise: Exercise) -> URL {
    folder.appendingPathComponent(exercise.folder).appendingPathComponent(exercise.file)
  }

  /// Copies the exercise to the desk and returns the learner's file; a file that is there is left
  /// alone.
  ///
  /// - Returns: the file, and whether it was put there just now.
  /// - Throws: `Complaint` when the folder cannot be written.
  public func start(_ exercise: Exercise) throws -> (file: URL, isNew: Bool) {
    let file = file(of: exercise)
    if FileManager.default.fileExists(atPath: file.path) { return (file, false) }
    let shipped = try Self.shipped(exercise, "Exercise")
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: shipped, to: file)
    } catch {
      throw Complaint(
        .input, "Cannot write \(file.path): choose another folder with --dir. (\(reason(error)))")
    }
    return (file, true)
  }

  /// A file of the exercise as it comes with the package: from `Exercise`, `Solution` or `Check`.
  package static func shipped(_ exercise: Exercise, _ kind: String, file: String? = nil) throws
    -> URL
  {
    let url = try BuildFolder.current().package
      .appendingPathComponent("Scenarios/\(exercise.folder)/\(kind)")
      .appendingPathComponent(file ?? exercise.file)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw Complaint(.input, "\(url.path) is missing: this clone of the package is not whole.")
    }
    return url
  }

  private func reason(_ error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying ?? error as NSError).localizedDescription
  }
}
