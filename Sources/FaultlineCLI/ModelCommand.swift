import ArgumentParser
import Foundation
import PlaygroundKit

/// `faultline model`: generates code from a data model.
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Generate the classes of a data model.",
    subcommands: [Generate.self])

  /// `faultline model generate Library.xcdatamodeld`: the classes and properties.
  struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate", abstract: "Generate the classes and properties of a data model.",
      discussion: """
        faultline model generate Library.xcdatamodeld --output Sources/App/Model
        faultline model generate Library.xcdatamodeld --dry-run

        An existing class file is yours and is never overwritten. The file of its properties is \
        replaced each time. The paths of the written files go to standard output.
        """)

    @Argument(
      help: "The model: Xcode's folder .xcdatamodeld, or the XML file inside it.",
      transform: PathWord.checked)
    var model: String

    @Option(
      name: .shortAndLong, help: "The folder to write into.", transform: PathWord.checked)
    var output = "."

    @Option(name: .customLong("import"), help: "The module that the generated code imports.")
    var module = "Faultline"

    @Flag(
      name: [.customShort("n"), .long],
      help: "Print the paths that would be written, and write nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Print as little as possible.")
    var quiet = false

    func validate() throws {
      let isModule = module.wholeMatch(of: #/[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*/#)
      guard isModule != nil else {
        throw ValidationError("--import \(module): give the name of a module, as in CoreData.")
      }
    }

    func run() throws {
      let generator = try ClassGenerator(model: URL(fileURLWithPath: model), importing: module)
      if !quiet { for remark in generator.remarks { Output.complain(remark) } }
      let folder = URL(fileURLWithPath: output)
      for file in generator.files {
        let url = folder.appendingPathComponent(file.name)
        let isThere = FileManager.default.fileExists(atPath: url.path)
        if file.isKept, isThere { continue }
        if !dryRun { try write(file, to: url) }
        if !quiet { try Output.standard.write("\(DeskOptions.shown(url))\n") }
      }
    }

    private func write(_ file: GeneratedFile, to url: URL) throws(Complaint) {
      let advice = "give --output another folder"
      try LearnerFolder.make(url.deletingLastPathComponent(), advice: advice)
      try WholeFile(url.path, advice: advice).write(file.text)
    }
  }
}
