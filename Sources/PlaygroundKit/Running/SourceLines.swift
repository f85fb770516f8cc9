import Foundation

/// Finds the lines of the scenario at which steps were made, in the debug information of the
/// executable that made them.
///
/// The toolchain's `llvm-symbolizer` reads it in a few hundredths of a second. Where there is no
/// such program, or no debug information, steps have no lines.
final class SourceLines {
  /// A place in a source file.
  private struct Place: Hashable {
    var function: String
    var path: String
    var line: Int
    var name: String { "\(URL(fileURLWithPath: path).lastPathComponent):\(line)" }
  }

  private let executable: String
  private let symbolizer: URL?
  /// Takes what the symbolizer prints.
  private let workspace: Workspace
  /// The lines of addresses that were looked up, those of inlined functions first.
  private var known: [Int: [Place]] = [:]

  /// Prepares the search in an executable; what is written meanwhile goes into the workspace.
  init(of executable: String, in workspace: Workspace) {
    self.executable = executable
    self.workspace = workspace
    symbolizer = Self.tool
  }

  /// A trace whose steps name the lines of the scenario, where they are known.
  func placed(_ trace: Trace) -> Trace {
    guard symbolizer != nil, trace.steps.contains(where: { !$0.stack.isEmpty }) else {
      return trace
    }
    lookUp(Set(trace.steps.flatMap(\.stack)))
    var trace = trace
    for index in trace.steps.indices {
      let places = trace.steps[index].stack.flatMap { known[$0] ?? [] }
        .filter { $0.line > 0 && isLearners($0) }
      trace.steps[index].place = (places.first { !Self.isShared($0) } ?? places.first)?.name
    }
    return trace
  }

  // MARK: Whose code it is

  /// The folders of the engine, the kit and the libraries.
  private static let notLearners: [String] = {
    let scratch = (try? BuildFolder.current())?.scratch.path
    let sources = ["Sources", ".build"].map { "\(BuildFolder.packagePath)/\($0)/" }
    return sources + (scratch.map { [$0 + "/"] } ?? [])
  }()

  /// Whether it is neither the engine's, nor the kit's, nor that of a library.
  private func isLearners(_ place: Place) -> Bool {
    !Self.notLearners.contains(where: place.path.hasPrefix) && exists(place.path)
  }

  /// What scenarios share, such as the model's classes, says less than their own code.
  private static func isShared(_ place: Place) -> Bool {
    place.path.contains("/Scenarios/Shared/")
  }

  private var files: [String: Bool] = [:]
  private func exists(_ path: String) -> Bool {
    if let answer = files[path] { return answer }
    let answer = FileManager.default.fileExists(atPath: path)
    files[path] = answer
    return answer
  }

  // MARK: The tool

  /// Why steps have no lines, in a sentence, if there is a reason that a person can mend.
  static var trouble: String? {
    tool == nil
      ? "Steps have no lines, because `llvm-symbolizer` is not on PATH: it comes with Swift's"
        + " toolchain, so add that to PATH." : nil
  }

  /// `llvm-symbolizer` beside the Swift runtime, or in a folder of the path.
  private static let tool: URL? = {
    let name = "llvm-symbolizer"
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
    // The toolchain's own knows best what its compiler wrote.
    let swift = folders.lazy.map { $0.appendingPathComponent("swift") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let toolchain = swift.map { [$0.resolvingSymlinksInPath().deletingLastPathComponent()] } ?? []
    return (toolchain + folders).lazy.map { $0.appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  private static let limits = ChildProcess.Limits(
    seconds: 5, memoryBytes: 2 << 30, outputBytes: 8 << 20, diskBytes: nil, home: .anywhere)
  /// How many addresses one call asks for.
  private static let addressesMax = 2_000

  private func lookUp(_ stack: Set<Int>) {
    let missing = stack.subtracting(known.keys).sorted()
    // A call returns behind itself; a task continues where it is said to.
    for (address, places) in zip(missing, ask(missing.map { $0 < 0 ? -$0 : $0 - 1 })) {
      known[address] = places
    }
    for address in missing { known[address, default: []] += [] }
    lookBehind(missing.filter { known[$0]!.contains(where: isWithoutLine) })
  }

  /// Code that the compiler wrote around a call has no line; what comes next has the line of the
  /// call, as far as it is of the same function.
  private func lookBehind(_ addresses: [Int]) {
    let probes = addresses.map { address in Self.distances.map { abs(address) + $0 } }
    let answers = ask(probes.flatMap { $0 })
    guard answers.count == addresses.count * Self.distances.count else { return }
    for (number, address) in addresses.enumerated() {
      let found = answers[(number * Self.distances.count)...].prefix(Self.distances.count).joined()
      known[address] = known[address]!.map { place in
        guard isWithoutLine(place) else { return place }
        let next = found.first { $0.line > 0 && $0.function == place.function }
        return next?.path == place.path ? next! : place
      }
    }
  }

  private static let distances = Array(stride(from: 4, through: 64, by: 4))

  private func isWithoutLine(_ place: Place) -> Bool {
    place.line == 0 && isLearners(place) && !Self.isShared(place)
  }

  /// The places of addresses, or of the first of them if something went wrong.
  private func ask(_ addresses: [Int]) -> [[Place]] {
    guard let symbolizer else { return [] }
    var places: [[Place]] = []
    while places.count < addresses.count {
      let part = addresses[places.count...].prefix(Self.addressesMax)
      let asked = try? ChildProcess.run(
        symbolizer,
        ["--obj=\(executable)", "--inlines", "--no-demangle"]
          + part.map { "0x" + String($0, radix: 16) },
        environment: ProcessInfo.processInfo.environment, limits: Self.limits,
        log: workspace.folder.appendingPathComponent("symbolizer.log"), folder: workspace.folder,
        in: workspace)
      // One answer is pairs of lines, a function and its place, and ends with an empty line.
      let answers = asked?.output.components(separatedBy: "\n\n").filter { !$0.isEmpty } ?? []
      guard asked?.ending == .exited(0), answers.count == part.count else { break }
      places += answers.map(Self.places)
    }
    return places
  }

  private static func places(_ answer: String) -> [Place] {
    let lines = answer.split(separator: "\n")
    return stride(from: 0, to: lines.count - 1, by: 2).compactMap { number in
      let parts = lines[number + 1].split(separator: ":")
      guard parts.count >= 3, let line = Int(parts[parts.count - 2]) else { return nil }
      return Place(
        function: String(lines[number]),
        path: BuildFolder.source(parts.dropLast(2).joined(separator: ":")), line: line)
    }
  }
}
