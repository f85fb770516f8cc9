import Foundation
import SQLiteConnection
import Testing

@testable import PlaygroundKit
@testable import ProbeSides

/// Sides that harm what they share with the tool: each ends as a run of its own, and the tool goes
/// on.
@Suite struct HostileSideTests {
  /// Where the sides are at home, in turn: the sides are those of a learner.
  private static func controlled(_ name: String) throws -> (ControlledSide, Side.Description) {
    let side = try #require(HostileProbe.sides.first { $0.name == name }).description
    let scenario = RunnableScenario(
      ScenarioDescription(HostileProbe.self), OutcomeRule(HostileProbe.self),
      HostileProbe.sides.indices.map {
        SideOrigin(
          executable: Explorations.probes, subject: .scenario(96), place: $0, isOurs: false)
      })
    return try (ControlledSide(scenario, side: side, parameters: [:], in: Workspace()), side)
  }

  private static let none = Schedule()

  /// How each ends, in one of these ways: the second where there is no sandbox.
  private static let endings: [(name: String, kinds: Set<Ending.Kind>, words: String)] = [
    ("removes its folder", [.finished, .exited], ""),
    ("removes all folders", [.exited], ""),
    ("shrinks every descriptor", [.finished], ""),
    ("fills every descriptor", [.exited, .uncontrolled], ""),
    ("lies about lengths", [.exited, .uncontrolled, .finished], ""),
    ("lies about a choice", [.exited], "exit code 0"),
    ("has few descriptors", [.exited], "exit code 3"),
    ("writes a large file", [.limit], "disk: "),
    ("kills its parent", [.finished, .limit], ""),
    ("exits", [.exited], "exit code 3"),
    ("is terminated", [.exited], "SIGTERM"),
    ("traps", [.crashed], "on purpose"),
    ("puts pipes in the place of its files", [.exited], "exit code 0"),
    ("answers before it is done", [.finished], ""),
  ]

  @Test(arguments: endings.indices) func aRunEndsAndTheNextOneRuns(_ index: Int) throws {
    let (name, kinds, words) = Self.endings[index]
    let (controlled, _) = try Self.controlled(name)
    for _ in 0..<2 {
      let seen = try controlled.run(.replay(Self.none))
      #expect(kinds.contains(seen.ending.kind), "\(name): \(seen.ending)")
      #expect(
        words.isEmpty || seen.ending.detail.contains(words), "\(name): \(seen.ending)")
      let declared = seen.ending.kind == .finished ? "DONE" : seen.ending.kind.undeclaredName
      #expect(seen.outcome == declared, "\(name): \(seen.ending)")
    }
    // One that ends differently each time tells how in each trace.
    let (seen, trace) = try controlled.trace(.replay(Self.none))
    #expect(trace.ending == seen.ending || kinds.count > 1, "\(name): \(trace.ending)")
  }

  @Test func everySideIsTried() {
    #expect(Self.endings.map(\.name) == HostileProbe.sides.map(\.name))
  }

  // MARK: What is read of them

  @Test func anAnswerIsReadWhateverIsWrittenThere() throws {
    let answer = try AnswerMemory()
    #expect(ftruncate(answer.file, 0) != 0, "its size is sealed")
    let size = 1 << 22
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, answer.file, 0)!
    defer { munmap(memory, size) }
    for byte: Int32 in [0xFF, 0x7F, 0x01] {
      memset(memory, byte, size)
      #expect(answer.stepCount >= 0)
      #expect(answer.words.count <= 65_536)
      #expect(answer.choices.allSatisfy { $0.chosen < $0.optionCount && $0.optionCount > 1 })
    }
  }

  /// A view that sorts filled the disk of whoever counted its rows, and a computed column can take
  /// years: only tables that hold what they hold are asked.
  @Test(arguments: [
    ("CREATE VIEW ZARTICLE AS SELECT 1", false),
    ("CREATE TABLE ZARTICLE (A, B AS (A || A))", false),
    ("CREATE TABLE ZARTICLE (A, B GENERATED ALWAYS\nas(A || A) STORED)", false),
    ("CREATE TABLE ZARTICLE (A, \"B\"AS(A))", false),
    (
      "CREATE TABLE ZARTICLE (A); CREATE TRIGGER T AFTER INSERT ON ZARTICLE BEGIN SELECT 1; END",
      false
    ),
    (
      "PRAGMA writable_schema = 1; INSERT INTO sqlite_master"
        + " VALUES ('table', 'ZARTICLE', 'ZARTICLE', 2, 'CREATE VIEW ZARTICLE AS SELECT 1')", false
    ),
    ("CREATE TABLE ZARTICLE (ZCLASS VARCHAR(255), A UNIQUE); CREATE INDEX I ON ZARTICLE (A)", true),
  ])
  func aStoreThatComputesWhatItHoldsIsNotAsked(_ sql: String, _ isRead: Bool) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { unlink(file.path) }
    let connection = try Connection(path: file.path)
    try connection.execute(sql)
    connection.close()
    let bytes = try [UInt8](Data(contentsOf: file))
    for count in [
      { try StoreFile(file).rows(of: "Article") },
      { try StoreFile(file, holding: bytes).rows(of: "Article") },
    ] {
      if isRead {
        #expect(try count() == 0)
      } else {
        #expect(throws: (any Error).self) { try count() }
      }
    }
  }

  @Test func aDatabaseIsReadFromBytesWhateverTheyAre() throws {
    let url = URL(fileURLWithPath: "/nowhere/Left.sqlite")
    for bytes in [[], [1], [UInt8](repeating: 0xFF, count: 5_000)] {
      #expect(throws: (any Error).self) {
        try StoreFile(url, holding: bytes).rows(of: "Article")
      }
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { unlink(file.path) }
    let connection = try Connection(path: file.path)
    // With a log beside it, as stores of the engine have.
    try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE ZARTICLE (A)")
    try connection.execute("INSERT INTO ZARTICLE VALUES (1), (2)")
    connection.close()
    #expect(
      try StoreFile(url, holding: [UInt8](Data(contentsOf: file))).rows(of: "Article") == 2)
  }

  @Test func whatIsNoFileIsNotReadAndNotWaitedFor() throws {
    let base = FileManager.default.temporaryDirectory
      .appendingPathComponent("left-\(UUID().uuidString)")
    defer { FileTree.remove(base.path) }
    #expect(mkdir(base.path, 0o700) == 0)
    func path(_ name: String) -> String { base.appendingPathComponent(name).path }
    mkfifo(path("pipe"), 0o600)
    symlink("/etc/passwd", path("link"))
    symlink("nothing", path("dangling"))
    mkdir(path("folder"), 0o700)
    for name in ["pipe", "link", "dangling", "folder", "missing"] {
      #expect(LeftFile.data(of: path(name), bytesMax: 10) == nil, "\(name)")
    }
    try Data("0123456789".utf8).write(to: base.appendingPathComponent("file"))
    #expect(LeftFile.data(of: path("file"), bytesMax: 4) == Data("0123".utf8))
    #expect(LeftFile.data(of: path("file"), bytesMax: 4, fromEnd: true) == Data("6789".utf8))
    #expect(LeftFile.data(of: path("file"), bytesMax: .max) == Data("0123456789".utf8))
  }

  /// Every byte of a trace replaced by others, one at a time.
  @Test func aTraceThatWasChangedIsReadOrRefused() throws {
    let data = try TraceSamples.deadlock.data
    for place in data.indices {
      for byte: UInt8 in [1, 0xFF] {
        var changed = data
        changed[place] = byte
        guard let trace = try? Trace(data: changed).checked() else { continue }
        _ = Drawing(trace, id: "s3-27-1C-9", title: "").rendered(as: .text)
        _ = Explanation(trace).text
      }
    }
  }
}
