import Faultline
import Foundation

/// A folder with a learner's code: an exercise, or a scenario of their own.
public struct LearnerFolder: Sendable {
  /// What is in it.
  public enum Kind: Sendable {
    /// One file with a function `yours`, a side of one of our scenarios.
    case exercise(Exercise)
    /// Files that declare a scenario, by the name of its type.
    case own(type: String)
  }

  /// The path as the learner typed it.
  public let path: String
  /// What is in it.
  public let kind: Kind
  /// Its Swift files, in the order of their names, and what is in them.
  let files: [(path: String, text: String)]

  /// The digest of its code, for ids.
  public var subject: ScheduleID.Subject {
    ScheduleID.Subject(ofSource: files.map(\.text).joined(separator: "\0"))
  }

  /// The folder that a word on the command line names; nil if it names none.
  ///
  /// - Throws: `Complaint` when it is a folder whose files cannot be used.
  public init?(_ word: String, among exercises: [Exercise]) throws(Complaint) {
    guard let path = try Self.path(word) else { return nil }
    self.path = path
    if let exercise = Self.exercise(at: path, among: exercises) {
      kind = .exercise(exercise)
      files = try Self.read(exercise.file.map { ["\(path)/\($0)"] } ?? [])
      return
    }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw Complaint(.input, "\(path) cannot be read: check its permissions.")
    }
    files = try Self.read(
      names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") }.sorted()
        .map { path == "." ? $0 : "\(path)/\($0)" })
    guard let type = files.lazy.compactMap({ Self.scenarioType(in: $0.text) }).first else {
      throw Complaint(
        .input,
        "No Swift file in \(path) declares a type that is a Scenario: `faultline new my-race` makes"
          + " a folder with one.")
    }
    kind = .own(type: type)
  }

  /// The path of the folder that a word on the command line names; nil if it names none.
  ///
  /// - Throws: `Complaint` when it can only be a path, and there is nothing.
  public static func path(_ word: String) throws(Complaint) -> String? {
    let kind = try word.isEmpty ? nil : kind(of: word)
    if case .other(let what) = kind {
      throw Complaint(.input, "\(word) is \(what): name a folder of yours.")
    }
    guard let kind else {
      guard word.contains("/") || word.hasPrefix("."), !isOurs(word) else { return nil }
      throw Complaint(
        .input,
        "There is no \(word): `faultline start` copies an exercise, `faultline new` makes a"
          + " scenario of your own.")
    }
    // A file stands for its folder.
    var path = kind == .folder ? word : (word as NSString).deletingLastPathComponent
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "." : path
  }

  /// What is at a path; nil if nothing is.
  private static func kind(of path: String) throws(Complaint) -> GivenFile.Kind? {
    do throws(GivenFile.Refusal) { return try GivenFile.kind(of: path) } catch {
      throw Complaint(.input, "\(path) \(error.words): \(error.advice).")
    }
  }

  /// Whether there is something at a path.
  ///
  /// - Throws: `Complaint` when the system does not tell.
  public static func isThere(_ path: String) throws(Complaint) -> Bool { try kind(of: path) != nil }

  /// The exercise that a folder was started for, which its name says; nil if it is none.
  public static func exercise(at path: String, among exercises: [Exercise]) -> Exercise? {
    let name = URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
    return exercises.first { $0.folder == name }
  }

  /// The folder around a folder of the learner's: where the exercises and the progress are.
  public static func desk(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    if last == "." || last == ".." { return path == "." ? ".." : "\(path)/.." }
    let around = (path as NSString).deletingLastPathComponent
    return around.isEmpty ? "." : around
  }

  /// A slash also stands between a part of the catalogue and a name.
  private static func isOurs(_ word: String) -> Bool {
    Part.allCases.contains { word.hasPrefix("\($0.slug)/") }
  }

  /// Makes a folder, and those above it that are missing.
  public static func make(_ folder: URL, advice: String) throws(Complaint) {
    var missing = [folder.standardizedFileURL]
    while access(missing[0].path, F_OK) != 0, missing[0].path != "/" {
      missing.insert(missing[0].deletingLastPathComponent(), at: 0)
    }
    var code = missing.count == 1 && (try? GivenFile.kind(of: folder.path)) != .folder ? ENOTDIR : 0
    for place in missing.dropFirst() where code == 0 {
      // Another command may make it at the same time.
      if mkdir(place.path, 0o777) != 0, errno != EEXIST { code = errno }
    }
    guard code != 0 else { return }
    if [ENOSPC, EDQUOT].contains(code) {
      throw Complaint(.limit, "The disk has no room for \(folder.path): make room, or \(advice).")
    }
    let reason = String(cString: strerror(code)).lowercased()
    throw Complaint(.input, "\(folder.path) cannot be created (\(reason)): \(advice).")
  }

  /// The largest file that is read, in bytes.
  private static let bytesMax = 1 << 20

  private static func read(
    _ paths: [String]
  ) throws(Complaint) -> [(path: String, text: String)] {
    var files: [(path: String, text: String)] = []
    for path in paths {
      // The compiler would take it for an option, or for a file that is full of options: it could
      // then write anywhere, and run what it finds there.
      if path.hasPrefix("-") || path.hasPrefix("@") {
        throw Complaint(
          .input,
          "\(path) begins with - or @, which means something else to the compiler: rename it.")
      }
      guard let text = try WholeFile.text(of: path, bytesMax: bytesMax) else {
        let folder = (path as NSString).deletingLastPathComponent
        throw Complaint(
          .input,
          "There is no \(path): `faultline reset \(folder.quotedForShell)` brings it back.")
      }
      files.append((path, text))
    }
    return files
  }

  /// The name of the first type in a file that says it is a `Scenario`.
  private static func scenarioType(in text: String) -> String? {
    let tokens = Token.all(in: SwiftText(text).code).map(\.text)
    for (index, token) in tokens.enumerated()
    where ["enum", "struct", "class", "actor"].contains(token) && index + 2 < tokens.count {
      let head = tokens[(index + 2)...].prefix { $0 != "{" }
      if head.first == ":", head.contains("Scenario") { return tokens[index + 1] }
    }
    return nil
  }
}

extension LearnerFolder {
  /// Refuses an exercise that is no side of its scenario, and so cannot be run or explored.
  public func checkIsSide() throws(Complaint) {
    if case .exercise(let exercise) = kind, let notASide = exercise.notASide {
      throw Complaint(.usage, notASide)
    }
  }

  /// Builds the code and does something with its scenario; the program is gone afterwards.
  ///
  /// - Parameter beside: the names of sides of ours that stand beside the learner's.
  /// - Throws: `Complaint` when the code does not build, with the compiler's own words.
  public func withScenario<R>(
    beside names: [String] = [], _ body: (RunnableScenario) throws -> R
  ) throws -> R {
    try checkIsSide()
    let workspace = try Workspace()
    return try Interruption.cleaningUp(
      after: {
        let program = try LearnerBuild(self, in: workspace).program()
        return try body(scenario(program, beside: names, in: workspace))
      },
      with: { workspace.removeFiles() })
  }

  /// The scenario of a program that was built from this folder.
  func scenario(
    _ program: String, beside names: [String], in workspace: Workspace
  ) throws -> RunnableScenario {
    switch kind {
    case .exercise(let exercise):
      return try exercise.scenario(program, of: self, beside: names)
    case .own:
      guard names.isEmpty else {
        throw Complaint(
          .usage, "--beside is for exercises: \(path) has all of its sides in its own file.")
      }
      return try own(program, in: workspace)
    }
  }

  private func own(_ program: String, in workspace: Workspace) throws -> RunnableScenario {
    let folder = try workspace.makeFolder("description")
    let own = folder.appendingPathComponent("own")
    let file = own.appendingPathComponent("description.json")
    let ended = try ChildProcess.run(
      URL(fileURLWithPath: program), [LearnerProgram.descriptionArgument, file.path],
      environment: SideOrigin.strangers(ProcessInfo.processInfo.environment, at: own),
      limits: .init(seconds: 30), log: folder.appendingPathComponent("log"), folder: own,
      in: workspace)
    guard ended.ending == .exited(0),
      let data = LeftFile.data(of: file.path, bytesMax: 1 << 24),
      var description = try? JSONDecoder().decode(ScenarioDescription.self, from: data)
    else {
      let last = ended.output.split(separator: "\n").first.map(String.init) ?? "\(ended.ending)"
      throw Complaint(.input, "The scenario in \(path) cannot be described: \(last)")
    }
    guard !description.sides.isEmpty else {
      throw Complaint(.input, "The scenario in \(path) has no sides: list them in `sides`.")
    }
    if let twins = description.twins {
      throw Complaint(.input, "The scenario in \(path) cannot be run: \(twins).")
    }
    description.folder = path
    let rule = OutcomeRule(description) {
      try ObservedElsewhere.outcome(of: $0, by: program, in: workspace)
    }
    return RunnableScenario(
      description, rule,
      description.sides.indices.map {
        SideOrigin(executable: program, subject: subject, place: $0, isOurs: false)
      })
  }
}
