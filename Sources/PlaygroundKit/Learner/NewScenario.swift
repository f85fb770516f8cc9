import Foundation

/// A scenario of a learner's own, as `faultline new` writes it: a folder with one Swift file that
/// runs as it stands.
public struct NewScenario {
  /// The folder.
  public let folder: URL
  /// The name in words, as in `my-race`.
  private let slug: String

  /// Names a scenario by the folder it gets.
  ///
  /// - Throws: `Complaint` when the last part of the path is no name of words and hyphens, or there
  ///   is none.
  public init(_ path: String) throws(Complaint) {
    folder = URL(fileURLWithPath: path).standardizedFileURL
    slug = path.isEmpty ? "" : folder.lastPathComponent
    let words = slug.split(separator: "-", omittingEmptySubsequences: false)
    let isName =
      words.allSatisfy { word in
        !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
      } && slug.first?.isLetter == true && slug.count <= Self.lengthMax
    guard isName else {
      throw Complaint(
        .usage,
        "“\(slug)” is no name for a scenario: begin with a letter, and give lower-case words or"
          + " numbers with hyphens between them, as in my-race, at most \(Self.lengthMax)"
          + " characters.")
    }
  }

  /// The most characters of a name, which is that of a folder and of a file.
  private static let lengthMax = 100

  /// The name of the scenario's type: `MyRace`.
  private var type: String {
    slug.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The file.
  public var file: URL { folder.appendingPathComponent("\(type).swift") }

  /// Writes the folder.
  ///
  /// - Throws: `Complaint` when there is one already, or it cannot be written.
  public func write() throws {
    let build = try BuildFolder.current()
    guard !FileManager.default.fileExists(atPath: folder.path) else {
      throw Complaint(.input, "\(folder.path) is already there: choose another name.")
    }
    let advice = "choose another folder"
    let text = try text(build)
    try LearnerFolder.make(folder, advice: advice)
    try WholeFile(file.path, advice: advice).write(text)
    try EditorSettings(build).write(in: folder, [file.lastPathComponent], advice: advice)
  }

  /// Names that the program around a scenario uses, and words of the language.
  private static let reserved = [
    "PlaygroundKit", "Faultline", "CoreData", "Foundation", "Swift", "LearnerProgram", "Main",
    "Yours", "Any", "Self", "Type", "Protocol",
  ]

  /// The shipped template with its name in place of the template's.
  private func text(_ build: BuildFolder) throws -> String {
    let template = build.package.appendingPathComponent("Scenarios/Template/MyRace.swift").path
    guard let text = try WholeFile.text(of: template) else {
      throw Complaint(.input, "\(template) is missing: restore it with `git checkout`.")
    }
    // A type of the same name would stand for the one that this code means.
    let code = try ([template] + build.sharedFiles).compactMap { try WholeFile.text(of: $0) }
    let taken = Token.all(in: SwiftText(code.joined(separator: "\n")).code).map(\.text)
    guard type == "MyRace" || !(taken + Self.reserved).contains(type) else {
      throw Complaint(
        .usage,
        "“\(slug)” would name a type \(type), and the scenario's own code needs another type of"
          + " this name: choose another name, as in \(slug)-race.")
    }
    return text.replacing("MyRace", with: type).replacing("my-race", with: slug)
  }
}
