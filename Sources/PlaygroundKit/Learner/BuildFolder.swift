import Foundation

/// The build folder of the running executable, with its modules and objects, and its sources.
///
/// A learner's file is compiled against these modules and linked with these objects. So a check
/// takes seconds, and it uses the engine that is running, in a debug build and in a release build.
package struct BuildFolder: Sendable {
  /// The folder of the executable, with its objects below.
  package let products: URL
  /// The top of the package.
  package let package: URL

  /// Finds the folders of the running executable.
  package static func current() throws -> BuildFolder {
    try BuildFolder(ofExecutable: executable)
  }

  /// Finds the folders of an executable that SwiftPM built.
  package init(ofExecutable executable: URL) throws {
    products = executable.deletingLastPathComponent()
    var folder = products
    while !FileManager.default.fileExists(
      atPath: folder.appendingPathComponent("Package.swift").path)
    {
      guard folder.path != "/" else {
        throw Complaint(
          .input,
          "\(executable.path) is outside its clone, whose files this command needs: "
            + "in the clone, type `swift run faultline` instead.")
      }
      folder.deleteLastPathComponent()
    }
    package = folder
  }

  /// The file of the running executable.
  private static var executable: URL {
    let link = "/proc/self/exe"
    if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) {
      return URL(fileURLWithPath: path)
    }
    return (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
      .resolvingSymlinksInPath()
  }

  /// Where the compiler finds the modules of the package.
  private var modules: URL { products.appendingPathComponent("Modules") }

  /// The maps of the C modules that the engine's module imports.
  private var moduleMaps: [URL] {
    let sources = package.appendingPathComponent("Sources")
    let targets = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
    return targets.sorted().flatMap { target in
      ["\(target)/module.modulemap", "\(target)/include/module.modulemap"]
    }
    .map { sources.appendingPathComponent($0) }
    .filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Whether the executable was built with the thread sanitizer.
  package static let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

  /// Whether the executable was optimised.
  private var isOptimised: Bool {
    products.resolvingSymlinksInPath().lastPathComponent == "release"
  }

  /// The modules whose objects a learner's program is linked with: never those of our scenarios.
  package static let targets = [
    "Faultline", "SQLiteConnection", "PlaygroundKit", "CInterposition",
  ]

  /// The classes of the shared model, which are compiled with a learner's files.
  var sharedFiles: [String] {
    [package.appendingPathComponent("Scenarios/Shared/Library.swift").path]
  }

  /// The compiler's arguments for a learner's program, and the linker's.
  package func arguments(linking targets: [String] = Self.targets) throws -> [String] {
    try compilerArguments + linkerArguments + objects(of: targets)
  }

  /// The linker's arguments, without the objects.
  private var linkerArguments: [String] {
    #if os(Linux)
      // It comes with the toolchain, and takes less time than the linker that is the default.
      ["-lsqlite3", "-use-ld=lld"]
    #else
      ["-lsqlite3"]
    #endif
  }

  /// The compiler's arguments for a learner's files. They are compiled as one: each compiler of a
  /// file by itself would read all modules again. Of the debug information only the lines are used,
  /// and all of it would need the module too.
  var compilerArguments: [String] {
    var arguments = [
      "-gline-tables-only", isOptimised ? "-O" : "-Onone", "-whole-module-optimization",
    ]
    if BuildFolder.isThreadSanitized { arguments.append("-sanitize=thread") }
    #if !os(macOS)
      arguments += ["-module-alias", "CoreData=Faultline", "-D", "FAULTLINE"]
    #endif
    arguments += moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    return arguments + ["-I", modules.path]
  }

  /// The objects of these targets, as the linker was given them when the executable was built.
  private func objects(of targets: [String]) throws -> [String] {
    let list = products.appendingPathComponent("faultline.product/Objects.LinkFileList")
    guard let text = try? String(contentsOf: list, encoding: .utf8) else {
      throw Complaint(
        .input, "\(list.path) is missing: in the clone, type `swift run faultline` instead.")
    }
    let folders = Set(targets.map { "\($0).build" })
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: ["'", "\"", " "]) }
      .filter { object in object.split(separator: "/").contains { folders.contains(String($0)) } }
  }
}
