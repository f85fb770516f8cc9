import Foundation

/// Where the engine's processor time goes in one workload: the samples that `perf` took between the
/// beginning and the end of the measured work, by what the processor was doing.
struct Profile {
  /// What the samples are sorted by, in the order of `shares`.
  static let parts = [
    "SQLite", "system", "memory", "reference counts", "locks", "engine", "the loop", "libraries",
  ]
  /// Samples a second; each is that part of a second.
  private static let frequency = 4999

  private var counts = [Int](repeating: 0, count: parts.count)

  /// The number of samples.
  var sampleCount: Int { counts.reduce(0, +) }
  /// The parts of the time, from 0 to 1.
  var shares: [Double] { counts.map { Double($0) / Double(max(1, sampleCount)) } }

  /// Runs a child of this program under `perf`, and adds what it was seen doing.
  ///
  /// - Throws: `Failure` if `perf` is missing or may not look.
  mutating func add(child words: [String], in folder: URL) throws {
    let data = folder.appendingPathComponent("perf.data").path
    let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let record = ["perf", "record", "-q", "-k", "CLOCK_MONOTONIC", "-F", "\(Self.frequency)"]
    let output = try Self.run(record + ["-o", data, "--", program, "--child"] + words)
    let times = output.split(separator: "\n").first { $0.hasPrefix("between ") }?
      .split(separator: " ").compactMap { Double($0) }
    guard let times, times.count == 2 else {
      throw Failure(description: "\(words.joined(separator: " ")) did not say when it began")
    }
    let samples = try Self.run(["perf", "script", "-i", data, "--ns", "-F", "time,ip,sym,dso"])
    for line in samples.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 3, let time = Double(words[0].dropLast()),
        times[0]...times[1] ~= time
      else { continue }
      counts[Self.part(words[2], words.last ?? "")] += 1
    }
  }

  /// The place in `parts` of a function in a file.
  private static func part(_ function: Substring, _ file: Substring) -> Int {
    func begins(_ heads: String...) -> Bool { heads.contains { function.hasPrefix($0) } }
    if file.contains("libsqlite3") { return 0 }
    if file.contains("kernel") { return 1 }
    if begins("malloc", "cfree", "_int_", "calloc", "realloc", "unlink_chunk", "__GI___libc_") {
      return 2
    }
    if begins("swift_alloc", "swift_slow", "swift_dealloc", "_swift_dealloc", "sysmalloc") {
      return 2
    }
    if begins("swift_retain", "swift_release", "swift::RefCounts", "_swift_release", "swift_bridge")
    {
      return 3
    }
    if begins("pthread_mutex", "__pthread_mutex", "__lll_", "___pthread") { return 4 }
    if function.contains("9Faultline") || function.contains("16SQLiteConnection") { return 5 }
    return function.contains("10benchmarks") ? 6 : 7
  }

  private static func run(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(words.prefix(2).joined(separator: " ")) ended in "
          + "\(process.terminationStatus); install perf and allow it to look at processes")
    }
    return text
  }
}
