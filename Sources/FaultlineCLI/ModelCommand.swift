import ArgumentParser
import Foundation
import PlaygroundKit

/// `faultline model`: what can be made of a data model.
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Write the classes of a data model.",
    subcommands: [Generate.self])

  /// `faultline model generate Library.xcdatamodeld`: the classes and properties.
  struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate", abstract: "Write the classes and properties of a data model.",
      discussion: """
        faultline model generate Library.xcdatamodeld --output Sources/App/Model
        faultline model generate Library.xcdatamodeld --dry-run

        A class file that is there already is yours and never overwritten; the properties are \
        written anew each time. The paths of what was written go to standard \
        output.
        """)

    @Argument(help: "The model: a folder of Xcode, or the XML in it.")
    var model: String

    @Option(name: .shortAndLong, help: "The folder to write into.")
    var output = "."

    @Option(name: .customLong("import"), help: "The module that the code imports.")
    var module = "Faultline"

    @Flag(name: [.customShort("n"), .long], help: "Say what would be written, and write nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Say as little as possible.")
    var quiet = false

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
      do {
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: url)
      } catch {
        throw Complaint(.input, "\(url.path) cannot be written: give --output another folder.")
      }
    }
  }
}
