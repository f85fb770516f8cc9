import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// Files that want points without a repair, or that do not want to end. They get nothing, they end,
/// and nothing is left of them.
@Suite final class HostileExerciseTests: CommandLineSuite {
  /// Checks a file in the place of exercise 8.
  private func check(_ code: String) throws -> (record: CheckRecord?, reply: CommandLineTool.Reply)
  {
    let folder = tool.temporary.appendingPathComponent("ex").path
    let file = try tool.run("start", "8", "--dir", folder, "--quiet").output
      .trimmingCharacters(in: .newlines)
    try code.write(toFile: file, atomically: true, encoding: .utf8)
    let before = Set(try tool.leftovers())
    let reply = try tool.run("check", "8", "--dir", folder, "--json")
    let left = Set(try tool.leftovers()).subtracting(before)
    #expect(left.allSatisfy { !$0.hasPrefix("faultline-") }, "\(left)")
    let record = try? JSONDecoder().decode(CheckRecord.self, from: Data(reply.output.utf8))
    return (record, reply)
  }

  private func yours(_ body: String, _ more: String = "") -> String {
    """
    import CoreData
    import Foundation
    import PlaygroundKit
    \(more)
    @MainActor func yours(_ world: World) async throws {
      \(body)
    }
    """
  }

  // MARK: Points without a repair

  @Test(arguments: [
    "exit(0)", "_exit(0)", "kill(getpid(), SIGKILL)", "return", "fatalError()",
    "world.observe(\"shown\", \"3000\"); exit(0)",
    "FileHandle.standardOutput.write(Data(\"KEPT\\taccepted\\tfinished\\t\".utf8)); exit(0)",
  ])
  func leavingEarlyGetsNothing(_ body: String) throws {
    let (record, reply) = try check(yours(body))
    #expect(reply.status == 1, "\(reply.errors)")
    #expect(record?.points == 0, "\(body): \(reply.output)")
  }

  @Test func aTypeNamedLikeOneOfTheToolsGetsNothing() throws {
    let forged = """
      enum LearnerProgram { static func run() -> Never { exit(0) } }
      enum PlaygroundKit {
        enum LearnerProgram {
          @MainActor static func run(
            _ slug: String, yours: (World) async throws -> Void,
            model: @escaping () -> NSManagedObjectModel
          ) -> Never { print("all points"); exit(0) }
        }
      }
      """
    let (record, reply) = try check(yours("", forged))
    #expect(record?.points == 0, "\(reply.output)\(reply.errors)")
  }

  @Test func ourRightSideCannotBeCalled() throws {
    let body = "try await PerformAndWaitOnMain.sides[1].body(world)"
    #expect(try check(yours(body)).reply.status == 4)
    #expect(try check(yours(body, "import Scenarios")).reply.status == 4)
  }

  @Test func aSleepIsFoundBehindBackticksAndBehindARegex() throws {
    let solution = try String(
      contentsOf: BuildFolder.current().package.appendingPathComponent(
        "Scenarios/08-perform-and-wait-on-main/Solution/ImportArticles.swift"), encoding: .utf8)
    for sleep in [
      "try await Task.`sleep`(nanoseconds: 0)",
      "let odd = /\"/; usleep(0); _ = (odd, \"\")",
      "let odd = #/ \" /#; usleep(0); _ = (odd, \"\")",
    ] {
      let code = solution.replacing(
        "let bg = container", with: "if count < 0 { \(sleep) }\n  let bg = container")
      let (record, reply) = try check("import Foundation\n" + code)
      #expect(
        record?.findings.first { $0.name == "no-sleep" }?.status == .fail,
        "\(sleep): \(reply.output)\(reply.errors)")
    }
  }

  // MARK: Code that is not the same twice

  @Test func whatARunLeavesForTheNextIsToldAsNotDeterministic() throws {
    let (record, reply) = try check(
      yours(
        """
        runs += 1
        let bg = world.container.newBackgroundContext()
        let count = runs == 2 ? 3 : world["rows"]
        try await bg.perform {
          for _ in 1...count { _ = Article(context: bg) }
          try bg.save()
        }
        world.observe("shown", "\\(world["rows"])")
        """, "@MainActor var runs = 0"))
    #expect(reply.status == 6, "\(reply.output)\(reply.errors)")
    #expect(record?.points == 0)
    let message = record?.findings.first?.message ?? ""
    #expect(message.contains("Not deterministic") && message.contains("step"), "\(message)")
  }

  // MARK: Programs that do not want to end

  /// The living processes that have this test's folder in their environment.
  private var running: [String] {
    let mark = Data("\(tool.temporary.path)/".utf8)
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { process in
      let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
      return process.allSatisfy(\.isNumber) && environment.range(of: mark) != nil
    }
  }

  @Test(arguments: [
    "while true {}",
    "var kept: [[UInt8]] = []; while true { kept.append(.init(repeating: 1, count: 1 << 20)) }",
    "while true { print(String(repeating: \"x\", count: 1 << 16)) }",
    "raise(SIGSTOP)",
    "kill(getppid(), SIGKILL); while true {}",
    "for number in 1..<32 where number != 9 { signal(Int32(number), SIG_IGN) }; while true {}",
    "try shell(\"setsid sh -c 'while :; do :; done' & while :; do sleep 1; done\")",
    "while true { try shell(\"sleep 100 &\") }",
  ])
  func whatDoesNotEndIsEnded(_ body: String) throws {
    let shell = """
      func shell(_ line: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        try process.run()
        if line.contains("done") { process.waitUntilExit() }
      }
      """
    let (record, reply) = try check(yours(body, shell))
    #expect([1, 5, 6].contains(reply.status), "\(body): \(reply.output)\(reply.errors)")
    #expect(record?.points == 0, "\(body): \(reply.output)\(reply.errors)")
    #expect(running == [], "\(body)")
  }

  @Test func aSourceThatTheCompilerCannotEndIsEnded() throws {
    let many = (0..<130_000).map { "func f\($0)() {}" }.joined(separator: "\n")
    #expect(many.utf8.count > 1 << 20)
    #expect(try check(yours("", many)).reply.status == 3, "a file has 1 MB at most")
    let slow = "let n = 1 + 2.0 + 3 + [4: 5].count + Int(\"6\")! + 7.0 * 8 + -9 + (1 as Int8) + 2.5"
    #expect(try check(yours(slow)).reply.status == 4)
  }
}
