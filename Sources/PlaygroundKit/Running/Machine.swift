import Foundation

/// The machine a run was made on.
public struct Machine: Codable, Sendable, Equatable {
  public var system: String
  public var architecture: String
  public var cores: Int
  /// Whether the tool was built for speed or for debugging; figures of the two must not be
  /// compared.
  public var build: String

  /// This machine.
  public static var current: Machine {
    var names = utsname()
    uname(&names)
    func text<T>(_ field: T) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    #if DEBUG
      let build = "debug"
    #else
      let build = "release"
    #endif
    return Machine(
      system: "\(text(names.sysname)) \(text(names.release))", architecture: text(names.machine),
      cores: ProcessInfo.processInfo.activeProcessorCount, build: build)
  }
}
