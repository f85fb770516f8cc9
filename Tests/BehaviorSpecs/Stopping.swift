import Foundation
import Testing

/// Runs the body of an exit test; an error on the way to the mistake counts as not stopping.
func mustStop(_ body: () throws -> Void) {
  do { try body() } catch { print("threw before the mistake: \(error)") }
}

/// Says on standard error that everything before the mistake went well.
func nowStops() {
  FileHandle.standardError.write(Data("the mistake comes now\n".utf8))
}

/// True if the process got as far as the mistake itself before it stopped.
func reachedTheMistake(_ result: ExitTest.Result?) -> Bool {
  guard let result else { return false }
  return String(decoding: result.standardErrorContent, as: UTF8.self)
    .contains("the mistake comes now")
}
