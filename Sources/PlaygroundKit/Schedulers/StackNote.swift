import CSwiftRuntime
import Foundation

/// Where the running thread stands, so that a page can name the line of the scenario later.
///
/// Swift keeps frame pointers, so that a stack is a chain of addresses, which is read in less than
/// a microsecond a frame. A frame of an asynchronous function leads to the chain of those that
/// await it instead. Every address is read through the kernel, which refuses a wrong one: a note
/// that ends early costs a page its line, and never a run its outcome.
enum StackNote {
  /// The most frames that are noted: the code of a scenario stands near the end.
  private static let framesMax = 48

  /// The frames of the running thread that are in this executable, as in `Trace.Step.stack`.
  static func taken() -> [Int] {
    #if os(Linux)
      var frames = [UInt](repeating: 0, count: framesMax)
      let count = faultline_stack(&frames, CInt(framesMax))
      let base = Self.base
      return frames.prefix(Int(count)).compactMap { frame in
        // The highest bit tells a place at which a task continues.
        let address = frame & ~Self.resumes
        guard address > base, address - base < Self.length else { return nil }
        return frame == address ? Int(address - base) : -Int(address - base)
      }
    #else
      return []
    #endif
  }

  #if os(Linux)
    private static let resumes: UInt = 1 << 63
    private static let base = faultline_image_base()
    private static let length = faultline_image_length()
  #endif
}
