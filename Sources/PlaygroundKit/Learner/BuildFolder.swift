import Faultline
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
  private let executable: URL

  /// Finds the folders of the running executable.
  package static func current() throws -> BuildFolder {
    try BuildFolder(ofExecutable: executable)
  }

  /// Finds the folders of an executable that SwiftPM built.
  package init(ofExecutable executable: URL) throws(Complaint) {
    self.executable = executable
    products = executable.deletingLastPathComponent()
    var folder = products
    while !Self.isClone(folder) {
      guard folder.path != "/" else {
        // The products may have been built somewhere else, with `--scratch-path`.
        folder = URL(fileURLWithPath: Self.compiledPackage)
        if Self.isThere(products.appendingPathComponent("Modules")), Self.isClone(folder) { break }
        throw Complaint(
          .input,
          "\(executable.path) is outside its clone, whose files this command needs: "
            + "in the clone, type `swift run faultline` instead.")
      }
      folder.deleteLastPathComponent()
    }
    package = folder
  }

  /// Whether this is the top of a clone of this package, and of no other.
  private static func isClone(_ folder: URL) -> Bool {
    ["Package.swift", "Sources/PlaygroundKit"].allSatisfy {
      isThere(folder.appendingPathComponent($0))
    }
  }

  private static func isThere(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path)
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

  /// The folder that SwiftPM built in: `.build`, unless `--scratch-path` named another one.
  package var scratch: URL {
    products.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
  }

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

  /// The objects of these targets, which the linker was given when the executable was built; there
  /// they had the paths of that day.
  private func objects(of targets: [String]) throws -> [String] {
    let list = products.appendingPathComponent("faultline.product/Objects.LinkFileList")
    guard let text = try WholeFile.text(of: list.path) else { throw missing(list) }
    let folders = Set(targets.map { "\($0).build" })
    let objects = text.split(separator: "\n").compactMap { line -> URL? in
      let parts = line.trimmingCharacters(in: ["'", "\"", " "]).components(separatedBy: "/")
      return parts.firstIndex(where: folders.contains).map { first in
        products.appendingPathComponent(parts[first...].joined(separator: "/"))
      }
    }
    let needed =
      objects
      + targets.filter { $0 != "CInterposition" }
      .map { modules.appendingPathComponent("\($0).swiftmodule") }
    if let lost = needed.first(where: { !Self.isThere($0) }) { throw missing(lost) }
    return objects.map(\.path)
  }

  private func missing(_ file: URL) -> Complaint {
    Complaint(.input, "\(file.path) is missing, a part of the built tool: \(rebuilding).")
  }
}

// MARK: A clone that is somewhere else than it was built, or has changed since

extension BuildFolder {
  /// The top of the package when this file was compiled.
  private static let compiledPackage: String = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.path
  }()

  /// The folders of the running executable; nil if it is outside its clone.
  private static let here = try? current()

  /// The top of the package, where it is now or else where it was built.
  static let packagePath = here?.package.path ?? compiledPackage

  /// Where a file of ours is now that was compiled under this path: a clone may have been moved or
  /// copied since. The path of any other file is the file's.
  package static func source(_ path: String) -> String {
    let ours = ["Sources", "Scenarios", "Tests", ".build"]
    guard ours.contains(where: { path.hasPrefix("\(compiledPackage)/\($0)/") }) else { return path }
    return packagePath + path.dropFirst(compiledPackage.count)
  }

  /// Where the clone was when the tool was built, if that is not where it is now.
  var earlierPlace: String? {
    let now = package.resolvingSymlinksInPath().path
    return URL(fileURLWithPath: Self.compiledPackage).resolvingSymlinksInPath().path == now
      ? nil : Self.compiledPackage
  }

  /// What to type to build the tool again.
  var rebuilding: String {
    let standard = package.resolvingSymlinksInPath().appendingPathComponent(".build").path
    let place = scratch.path == standard ? "" : " --scratch-path \(scratch.path.quotedForShell)"
    // SwiftPM's cache of modules holds paths: a build in another place fails until it is removed.
    let clean = earlierPlace == nil ? "" : "swift package clean\(place) && "
    let build = "swift build\(isOptimised ? " -c release" : "")\(place)"
    return "in \(package.path.quotedForShell), type `\(clean)\(build)`"
  }

  /// Why lines of a file of ours may be missing from a page, or stand at the wrong places, in a
  /// sentence; nil if they do not, or the file is not ours.
  package static func trouble(with file: String) -> String? {
    guard file.hasPrefix(packagePath + "/") else { return nil }
    do throws(GivenFile.Refusal) {
      guard try GivenFile.kind(of: file) == .file else {
        return here == nil
          ? "The code cannot be shown, because the tool is outside its clone, and there is no"
            + " \(file): in the clone, type `swift run faultline` instead."
          : "The code cannot be shown, because \(file) is missing: restore it with `git checkout`."
      }
    } catch {
      return "The code cannot be shown, because \(file) \(error.words): \(error.advice)."
    }
    guard let here, here.isOlder(than: file) else { return nil }
    return "\(file) is newer than the tool, so pages may name the wrong lines of it:"
      + " \(here.rebuilding)."
  }

  /// A source file that is newer than the executable, if there is one.
  var newerSource: String? {
    // The exercises and their solutions are not compiled into the tool.
    let apart: Set = ["Exercise", "Solution", "NearMisses"]
    return ["Sources", "Scenarios"].lazy.compactMap { top in
      let folder = package.appendingPathComponent(top).path
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
      return names.sorted().first { name in
        name.hasSuffix(".swift")
          && apart.isDisjoint(with: name.split(separator: "/").map(String.init))
          && isOlder(than: "\(folder)/\(name)")
      }.map { "\(folder)/\($0)" }
    }.first
  }

  /// Whether a file was written after the executable.
  func isOlder(than file: String) -> Bool {
    guard let built = Self.time(of: executable.path), let written = Self.time(of: file) else {
      return false
    }
    return written > built
  }

  /// When a file was written, in seconds and nanoseconds.
  private static func time(of path: String) -> (Int, Int)? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    #if os(Linux)
      let time = information.st_mtim
    #else
      let time = information.st_mtimespec
    #endif
    return (time.tv_sec, time.tv_nsec)
  }
}
