import Foundation

/// What one run of one side cost.
struct Measurement {
  /// Nanoseconds on the clock.
  var wall: Double
  /// Nanoseconds of processor time of all threads, the system's part included.
  var processor: Double
  /// By how many bytes the most memory the process ever held grew during the work.
  var growth: Double
  /// The longest commit in nanoseconds; 0 where nobody looked.
  var commitMax: Double
  /// What the work came to; all sides must agree, or they did not do the same.
  var checksum: Int64

  /// Runs the body and measures it.
  static func of(_ body: () throws -> Tally) rethrows -> Measurement {
    let peakBefore = bytes(usage())
    let processorBefore = processorNanoseconds()
    let start = ContinuousClock.now
    let tally = try body()
    let wall = start.duration(to: .now)
    let processor = processorNanoseconds() - processorBefore
    let (seconds, attoseconds) = wall.components
    return Measurement(
      wall: Double(seconds) * 1e9 + Double(attoseconds) / 1e9, processor: processor,
      growth: bytes(usage()) - peakBefore, commitMax: tally.commitMax,
      checksum: tally.checksum)
  }

  /// One line by which a child process reports to its parent.
  var line: String {
    "measured \(wall) \(processor) \(growth) \(commitMax) \(checksum)"
  }

  private init(
    wall: Double, processor: Double, growth: Double, commitMax: Double, checksum: Int64
  ) {
    self.wall = wall
    self.processor = processor
    self.growth = growth
    self.commitMax = commitMax
    self.checksum = checksum
  }

  /// Reads the line a child wrote; nil for any other line.
  init?(line: Substring) {
    let words = line.split(separator: " ")
    guard words.count == 6, words[0] == "measured", let checksum = Int64(words[5]) else {
      return nil
    }
    let figures = words[1...4].compactMap { Double($0) }
    guard figures.count == 4 else { return nil }
    self.init(
      wall: figures[0], processor: figures[1], growth: figures[2], commitMax: figures[3],
      checksum: checksum)
  }

  /// The most memory that one of the processes waited for ever held, in bytes.
  static var peakMemoryOfChildren: Double { bytes(usage(RUSAGE_CHILDREN)) }

  #if canImport(Glibc)
    private static func usage(_ who: __rusage_who = RUSAGE_SELF) -> rusage {
      var usage = rusage()
      getrusage(Int32(who.rawValue), &usage)
      return usage
    }
  #else
    private static func usage(_ who: Int32 = RUSAGE_SELF) -> rusage {
      var usage = rusage()
      getrusage(who, &usage)
      return usage
    }
  #endif

  private static func processorNanoseconds() -> Double {
    let usage = usage()
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
    return Double(seconds) * 1e9 + Double(microseconds) * 1e3
  }

  private static func bytes(_ usage: rusage) -> Double {
    #if canImport(Darwin)
      Double(usage.ru_maxrss)
    #else
      Double(usage.ru_maxrss) * 1024
    #endif
  }
}
