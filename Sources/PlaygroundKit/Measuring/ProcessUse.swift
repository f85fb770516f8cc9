import CSwiftRuntime
import Faultline
import Foundation

/// What the operating system says about this process: its resident memory, its processor time.
enum ProcessUse {
  /// Resident now, and the highest it has been since the last reset; in bytes.
  struct Reading {
    var resident: Int
    var peak: Int
  }

  /// Forgets the peak so far, so that filling the store does not count as part of what a side did.
  static func resetPeak() {
    #if os(Linux)
      // Linux takes "5" here as the order to start the high-water mark anew.
      let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = write(file, "5", 1)
      close(file)
    #endif
  }

  /// Keeps the calling thread, and the threads it starts, on the processor it runs on, where the
  /// system lets us: threads that take turns hand over eight times as fast there.
  static func stayOnOneProcessor() {
    #if os(Linux)
      _ = faultline_stay_on_processor(faultline_processor())
    #endif
  }

  /// Does something on a processor that no other caller is on, and starts processes there.
  static func onOneProcessor<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if os(Linux)
      let here = Int(faultline_processor())
      let processor = inUse.withLock { inUse in
        let free = (0..<ProcessInfo.processInfo.activeProcessorCount).filter { !inUse.contains($0) }
        let chosen = free.contains(here) ? here : free.first
        if let chosen { inUse.insert(chosen) }
        return chosen
      }
      guard let processor else { return try body() }
      let before = faultline_stay_on_processor(Int32(processor))
      defer {
        faultline_run_on_processors(before)
        inUse.withLock { _ = $0.remove(processor) }
      }
    #endif
    return try body()
  }
  private static let inUse = Lock(Set<Int>())

  /// How many threads this process has; nil where the system does not say.
  static var threadCount: Int? {
    #if os(Linux)
      // A folder has two links and one more for each folder in it.
      var information = stat()
      guard stat("/proc/self/task", &information) == 0 else { return nil }
      return Int(information.st_nlink) - 2
    #else
      return nil
    #endif
  }

  /// Reads both figures; nil where the system has no such file.
  static func read() -> Reading? {
    #if os(Linux)
      var buffer = [UInt8](repeating: 0, count: 4096)
      let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      let length = buffer.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
      guard length > 0 else { return nil }
      return parse(String(decoding: buffer.prefix(length), as: UTF8.self))
    #else
      return nil
    #endif
  }

  /// The processor time of all threads so far, in nanoseconds.
  static var processorNanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The processor time of another process so far, in nanoseconds; nil where no system says it.
  static func processorNanoseconds(of process: pid_t) -> Int? {
    #if os(Linux)
      var clock = clockid_t()
      var time = timespec()
      guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return nil
      }
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    #else
      return nil
    #endif
  }

  /// Whether another process would go on if the machine let it: one of its threads has a processor,
  /// waits for one, or for the disk. False where the system does not say.
  static func isHeldUp(_ process: pid_t) -> Bool {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.contains { thread in
      let data = FileManager.default.contents(atPath: "\(folder)/\(thread)/stat") ?? Data()
      return isHeldUp(stat: String(decoding: data, as: UTF8.self))
    }
  }

  /// Reads the state in a line of `stat`: the letter after the name, in which may stand anything.
  static func isHeldUp(stat: String) -> Bool {
    guard let end = stat.lastIndex(of: ")"), let state = stat[end...].dropFirst(2).first else {
      return false
    }
    return state == "R" || state == "D"
  }

  /// Finds the two lines in `/proc/self/status`, which count kibibytes.
  static func parse(_ status: String) -> Reading? {
    func kibibytes(_ key: String) -> Int? {
      for line in status.split(separator: "\n") where line.hasPrefix(key) {
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
          .flatMap { Int($0) }
      }
      return nil
    }
    guard let resident = kibibytes("VmRSS:"), let peak = kibibytes("VmHWM:") else { return nil }
    return Reading(resident: resident * 1024, peak: peak * 1024)
  }
}
