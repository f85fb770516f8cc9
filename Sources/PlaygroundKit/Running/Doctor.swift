import Foundation
import SQLiteConnection

/// What this machine has of what the tool needs, each part found out by trying it.
public enum Doctor {
  /// How a part was found.
  public enum State: String, Codable, Sendable {
    /// As it should be.
    case good
    /// Usable, with a limit that is worth knowing.
    case limited
    /// Missing or not usable; some commands fail.
    case bad
  }

  /// One part of the machine.
  public struct Part: Codable, Sendable, Equatable {
    /// What it is, in a word or two.
    public var name: String
    /// How it was found.
    public var state: State
    /// What was found, in a few words.
    public var found: String
    /// What to do, in a sentence; nil where nothing is to be done.
    public var advice: String?

    /// Describes a part.
    public init(_ name: String, _ state: State, _ found: String, _ advice: String? = nil) {
      (self.name, self.state, self.found, self.advice) = (name, state, found, advice)
    }
  }

  /// Looks at every part but the terminal, which the command line knows.
  ///
  /// It takes the time of two small programs, half a second as a rule.
  public static func parts() -> [Part] {
    let machine = Machine.current
    let temporary = temporary()
    // Both are tried by a program, which needs that folder.
    let tried = temporary.state == .bad ? [] : [toolchain(), sandbox()]
    return [temporary] + tried
      + [clone(), sqlite(), build(machine), processors(machine), state()]
  }

  private static func toolchain() -> Part {
    do {
      guard let version = try words(of: ["swiftc", "--version"]) else {
        return Part(
          "toolchain", .bad, "no swiftc on PATH",
          "Install Swift 6.2 or later (swift.org/install) and add it to PATH: exercises and"
            + " scenarios of your own are compiled.")
      }
      let first = version.split(separator: "\n").first.map(String.init) ?? ""
      return Part("toolchain", .good, first)
    } catch {
      return Part("toolchain", .bad, "\(error)", "Try `swiftc --version` yourself.")
    }
  }

  private static func clone() -> Part {
    do {
      return Part("clone", .good, try BuildFolder.current().package.path)
    } catch {
      return Part(
        "clone", .limited, "the tool is outside its clone",
        "In the clone, type `swift run faultline`: exercises, the guide and scenarios of your own"
          + " need its files.")
    }
  }

  private static func sqlite() -> Part {
    do {
      let connection = try Connection(path: ":memory:")
      defer { connection.close() }
      let statement = try connection.statement("SELECT sqlite_version()")
      defer { statement.reset() }
      _ = try statement.step()
      return Part("SQLite", .good, statement.text(0))
    } catch {
      return Part("SQLite", .bad, "\(error)", "Install it again: `apt install libsqlite3-dev`.")
    }
  }

  private static func build(_ machine: Machine) -> Part {
    machine.build == "release"
      ? Part("build", .good, "release")
      : Part(
        "build", .limited, "debug",
        "Its times are longer: for figures, and for `explore` with a higher bound, type"
          + " `swift build -c release`, then `.build/release/faultline`.")
  }

  private static func processors(_ machine: Machine) -> Part {
    var loads = [0.0, 0, 0]
    let load = getloadavg(&loads, 3) > 0 ? loads[0] : 0
    let found =
      "\(machine.cores) \(machine.architecture), load \(String(format: "%.1f", load)) in the last"
      + " minute, \(machine.system)"
    if machine.cores < 2 {
      return Part(
        "processors", .limited, found,
        "With one processor threads take turns, and races are rarer: `explore` finds them all the"
          + " same.")
    }
    if load > Double(machine.cores) {
      return Part(
        "processors", .limited, found,
        "Other programs are at work: times and frames of `run` are theirs too.")
    }
    return Part("processors", .good, found)
  }

  private static func temporary() -> Part {
    let path = Workspace.base.deletingLastPathComponent().path
    do {
      try Workspace().removeFiles()
    } catch {
      return Part("temporary", .bad, "\(error)")
    }
    var figures = statvfs()
    guard statvfs(path, &figures) == 0 else { return Part("temporary", .good, path) }
    let free = (UInt64(figures.f_bavail) * UInt64(figures.f_frsize)) >> 20
    let found = "\(path), \(free) MB free"
    return free >= 1_024
      ? Part("temporary", .good, found)
      : Part(
        "temporary", .limited, found,
        "A run may need 1,024 MB: make room, or set TMPDIR to another folder.")
  }

  private static func state() -> Part {
    let folder = StateFolder.url()
    let file = folder.appendingPathComponent(".doctor-\(getpid())")
    do {
      try StateFolder.write("", to: file)
      try FileManager.default.removeItem(at: file)
      return Part("state", .good, folder.path)
    } catch {
      return Part(
        "state", .limited, "\(error)",
        "Until then long schedule ids cannot be replayed later, and `list` does not know what you"
          + " ran.")
    }
  }

  /// A learner's program runs with limits of time, memory and disk in any case.
  private static func sandbox() -> Part {
    if Sandbox.current != nil {
      return Part("sandbox", .good, "bubblewrap: a learner's program writes to its own folder only")
    }
    return Part(
      "sandbox", .limited,
      "bubblewrap is missing or refused: a learner's program can write wherever you can, within"
        + " limits of time, memory and disk",
      "Nothing, for your own code. Before you run the code of others: `apt install bubblewrap`, on"
        + " a system that lets users make namespaces.")
  }

  /// What a program says; nil if there is none of this name or it fails.
  private static func words(of program: [String]) throws -> String? {
    let workspace = try Workspace()
    defer { workspace.removeFiles() }
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), program,
      environment: ProcessInfo.processInfo.environment,
      limits: ChildProcess.Limits(
        seconds: 20, memoryBytes: 4 << 30, diskBytes: 1 << 26, home: .anywhere),
      log: workspace.folder.appendingPathComponent("words.log"), folder: workspace.folder,
      in: workspace)
    return outcome.ending == .exited(0) ? outcome.output : nil
  }
}
