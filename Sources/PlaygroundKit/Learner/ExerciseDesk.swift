import Foundation

/// The folder where a learner works. It hands out exercises and never loses what was written.
public struct ExerciseDesk: Sendable {
  /// The folder that holds the learner's exercises.
  public let folder: URL

  /// A desk at a folder; `./exercises` unless the learner says otherwise.
  public init(folder: String?) {
    self.folder = URL(fileURLWithPath: folder ?? "exercises").standardizedFileURL
  }

  /// The learner's folder.
  public func folder(of exercise: Exercise) -> URL {
    folder.appendingPathComponent(exercise.folder)
  }

  /// The learner's file.
  public func file(of exercise: Exercise) -> URL {
    folder(of: exercise).appendingPathComponent(exercise.file ?? "answers.txt")
  }

  /// What a start did.
  public struct Started: Sendable {
    /// The file to work on.
    public let file: URL
    /// Whether it is a fresh copy, made just now.
    public let isNew: Bool
    /// Where the learner's earlier file is now, if it made room for a fresh copy.
    public let kept: URL?
  }

  /// Copies the exercise to the desk; a file that is there stays, unless a fresh copy is asked for.
  ///
  /// Then the learner's file is kept beside it under the next free number: `Name-1.swift`.
  ///
  /// - Throws: `Complaint` when the folder cannot be written.
  public func start(_ exercise: Exercise, fresh: Bool = false) throws -> Started {
    let file = file(of: exercise)
    let mine = try WholeFile.text(of: file.path)
    if mine != nil, !fresh { return Started(file: file, isNew: false, kept: nil) }
    let shipped = try WholeFile.text(of: Self.shipped(exercise, "Exercise").path) ?? ""
    let advice = "choose another folder with --dir"
    let folder = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Complaint(.input, "\(folder.path) cannot be created (\(reason(error))): \(advice).")
    }
    var kept: URL?
    if let mine {
      kept = Self.unused(beside: file)
      if let kept { try WholeFile(kept.path, advice: advice).write(mine) }
    }
    try WholeFile(file.path, advice: advice).write(shipped)
    return Started(file: file, isNew: true, kept: kept)
  }

  /// The first numbered name beside a file that is free.
  private static func unused(beside file: URL) -> URL? {
    let stem = file.deletingPathExtension()
    return (1...).lazy.map { number in
      stem.deletingLastPathComponent()
        .appendingPathComponent("\(stem.lastPathComponent)-\(number).\(file.pathExtension)")
    }.first { !FileManager.default.fileExists(atPath: $0.path) }
  }

  /// A file of the exercise as it comes with the package: from `Exercise`, `Solution` or
  /// `NearMisses`.
  package static func shipped(_ exercise: Exercise, _ kind: String, file: String? = nil) throws
    -> URL
  {
    let url = try BuildFolder.current().package
      .appendingPathComponent("Scenarios/\(exercise.folder)/\(kind)")
      .appendingPathComponent(file ?? exercise.file ?? "answers.txt")
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw Complaint(.input, "\(url.path) is missing: restore it with `git checkout`.")
    }
    return url
  }

  private func reason(_ error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying ?? error as NSError).localizedDescription
  }
}
