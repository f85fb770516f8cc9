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
    folder(of: exercise).appendingPathComponent(exercise.file ?? AnswerSheet.fileName)
  }

  /// What a start did.
  public struct Started: Sendable {
    /// The file to work on.
    public let file: URL
    /// Whether it is a fresh copy, made just now.
    public fileprivate(set) var isNew: Bool
    /// Where the learner's earlier files are now, those that made room for a fresh copy.
    public fileprivate(set) var kept: [URL]
  }

  /// Copies the exercise to the desk; a file that is there stays, unless a fresh copy is asked for.
  ///
  /// Then the learner's file is kept beside it under the next free number: `Name-1.swift`.
  ///
  /// - Throws: `Complaint` when the folder cannot be written.
  public func start(_ exercise: Exercise, fresh: Bool = false) throws -> Started {
    let advice = "choose another folder with --dir"
    let folder = folder(of: exercise)
    try LearnerFolder.make(folder, advice: advice)
    var started = Started(file: file(of: exercise), isNew: false, kept: [])
    for (name, shipped) in try Self.files(of: exercise) {
      let file = folder.appendingPathComponent(name)
      let mine = try WholeFile.text(of: file.path)
      if mine != nil, !fresh || mine == shipped { continue }
      if let mine, let kept = Self.unused(beside: file) {
        try WholeFile(kept.path, advice: advice).write(mine)
        started.kept.append(kept)
      }
      try WholeFile(file.path, advice: advice).write(shipped)
      started.isNew = true
    }
    if let file = exercise.file {
      try EditorSettings(BuildFolder.current()).write(
        in: folder, [file], support: Self.support(exercise),
        languageMode: exercise.languageMode.rawValue, advice: advice)
    }
    return started
  }

  /// The files that a learner starts from, with what is in them.
  private static func files(of exercise: Exercise) throws -> [(name: String, text: String)] {
    var files: [(String, String)] = []
    if let name = exercise.file {
      files.append((name, try WholeFile.text(of: shipped(exercise, "Exercise").path) ?? ""))
    }
    if !exercise.questions.isEmpty {
      files.append((AnswerSheet.fileName, AnswerSheet.blank(exercise)))
    }
    return files
  }

  /// The first numbered name beside a file that is free.
  private static func unused(beside file: URL) -> URL? {
    let stem = file.deletingPathExtension()
    return (1...).lazy.map { number in
      stem.deletingLastPathComponent()
        .appendingPathComponent("\(stem.lastPathComponent)-\(number).\(file.pathExtension)")
    }.first { !FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The paths of the files that are compiled with the learner's and stay ours.
  static func support(_ exercise: Exercise) throws -> [String] {
    try exercise.support.map { try shipped(exercise, "Exercise", file: $0).path }
  }

  /// A file of the exercise as it comes with the package: from `Exercise`, `Solution` or
  /// `NearMisses`.
  package static func shipped(_ exercise: Exercise, _ kind: String, file: String? = nil) throws
    -> URL
  {
    let url = try BuildFolder.current().package
      .appendingPathComponent("Scenarios/\(exercise.folder)/\(kind)")
      .appendingPathComponent(file ?? exercise.file ?? AnswerSheet.fileName)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw Complaint(.input, "\(url.path) is missing: restore it with `git checkout`.")
    }
    return url
  }

}
