import Foundation

/// Builds the program of a learner's folder against the modules that the tool was built with.
///
/// 1. The learner's files, the exercise's support files, the shared model's classes and a `main` of
///    three lines are compiled.
/// 2. They are linked with the engine and the kit, never with our scenarios.
/// 3. What the compiler says is told with the learner's paths, and without the tool's own.
struct LearnerBuild {
  private let folder: LearnerFolder
  private let workspace: Workspace
  private let place: URL

  /// The module that a learner's files are.
  static let module = "Yours"

  init(_ folder: LearnerFolder, in workspace: Workspace) throws {
    self.folder = folder
    self.workspace = workspace
    place = try workspace.makeFolder("build")
  }

  /// The path of the program.
  ///
  /// - Throws: `Complaint` with the compiler's words when the code does not build.
  func program() throws -> String {
    try checkSignature()
    let build = try BuildFolder.current()
    let program = place.appendingPathComponent("yours")
    let main = place.appendingPathComponent("main.swift")
    try workspace.naming { try self.main.write(to: main, atomically: false, encoding: .utf8) }
    let words = try compile(
      with: main, called: Self.mainName, ["-o", program.path] + build.arguments())
    if let words {
      let newer = try (support.first(where: build.isOlder(than:)) ?? build.newerSource).map {
        "\nThe reason may be that \($0) is newer than the tool: restore it with `git checkout`, or"
          + " \(build.rebuilding)."
      }
      throw Complaint(
        .build,
        "\(folder.path) does not build.\n\(unlinked(words) ?? told(words))\(newer ?? "")")
    }
    return program.path
  }

  /// What the compiler says when the learner's files are used by other code; nil if it accepts it.
  func refusal(of caller: String) throws -> String? {
    let file = place.appendingPathComponent("Caller.swift")
    try workspace.naming { try caller.write(to: file, atomically: false, encoding: .utf8) }
    let arguments = try BuildFolder.current().compilerArguments
    return try compile(with: file, called: file.path, SwiftCompiler.checkOnly + arguments)
  }

  /// Compiles the learner's files with another one; the compiler's words if it refuses them.
  private func compile(
    with other: URL, called name: String, _ more: [String]
  ) throws -> String? {
    let (isAccepted, words) = try SwiftCompiler.run(
      SwiftCompiler.Question(
        subject: folder.path, files: folder.files.map(\.path), otherNames: [name],
        support: support + [other.path], shared: BuildFolder.current().sharedFiles,
        arguments: ["-module-name", Self.module, "-swift-version", languageMode] + more),
      in: place, of: workspace)
    if isAccepted { return nil }
    if words.contains("was modified during the build") {
      throw Complaint(
        .build, "A file in \(folder.path) was saved while it was built: check it again.")
    }
    return words
  }

  private var support: [String] {
    get throws {
      if case .exercise(let exercise) = folder.kind {
        try ExerciseDesk.support(exercise)
      } else {
        []
      }
    }
  }

  private var languageMode: String {
    if case .exercise(let exercise) = folder.kind { exercise.languageMode.rawValue } else { "6" }
  }

  /// What lines of the program's `main` are called.
  private static let mainName = "the tool's own main"

  private var main: String {
    let run =
      switch folder.kind {
      case .exercise(let exercise):
        "PlaygroundKit.LearnerProgram.run(\"\(exercise.slug)\","
          + " yours: { try await yours($0) }, model: { Library.model })"
      case .own(let type): "PlaygroundKit.LearnerProgram.run(\(type).self)"
      }
    // In Swift 5 mode the first lines of a program are not on the main actor. No step is told to be
    // of a line that a learner has not written.
    return """
      import CoreData
      import PlaygroundKit
      #sourceLocation(file: "\(Self.mainName)", line: 1)
      MainActor.assumeIsolated { \(run) }

      """
  }

  /// A file without the function that is called would be an error in a hidden file.
  private func checkSignature() throws(Complaint) {
    guard case .exercise = folder.kind, let (path, text) = folder.files.first else { return }
    let tokens = Token.all(in: SwiftText(text).code).map(\.text)
    let isThere = tokens.indices.dropLast().contains {
      tokens[$0] == "func" && tokens[$0 + 1] == "yours"
    }
    guard isThere else {
      throw Complaint(
        .build,
        "\(path) has no function `yours`: it needs"
          + " `@MainActor func yours(_ world: World) async throws`.")
    }
  }

  /// What to write where the linker misses the accessors that only Apple's runtime makes.
  private func unlinked(_ output: String) -> String? {
    guard output.contains("undefined reference") || output.contains("undefined symbol") else {
      return nil
    }
    let places = folder.files.flatMap { path, text in
      SwiftText(text).code.enumerated()
        .filter { $0.element.contains("@NSManaged") }.map { "\(path):\($0.offset + 1)" }
    }
    return places.isEmpty
      ? nil : places.map { "\($0): write @Managed, not @NSManaged" }.joined(separator: "\n")
  }

  /// What the compiler said, without what it says of files that are not the learner's.
  private func told(_ output: String) -> String {
    var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.removeAll { line in
      ["<unknown>:0:", "error: fatalError", "error: emit-module command failed"]
        .contains(where: line.hasPrefix)
    }
    return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
  }
}
