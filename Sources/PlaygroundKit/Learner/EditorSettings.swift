import Foundation

/// What an editor's language server needs to understand a learner's folder: a compilation database
/// (`compile_commands.json`) with the modules that the tool was built with.
public struct EditorSettings {
  /// The name of the file.
  static let fileName = "compile_commands.json"
  /// What the file beside a learner's is for.
  public static let note = "\(fileName), beside your file, is for your editor."

  private let build: BuildFolder

  /// Settings for the modules of a build folder.
  init(_ build: BuildFolder) { self.build = build }

  /// One file and how it is compiled, in the words of the format.
  private struct Entry: Encodable {
    var directory: String
    var file: String
    var arguments: [String]
  }

  /// Writes the settings of a folder's Swift files, which are compiled together with files of ours.
  func write(
    in folder: URL, _ names: [String], support: [String] = [], languageMode: String = "6",
    advice: String
  ) throws {
    let files = names.map { folder.appendingPathComponent($0).path } + support + build.sharedFiles
    let arguments =
      ["swiftc", "-module-name", "Yours", "-swift-version", languageMode, "-parse-as-library"]
      + build.compilerArguments + files
    let entries = files.map {
      Entry(directory: folder.path, file: $0, arguments: arguments)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(entries), as: UTF8.self)
    try WholeFile(folder.appendingPathComponent(Self.fileName).path, advice: advice)
      .write(text + "\n")
  }
}
