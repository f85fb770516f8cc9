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

  /// What was written into a learner's folder.
  public struct Written: Sendable {
    /// The files that were written.
    public fileprivate(set) var files: [URL] = []
    /// Where the learner's earlier files are now, those that made room.
    public fileprivate(set) var kept: [URL] = []
  }

  /// Copies the exercise to the desk; a file that is there stays as it is.
  ///
  /// - Throws: `Complaint` when the folder cannot be written.
  public func start(_ exercise: Exercise) throws -> Written {
    let folder = folder(of: exercise)
    // First, because a tool outside its clone must leave no empty folder.
    let missing = try differences(from: exercise)
    try LearnerFolder.make(folder, advice: Self.advice)
    var written = Written()
    for file in missing where file.mine == nil {
      try WholeFile(file.url.path, advice: Self.advice).write(file.shipped)
      written.files.append(file.url)
    }
    if let file = exercise.file {
      try EditorSettings(BuildFolder.current()).write(
        in: folder, [file], support: Self.support(exercise),
        languageMode: exercise.languageMode.rawValue, advice: Self.advice)
    }
    return written
  }

  /// Writes the files of the exercise as they were at the start; each file of the learner's that
  /// differs is kept beside it under the next free number: `Name-1.swift`.
  ///
  /// - Throws: `Complaint` when the folder cannot be written.
  public func reset(_ exercise: Exercise) throws -> Written {
    var written = Written()
    for file in try differences(from: exercise) {
      try written.kept += keep(file.url)
      try WholeFile(file.url.path, advice: Self.advice).write(file.shipped)
      written.files.append(file.url)
    }
    return written
  }

  /// The learner's files that a reset would replace, and those that are missing.
  public func changed(_ exercise: Exercise) throws -> [URL] {
    try differences(from: exercise).map(\.url)
  }

  /// Copies a file of the learner's to a free name beside it; nothing if there is no such file.
  func keep(_ file: URL) throws -> [URL] {
    guard let mine = try WholeFile.text(of: file.path), let kept = Self.unused(beside: file) else {
      return []
    }
    try WholeFile(kept.path, advice: Self.advice).write(mine)
    return [kept]
  }

  /// What to do where the folder cannot be written.
  static let advice = "choose another folder with --dir"

  private func differences(
    from exercise: Exercise
  ) throws -> [(url: URL, mine: String?, shipped: String)] {
    let folder = folder(of: exercise)
    return try Self.files(of: exercise).compactMap { name, shipped in
      let url = folder.appendingPathComponent(name)
      let mine = try WholeFile.text(of: url.path)
      return mine == shipped ? nil : (url, mine, shipped)
    }
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

  /// The files of the solution, with what is in them.
  public static func solution(of exercise: Exercise) throws -> [(name: String, text: String)] {
    let answers = exercise.questions.isEmpty ? [] : [AnswerSheet.fileName]
    return try ([exercise.file].compactMap { $0 } + answers).map { name in
      (name, try WholeFile.text(of: shipped(exercise, "Solution", file: name).path) ?? "")
    }
  }

  /// The first numbered name beside a file that is free.
  static func unused(beside file: URL) -> URL? {
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
