import CoreData
import Foundation
import XCTest

/// Whatever programs do, the engine does what the rules say on paper.
///
/// `FAULTLINE_PROGRAMS=10000` runs that many, from the seed `FAULTLINE_FIRST` if that is set; a
/// failure prints its seed, and `FAULTLINE_PROGRAM=<seed>` repeats it alone, move by move.
final class ProgramSpecs: SpecCase {
  private func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  func testA19_B41_D2_D8_D42_D50_D54_D69_E25_E35_randomProgramsComeOutAsTheRulesSay() throws {
    if let seed = number("FAULTLINE_PROGRAM") {
      if let difference = difference(Program(seed: seed), tracing: true) {
        report(Program(seed: seed), difference)
      }
      return
    }
    let count = number("FAULTLINE_PROGRAMS") ?? 12
    let first = number("FAULTLINE_FIRST") ?? 1
    for seed in first..<(first + count) {
      // A stop of the engine ends the process: whoever runs many sees at which program.
      if count > 40 { FileHandle.standardError.write(Data("seed \(seed)\n".utf8)) }
      let program = Program(seed: seed)
      guard let difference = difference(program) else { continue }
      report(program, difference)
      return
    }
  }

  /// What the program brings to light, or nil.
  private func difference(_ program: Program, tracing: Bool = false) -> String? {
    defer { empty(directory) }
    do {
      try ProgramRunner(program, in: directory).run(tracing: tracing)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func report(_ program: Program, _ difference: String) {
    let least = shrink(program)
    let moves = least.moves.enumerated().map { "  \($0 + 1). \($1)" }.joined(separator: "\n")
    XCTFail(
      """
      seed \(program.seed): \(difference)
      FAULTLINE_PROGRAM=\(program.seed) swift test --filter ProgramSpecs
      The same with as few moves as possible (4 saves into \(program.isNested ? 3 : 0)\
      \(program.looksAlways ? ", everything is looked at after each move" : "")):
      \(moves)
      \(self.difference(least) ?? "")
      """)
  }

  /// The program without every move that it fails without.
  private func shrink(_ program: Program) -> Program {
    var least = program
    var size = least.moves.count / 2
    while size > 0 {
      var start = 0
      while start < least.moves.count {
        var shorter = least
        shorter.moves.removeSubrange(start..<min(start + size, least.moves.count))
        if difference(shorter) != nil { least = shorter } else { start += size }
      }
      size /= 2
    }
    return least
  }

  private func empty(_ directory: URL) {
    let files = try? FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: nil)
    for file in files ?? [] { try? FileManager.default.removeItem(at: file) }
  }
}
