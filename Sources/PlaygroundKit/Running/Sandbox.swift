import CSwiftRuntime
import Foundation

/// A bubblewrap that works here: it starts a program that can write to its own folder and to
/// nothing else, sees no process but its own, and has no network.
///
/// The supervisor is inside, as the first process there. So a program can neither end nor stop it,
/// and when it leaves, the system ends whatever is left.
struct Sandbox: Sendable {
  /// The path of `bwrap`.
  private let bubblewrap: String
  /// What every program needs to read: the system's programs and libraries.
  private let system: [String]
  /// The words that keep a program from a user namespace of its own, in which it could mount a file
  /// system in memory and fill it: no limit of ours sees that memory. None where `bwrap` is older
  /// than 0.8 or has the rights of another user.
  let noNamespaces: [String]

  /// The one of this machine; nil where there is none, or where the system refuses it.
  ///
  /// It is tried, by starting our own supervisor in it: in a container `bwrap` may be there and
  /// fail.
  static let current: Sandbox? = {
    #if os(Linux)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let found = path.split(separator: ":").map { String($0) + "/bwrap" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
      guard let found else { return nil }
      let readable = readableHere
      return [["--unshare-user", "--disable-userns"], []]
        .lazy.map { Sandbox(bubblewrap: found, system: readable, noNamespaces: $0) }
        .first { $0.works }
    #else
      return nil
    #endif
  }()

  /// What keeps a learner's program to its folder here, in the words of a record.
  static var word: String { current == nil ? none : "bubblewrap" }
  /// The word where nothing does.
  static let none = "none"

  /// Where Linux keeps programs, libraries and what they look up.
  private static let folders = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
    "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
  ]

  #if os(Linux)
    /// Those folders, and those of Swift's and SQLite's libraries: a toolchain may be anywhere.
    private static var readableHere: [String] {
      let functions: [String] = ["swift_retain", "sqlite3_open_v2"]
      let libraries = Set(
        functions.compactMap { (function: String) -> String? in
          guard let path = faultline_library(function) else { return nil }
          return (String(cString: path) as NSString).deletingLastPathComponent
        })
      let others = libraries.filter { library in
        !folders.contains { library == $0 || library.hasPrefix("\($0)/") }
      }
      return folders + others.sorted()
    }
  #endif

  /// The words before a supervisor and its arguments.
  func command(writable: String, readable: [String]) -> [String] {
    let own = [
      "--unshare-all", "--as-pid-1", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev",
      "--remount-ro", "/dev",
    ]
    let read = (system + readable + [Supervisor.executable]).flatMap { ["--ro-bind-try", $0, $0] }
    return [bubblewrap] + own + noNamespaces + read
      + ["--bind", writable, writable, "--remount-ro", "/", "--"]
  }

  private var works: Bool {
    let folder = FileManager.default.temporaryDirectory.path
    let words = command(writable: folder, readable: []) + [Supervisor.executable, Supervisor.trial]
    let started = Spawn.start(
      words[0], Array(words.dropFirst()), environment: ProcessInfo.processInfo.environment
    ) { actions in
      for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    guard started.code == 0 else { return false }
    var status: Int32 = 0
    while waitpid(started.id, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }
}
