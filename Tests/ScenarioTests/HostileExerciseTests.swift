import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// Files that want points without a repair, or that do not want to end. They get nothing, they end,
/// and nothing is left of them.
@Suite final class HostileExerciseTests: CommandLineSuite {
  /// Checks a file in the place of exercise 8.
  private func check(
    _ code: String, environment: [String: String] = [:]
  ) throws -> (record: CheckRecord?, reply: CommandLineTool.Reply) {
    let folder = tool.temporary.appendingPathComponent("ex").path
    let file = try tool.run("start", "8", "--dir", folder, "--quiet").output
      .trimmingCharacters(in: .newlines)
    try code.write(toFile: file, atomically: true, encoding: .utf8)
    let before = Set(try tool.leftovers())
    let reply = try tool.run("check", "8", "--dir", folder, "--json", environment: environment)
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

  // MARK: Harm to what is shared

  /// What a program did to its own run was the end of the tool, or told as something else.
  @Test(arguments: [
    ("try FileManager.default.removeItem(atPath: folder)", 1, ["The volume is read only", "74"]),
    ("for file in 3..<64 { ftruncate(Int32(file), 0) }", 1, ["Rows are missing"]),
    ("kill(getppid(), SIGKILL)", 5, ["it killed or stopped the process that watches it"]),
    ("raise(SIGXFSZ)", 5, ["disk: a file of more than 200 MB"]),
    ("exit(3)", 1, ["ENDED in the only schedule: exit code 3"]),
    ("fatalError(\"mine\")", 1, ["CRASHED in the only schedule: ", "Fatal error: mine"]),
  ])
  func harmIsAnEndingOfTheRun(_ body: String, _ status: Int, _ words: [String]) throws {
    let folder = "let folder = ProcessInfo.processInfo.environment[\"TMPDIR\"]!"
    let (record, reply) = try check(
      yours("\(folder); _ = folder; \(body)"), environment: tool.withoutSandbox())
    #expect(Int(reply.status) == status, "\(body): \(reply.output)\(reply.errors)")
    #expect(record?.points == 0)
    #expect(record?.sandbox == "none")
    let told = record?.findings.map(\.message).joined(separator: "\n") ?? ""
    #expect(words.contains(where: told.contains), "\(body): \(told)")
  }

  @Test func aProgramWritesIntoItsOwnFolder() throws {
    let mine = tool.temporary.appendingPathComponent("home/mine")
    try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: true)
    let here = FileManager.default.currentDirectoryPath
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: here))
    let (record, reply) = try check(
      yours(
        """
        for path in ["written", "\(mine.path)/written"] {
          try? "x".write(toFile: path, atomically: false, encoding: .utf8)
        }
        """))
    #expect(reply.status == 1, "\(reply.output)\(reply.errors)")
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: here)) == before)
    let isThere = FileManager.default.fileExists(atPath: "\(mine.path)/written")
    #expect(isThere == (record?.sandbox == "none"), "only a sandbox keeps it from there")
  }

  @Test func aLargeFileElsewhereHitsTheDiskLimit() throws {
    let mine = tool.temporary.appendingPathComponent("home/large")
    let (record, reply) = try check(
      yours(
        """
        let file = open("\(mine.path)", O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<800 { _ = write(file, block, block.count) }
        """), environment: tool.withoutSandbox())
    #expect(reply.status == 5, "\(reply.output)\(reply.errors)")
    #expect(record?.limit == "disk: a file of more than 200 MB")
    var status = stat()
    #expect(stat(mine.path, &status) == 0 && status.st_size <= 200 << 20)
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
