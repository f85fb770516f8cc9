import Foundation
import PlaygroundKit

/// Compares the engine with bare SQLite and with GRDB, side by side in one run.
///
/// Each run of each side is a process of its own, so that neither inherits the other's memory,
/// caches or settings; the sides take turns, so that whatever else the machine does meets all.
///
///     benchmarks [--runs 7] [--rows 100000] [--only W1,W3,access,growth,explore] \
///       [--profile] [--write FILE]
///     benchmarks --child W3 engine FILE ROWS        one run, for a profiler
@main
struct Benchmarks {
  private var runs = 7
  private var rows = 100_000
  private var only: Set<String>?
  private var page: String?
  private var isProfiling = false
  private var folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("faultline-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")

  static func main() throws {
    Supervisor.runIfAsked()
    ControlledProcess.runIfAsked(catalogue: [Crossing.self])
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--child" {
      try Child.main(Array(arguments.dropFirst()))
    } else {
      try Benchmarks(arguments).run()
    }
  }

  private init(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      if option == "--profile" {
        isProfiling = true
        continue
      }
      let value = rest.popFirst()
      switch (option, value.flatMap { Int($0) }) {
      case ("--runs", let number?) where number > 0: runs = number
      case ("--rows", let number?) where number > 0: rows = number
      case ("--only", _) where value != nil:
        only = Set(value!.split(separator: ",").map(String.init))
      case ("--write", _) where value != nil: page = value
      default:
        print(
          "usage: benchmarks [--runs 7] [--rows 100000] [--only "
            + "W1,W3,access,growth,explore] [--write FILE] [--profile]")
        exit(64)
      }
    }
  }

  private func run() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let workloads = Workload.allCases.filter { only?.contains($0.rawValue) ?? true }
    let measuresAccess = only?.contains("access") ?? true
    let measuresGrowth = only?.contains("growth") ?? true

    var report = Report(runs: runs, rows: rows)
    for run in 1...runs where !workloads.isEmpty || measuresAccess {
      progress("run \(run) of \(runs)")
      for workload in workloads {
        // The sides swap places from run to run, so that going second is nobody's fate.
        for side in run % 2 == 0 ? Side.allCases : Side.allCases.reversed() {
          let measurement = try measure(workload, side, rows)
          report.measurements[workload, default: [:]][side, default: []].append(measurement)
        }
      }
      if measuresAccess { report.accesses.append(try measureAccess()) }
    }
    if measuresGrowth { report.growth = try Growth(runs: runs, measure: measure) }
    if isProfiling { try profile(&report) }
    progress("")
    print(report.text)
    if let page { try report.page.write(toFile: page, atomically: true, encoding: .utf8) }
    if only?.contains("explore") ?? true { try Exploring.measure(runs: runs) }
  }

  /// Looks where the time goes in the workloads whose target was missed, and in those that a peer
  /// does more quickly.
  private func profile(_ report: inout Report) throws {
    for workload in report.slowWorkloads {
      progress("profile of \(workload.rawValue)")
      var profile = Profile()
      for _ in 1...runs {
        let file = try freshFile(.engine, workload.file, rows)
        defer { remove(file) }
        try profile.add(child: [workload.rawValue, "engine", file.path, "\(rows)"], in: folder)
      }
      report.profiles.append((workload, profile))
    }
  }

  /// Makes a file that workloads start from, so that every run starts from the same bytes.
  private func prepareFile(_ side: Side, _ file: Workload.File, _ rows: Int) throws {
    let url = preparedFile(side, file, rows)
    _ = try measureInChild(["fill", side.rawValue, url.path, "\(rows)", file.rawValue])
    _ = RawConnection(url).number("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func preparedFile(_ side: Side, _ file: Workload.File, _ rows: Int) -> URL {
    folder.appendingPathComponent("\(file.rawValue)-\(side.rawValue)-\(rows).sqlite")
  }

  private func measure(_ workload: Workload, _ side: Side, _ rows: Int) throws -> Measurement {
    let file = try freshFile(side, workload.file, rows)
    defer { remove(file) }
    let words = [workload.rawValue, side.rawValue, file.path, "\(rows)"]
    guard let line = try measureInChild(words).first(where: { $0.hasPrefix("measured") }),
      let measurement = Measurement(line: line)
    else { throw Failure(description: "\(workload.rawValue) \(side.rawValue) reported nothing") }
    return measurement
  }

  private func measureAccess() throws -> [Double] {
    let file = try freshFile(.engine, .articles, rows)
    defer { remove(file) }
    let words = ["access", "engine", file.path, "\(rows)"]
    func figures(_ lines: [Substring]) -> [Double] {
      lines.compactMap { $0.hasPrefix("access ") ? Double($0.dropFirst("access ".count)) : nil }
    }
    let checked = try measureInChild(
      words + ["get"], environment: ["FAULTLINE_CONCURRENCY_DEBUG": "1"])
    let all = figures(try measureInChild(words))
    return all + zip(figures(checked), all).map { $0 - $1 }
  }

  /// A new file, a copy of the prepared one.
  private func freshFile(_ side: Side, _ kind: Workload.File, _ rows: Int) throws -> URL {
    let file = folder.appendingPathComponent("run.sqlite")
    remove(file)
    if kind != .empty {
      let prepared = preparedFile(side, kind, rows)
      if !FileManager.default.fileExists(atPath: prepared.path) {
        try prepareFile(side, kind, rows)
      }
      try FileManager.default.copyItem(at: prepared, to: file)
    }
    return file
  }

  private func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }

  private func measureInChild(
    _ words: [String], environment: [String: String] = [:]
  ) throws -> [Substring] {
    let process = Process()
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--child"] + words
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(words.joined(separator: " ")) ended in \(process.terminationStatus)")
    }
    return text.split(separator: "\n")
  }

  private func progress(_ text: String) {
    FileHandle.standardError.write(Data("\u{1B}[2K\r\(text)".utf8))
  }
}

/// The process that does the work once.
enum Child {
  static func main(_ words: [String]) throws {
    guard words.count >= 4, let side = Side(rawValue: words[1]), let rows = Int(words[3]) else {
      throw Failure(description: "not a run: \(words)")
    }
    let file = URL(fileURLWithPath: words[2])
    if let workload = Workload(rawValue: words[0]) {
      try warmUp(workload, side, beside: file)
      let peer = try side.open(file, synchronous: workload.synchronous)
      let work = try peer.work(workload, rows: rows)
      let began = seconds
      let measurement = try Measurement.of(work)
      print("between \(began) \(seconds)")
      print(measurement.line)
    } else if words[0] == "fill", let kind = words.last.flatMap(Workload.File.init) {
      try side.open(file, synchronous: "NORMAL").fill(kind, rows: rows)
    } else if words.last == "get" {
      print("access \(try Access.measureGet(file: file))")
    } else {
      for nanoseconds in try Access.measure(file: file) { print("access \(nanoseconds)") }
    }
  }

  /// The clock that a profiler stamps its samples with.
  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Does the work on a small file first: looking up symbols and making metadata happens once in a
  /// process and would otherwise be counted as work.
  private static func warmUp(_ workload: Workload, _ side: Side, beside file: URL) throws {
    let small = file.deletingPathExtension().appendingPathExtension("warm.sqlite")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: small.path + suffix)
      }
    }
    let peer = try side.open(small, synchronous: workload.synchronous)
    if workload.file != .empty { try peer.fill(workload.file, rows: 2000) }
    _ = try peer.work(workload, rows: 2000)()
  }
}

/// Why there is no figure.
struct Failure: Error, CustomStringConvertible {
  /// One sentence.
  var description: String
}
