import CoreData
import Foundation
import PlaygroundKit

/// Sides that harm themselves, the process that watches them, or what they share with the tool.
public enum HostileProbe: Scenario {
  public static let card = Card(
    96, "hostile-probe", "Sides that do harm", part: .queues, claim: "Nothing comes of it.",
    question: "What is lost?", why: "Nothing.", given: "nothing", guide: "none.md#96")

  public static let parameters: [Parameter] = []
  public static let outcomes = [
    Outcome("DONE", .accepted, "it went on to its end"),
    Outcome("CRASHED", .forbidden, "it read what is gone", when: .crashed),
  ]

  public static let sides: [Side] = [
    side("removes its folder") { try? FileManager.default.removeItem(atPath: own) },
    side("removes all folders") {
      try? FileManager.default.removeItem(atPath: own + "/..")
      exit(3)
    },
    side("shrinks every descriptor") { for file in descriptors { ftruncate(file, 0) } },
    side("fills every descriptor") {
      for file in descriptors { fill(file, from: 0, length: 1 << 22) }
      answer()
    },
    side("lies about lengths") {
      // The numbers of choices and of words.
      for file in descriptors { for offset in [8, 32] { fill(file, from: offset, length: 8) } }
      answer()
    },
    side("lies about a choice") {
      for file in descriptors {
        fill(file, from: 65_536, length: 64)
        withMemory(of: file) { $0.storeBytes(of: 3, toByteOffset: 8, as: UInt64.self) }
      }
      exit(0)
    },
    side("has few descriptors") {
      var limit = rlimit(rlim_cur: 20, rlim_max: 20)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while open("/dev/null", O_RDONLY) >= 0 {}
      exit(3)
    },
    side("writes a large file") {
      let block = [UInt8](repeating: 1, count: 1 << 20)
      let file = open("large", O_WRONLY | O_CREAT, 0o600)
      for _ in 0..<300 { _ = write(file, block, block.count) }
    },
    side("kills its parent") {
      for _ in 0..<100 { kill(getppid(), SIGKILL) }
    },
    side("exits") { exit(3) },
    side("is terminated") {
      kill(getpid(), SIGTERM)
      while true {}
    },
    side("traps") { fatalError("on purpose") },
    side("puts pipes in the place of its files") {
      for name in ["notes.json", "trace", "journal.jsonl", "Left.sqlite", "Store.sqlite"] {
        unlink(name)
        mkfifo(name, 0o600)
      }
      exit(0)
    },
    side("answers before it is done") { _ = write(4, ".", 1) },
  ]

  public static let model = NSManagedObjectModel()

  @MainActor public static func given(_ world: World) async throws {}

  public static func observed(_ run: Observation) -> Outcome { outcomes[0] }

  private static func side(_ name: String, _ body: @escaping @Sendable () -> Void) -> Side {
    .column(name, name) { _ in body() }
  }

  // MARK: What they do it with

  private static var own: String { FileManager.default.currentDirectoryPath }

  /// The descriptors that a process may have been given.
  private static let descriptors: Range<Int32> = 3..<64

  private static func withMemory(of file: Int32, _ body: (UnsafeMutableRawPointer) -> Void) {
    let size = 1 << 22
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let memory, memory != MAP_FAILED else { return }
    body(memory)
    munmap(memory, size)
  }

  private static func fill(_ file: Int32, from offset: Int, length: Int) {
    withMemory(of: file) { memset($0 + offset, 0xFF, length) }
  }

  /// Says that the run is over, and does not go on to its end.
  private static func answer() {
    _ = write(4, ".", 1)
    while true { poll(nil, 0, -1) }
  }
}
